/**
 * Names of files: readable, the same on every system, accepted by every store, and never another one's. Its laws have
 * five times as many runs with PALIMPSEST_LONG.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memoryFileName } from "#memory/files/memory-file-name.ts";
import { memoryNameKey, memoryPathProblem } from "#stores/shared/memory-path.ts";
import { anyCharacter } from "#test/helpers/any-character.ts";
import { anyValue, runs } from "./frontmatter-arbitraries.ts";

describe("a file's name", () => {
  it.each([
    { name: "Deploy days!", file: "deploy-days.md", why: "words with hyphens" },
    { name: "  feedback_db: use #tx ", file: "feedback-db-use-tx.md", why: "nothing that means something" },
    { name: "部署日期：每周二", file: "部署日期-每周二.md", why: "of any script" },
    { name: "हिन्दी नोट्स", file: "हिन्दी-नोट्स.md", why: "with the marks that it needs" },
    { name: "ﾃｽﾄ ＡＢＣ", file: "テスト-abc.md", why: "in the usual forms of characters" },
    { name: "cafe\u0301", file: "café.md", why: "composed" },
    { name: "🎉", file: "note.md", why: "with no letter at all" },
    { name: "../../etc/passwd", file: "etc-passwd.md", why: "leading nowhere" },
    { name: "CON", file: "con-2.md", why: "no device" },
    { name: "com¹", file: "com1-2.md", why: "no device, however it is written" },
    { name: "Memory", file: "memory-2.md", why: "not that of the index" },
    { name: "a\u202Eb\u200Bc", file: "abc.md", why: "nothing that nobody sees" },
    { name: "a".repeat(300), file: `${"a".repeat(60)}.md`, why: "not too long" },
    { name: "word ".repeat(40), file: `${"word-".repeat(11)}word.md`, why: "cut between words" },
    { name: "界".repeat(90), file: `${"界".repeat(40)}.md`, why: "not too long in bytes" },
  ])("is made of $name: $why", ({ name, file }) => {
    expect(memoryFileName(name, [])).toBe(file);
  });

  it.each([
    { taken: ["deploy-days.md"], file: "deploy-days-2.md" },
    { taken: ["Deploy-Days.md", "team/deploy-days-2.md"], file: "deploy-days-3.md" },
    { taken: ["deploy-days-2.md"], file: "deploy-days.md" },
  ])("is not one of $taken", ({ taken, file }) => {
    expect(memoryFileName("Deploy days", taken)).toBe(file);
  });

  it("is accepted by every store, and no system takes it for one that there is", () => {
    const names = fc.array(
      fc.oneof(anyValue, fc.string({ unit: "grapheme" }), fc.string({ unit: anyCharacter })),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(names, (all) => {
        const taken: string[] = [];
        for (const name of all) {
          const file = memoryFileName(name, taken);
          expect(memoryPathProblem(file)).toBeUndefined();
          expect(file).toBe(file.normalize("NFC"));
          expect(taken.map(memoryNameKey)).not.toContain(memoryNameKey(file));
          taken.push(file);
        }
      }),
      runs(1_000),
    );
  });
});
