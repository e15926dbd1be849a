/** Files that a transcript names and that are none to be read: after a compaction the log's own copy is shown instead. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { addToDigest, createDigest } from "#compaction/digest/digest.ts";
import { folderFileReader } from "#runtime/working-copy/folder-file-reader.ts";
import { planRestoration } from "#session/compact/plan-restoration.ts";
import { turnsOf } from "#session/turns/fair-turns.ts";
import { blockText } from "#transcript/blocks.ts";
import { read } from "../../../../../test/helpers/restore-messages.ts";
import { measure } from "../../../../../test/helpers/windows.ts";

const top = mkdtempSync(join(tmpdir(), "palimpsest-hostile-"));
const folder = join(top, "project");
mkdirSync(folder);
writeFileSync(join(top, "secret.txt"), "SECRET-OUTSIDE");
symlinkSync(join(top, "secret.txt"), join(folder, "link.txt"));
writeFileSync(join(folder, "large.txt"), "HUGE ".repeat(1_000_000));
writeFileSync(join(folder, "binary.bin"), Buffer.from([0, 255, 254, 1]));
writeFileSync(join(folder, "good.ts"), "export const now = 2;\n");
execFileSync("mkfifo", [join(folder, "pipe")]);
afterAll(() => rmSync(top, { recursive: true }));

it("shows what the log held of them, and of good files what is there now", async () => {
  const names = ["link.txt", "large.txt", "binary.bin", "pipe", "good.ts", "../secret.txt"];
  const hidden = names.flatMap((name, index) => read(index * 2 + 1, join(folder, name), [`logged ${name}`]));
  const digest = createDigest();
  for (const { seq, role, origin, blocks } of hidden)
    addToDigest(digest, seq, { role, origin, content: blocks.map(({ block }) => block) });
  const { messages, tokens } = await planRestoration({
    ...{ hidden, tail: [], summaryTexts: [], digest, windowTokens: 200_000, budgetTokens: 2_000 },
    ...{
      measure,
      restorers: [],
      deadline: { after: () => () => {} },
      turns: turnsOf({}),
      fileReader: folderFileReader(folder),
    },
  });
  const text = messages.flatMap(({ content }) => content.map(blockText)).join("\n");
  for (const name of ["link.txt", "large.txt", "binary.bin", "pipe"])
    expect(text).toContain(`logged ${name}`);
  expect(text).toContain("export const now = 2;");
  expect(text).not.toContain("SECRET-OUTSIDE");
  expect(text).not.toContain("HUGE");
  expect(tokens).toBeLessThanOrEqual(2_000);
});
