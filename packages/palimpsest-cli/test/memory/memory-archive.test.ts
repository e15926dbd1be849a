/** `palimpsest memory list --archived`, `show --archived` and `restore`: forgotten memories are not lost. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { json, storedHome } from "../../../../test/helpers/stored.ts";

const PATH = "we-deploy-on-tuesdays-only.md";

async function withForgotten() {
  const place = storedHome();
  await place.run(["memory", "add", "We deploy on Tuesdays only."]);
  await place.run(["memory", "forget", PATH]);
  return place;
}

it("lists what was put away, shows it, and brings it back", async () => {
  const { run } = await withForgotten();
  const folder = (await run(["memory", "path"])).out.trimEnd();
  const listed = await run(["memory", "list", "--archived"]);
  expect(listed.out).toMatch(/^we-deploy-on-tuesdays-only\.md {2}\d{4}-\d\d-\d\dT\d\d:\d\dZ\n {2}\S+\n$/);
  const id = listed.out.split("\n")[1]!.trim();
  expect((await run(["memory", "show", id, "--archived"])).out).toContain("We deploy on Tuesdays only.");
  const { code, out } = await run(["memory", "restore", PATH]);
  expect([code, out]).toEqual([0, `restored ${PATH}\n`]);
  expect(existsSync(join(folder, PATH))).toBe(true);
  expect((await run(["memory", "list", "--archived"])).out).toContain("a memory has this path again");
});

it("tells programs the same", async () => {
  const { run } = await withForgotten();
  const { archived } = json(await run(["memory", "list", "--archived", "--json"]));
  expect(archived).toMatchObject([{ path: PATH, isReplaced: false }]);
});

it("refuses what it cannot do, and says what to do", async () => {
  const { run } = await withForgotten();
  expect((await run(["memory", "restore", "other.md"])).code).toBe(1);
  expect((await run(["memory", "show", "--archived"])).code).toBe(2);
  expect((await run(["memory", "list", "--archived", "--type", "user"])).code).toBe(2);
  const none = storedHome();
  expect(await none.run(["memory", "list", "--archived"])).toEqual({
    ...{ code: 0, out: "", err: "The archive is empty.\n" },
  });
});
