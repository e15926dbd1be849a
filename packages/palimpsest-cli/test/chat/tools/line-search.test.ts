import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findLines } from "#chat/tools/line-search.ts";

const LINES = [
  "const needle = 1;",
  "  needle(needle)\r",
  "",
  "Needle: \u{1f9f7} naïve",
  "a",
  "\tb = [x-y] $5",
  "endneed",
  "le next",
];
/** Among them expressions that fit only across the end of a line, and some that look around. */
const PATTERNS = [
  ...["needle", "^needle", "need\\b", "\\bneedle\\b", "^$", "^\\s*$", "a$", "1;$", "^a$", "^.$", "need$"],
  ...["[a-c]", "[^a-z]", "\\W+x", "d\\nle", "needle(?!\\()", "(?<=\\()needle", "(?:need)(le)", "(n)eed.*\\1"],
  ...["\\$5", "\\[x-y\\]", "x{2}|b", "\\u{1f9f7}", "\\p{L}v", "\\S \\S", "\\t", "le|$^", ".*", "(?<name>a)"],
];

describe("lines that fit", () => {
  let root = "";
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "palimpsest-lines-"));
  });
  afterAll(() => rmSync(root, { recursive: true }));

  const found = async (pattern: string, ignore_case: boolean) =>
    (
      await findLines({ root, pattern, ignore_case, nameOf: (path) => path }, new AbortController().signal)
    ).map(({ name, number, text }) => `${name}:${number}:${text}`);

  it("are those that a search of each line by itself finds", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.constantFrom(...LINES), { maxLength: 6 }), { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        async (files, ignore_case) => {
          rmSync(root, { recursive: true });
          mkdirSync(root);
          for (const [at, lines] of files.entries()) writeFileSync(join(root, `${at}.txt`), lines.join("\n"));
          for (const pattern of PATTERNS) {
            const expression = new RegExp(pattern, ignore_case ? "ui" : "u");
            expect(await found(pattern, ignore_case), pattern).toEqual(
              files.flatMap((lines, at) =>
                (lines.length === 0 ? [""] : lines).flatMap((line, place) =>
                  expression.test(line) ? [`${at}.txt:${place + 1}:${line.replace(/\r$/, "")}`] : [],
                ),
              ),
            );
          }
        },
      ),
      { numRuns: 15 },
    );
  });

  it("come from each of many files, and an expression without end is stopped", async () => {
    rmSync(root, { recursive: true });
    mkdirSync(root);
    for (let at = 0; at < 50; at += 1)
      writeFileSync(join(root, `${10 + at}.txt`), `${"x".repeat(40_000)}\nhere ${at}`);
    expect((await found("here", false)).map((line) => line.slice(0, 6))).toEqual(
      Array.from({ length: 50 }, (_, at) => `${10 + at}.txt`),
    );
    await expect(found("(x+)+y", false)).rejects.toThrow(/timed out/);
  });
});
