/** Which paths of memories are refused, whatever stands on the disk, and that nothing slips through a pattern. */
import { posix, win32 } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkMemoryPath, memoryNameKey, memoryPathProblem } from "#stores/shared/memory-path.ts";
import { ATTACK_PATHS } from "#test/helpers/attack-paths.ts";
import { bySize } from "../../../../../test/helpers/size-of-run.ts";

describe("the path of a memory", () => {
  it.each([
    "MEMORY.md",
    "deploy-days.md",
    "topics/deploy/days.md",
    "What is it.md",
    "50 % done.md",
    "naïve café.md",
    "Cafe\u0301.md",
    "\u0928\u092E\u0938\u094D\u0924\u0947.md",
    "日本語。メモ.md",
    "\u{1F468}\u200D\u{1F469}\u200D\u{1F467}.md",
    "a.b.c.md",
    "~.md".slice(1).replace(".md", "x~.md"),
    "console.md",
    "com.md",
    "nullable.md",
    "1/2/3/4/5/6/7/8.md",
    `${"x".repeat(252)}.md`,
  ])("may be %j", (path) => {
    expect(memoryPathProblem(path)).toBe(undefined);
    expect(checkMemoryPath(path)).toEqual(path.split("/"));
  });

  it.each(ATTACK_PATHS)("may not be $path: $why", ({ path }) => {
    expect(() => checkMemoryPath(path)).toThrow(expect.objectContaining({ code: "MEMORY_PATH_REFUSED" }));
  });

  it.each([undefined, null, 7, {}, [], ["a.md"], Symbol("a.md")])("is a text, not %s", (path) => {
    expect(() => checkMemoryPath(path as string)).toThrow(
      expect.objectContaining({ code: "MEMORY_PATH_REFUSED" }),
    );
  });

  it("stays below the folder on every system, whatever it is made of", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "..",
        ".",
        "/",
        "\\",
        "%2e",
        "%2f",
        "~",
        ":",
        "\0",
        "a",
        ".md",
        "．",
        "／",
        "CON",
        " ",
        "\u202E",
      ),
      fc.string({ unit: "grapheme", maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const path = `${pieces.join("")}.md`;
        if (memoryPathProblem(path) !== undefined) return;
        for (const form of [path, path.normalize("NFKC"), decodeURIComponent(path.replaceAll("%", "%25"))])
          for (const { resolve, relative, isAbsolute } of [posix, win32]) {
            const inner = relative(resolve("/memory"), resolve("/memory", form));
            expect(isAbsolute(inner) || inner.startsWith(".") || inner === "").toBe(false);
          }
      }),
      { numRuns: bySize({ usual: 150, long: 2_000 }) },
    );
  });

  it("is told without the characters that it was refused for", () => {
    const problem = () => checkMemoryPath(`a\u202E\u001B[31m${"x".repeat(9_000)}.md`);
    expect(problem).toThrow(/^"a\\u\{202E\}\\u\{1B\}\[31mx{50,110}…" is refused as a memory: /);
  });
});

describe("names that some system takes for one", () => {
  it.each([
    ["a.md", "A.MD"],
    ["café.md", "CAFE\u0301.md"],
    ["ﬁle.md", "file.md"],
    ["Ⅳ.md", "iv.md"],
  ])("%s and %s", (one, other) => {
    expect(memoryNameKey(one)).toBe(memoryNameKey(other));
  });

  it("are not those that differ in more", () => {
    expect(memoryNameKey("a-b.md")).not.toBe(memoryNameKey("ab.md"));
  });
});
