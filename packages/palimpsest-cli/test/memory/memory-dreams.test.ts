/** `palimpsest memory dreams`: what dreams did, and the way back to any of them. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { json, storedHome } from "../../../../test/helpers/stored.ts";

it("lists dreams, and reverts one behind which many found nothing to do", async () => {
  const { run } = storedHome();
  expect((await run(["memory", "dreams"])).err).toBe("There are no dreams yet.\n");
  await run(["memory", "add", "The office is in Oslo.", "--name", "office"]);
  const folder = (await run(["memory", "path"])).out.trimEnd();
  writeFileSync(join(folder, "MEMORY.md"), "- [Gone](gone.md) — leads nowhere\n");
  expect((await run(["memory", "dream"])).code).toBe(0);
  for (let count = 0; count < 33; count++) expect((await run(["memory", "dream"])).code).toBe(3);
  const { dreams } = json<{ dreams: readonly { id: string; changes: readonly unknown[] }[] }>(
    await run(["memory", "dreams", "--json"]),
  );
  expect(dreams).toHaveLength(31);
  expect((await run(["memory", "dreams"])).out).toMatch(/^\d{15}-\d{4} {2}\S+Z {2}nothing to do\n/);
  expect((await run(["memory", "revert"])).code).toBe(0);
  expect(readFileSync(join(folder, "MEMORY.md"), "utf8")).toBe("- [Gone](gone.md) — leads nowhere\n");
});

it("passes over a record that is no text any more", async () => {
  const { run } = storedHome();
  await run(["memory", "add", "The office is in Oslo."]);
  const folder = (await run(["memory", "path"])).out.trimEnd();
  writeFileSync(join(folder, "MEMORY.md"), "- [Gone](gone.md) — leads nowhere\n");
  await run(["memory", "dream"]);
  writeFileSync(join(folder, ".palimpsest/records/dreams/999999999999999-0001.json"), Buffer.from([0xff]));
  expect((await run(["memory", "dreams"])).out).toContain("applied, 1 files");
  expect((await run(["memory", "dream"])).code).toBe(3);
  expect((await run(["memory", "revert"])).code).toBe(0);
});
