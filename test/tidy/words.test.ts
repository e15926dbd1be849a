/** Nothing unfinished, private, secret or switched off is in the repository. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { filesBelow, ROOT, sourceFile } from "./source.ts";
import { SOURCE_RULES, TEST_RULES, TEXT_RULES, wordsFound } from "./words.ts";

const NOT_OURS = new Set(["node_modules", "dist", "coverage", ".git"]);

/** Every text file of the repository, as paths from its root. */
function textFilesBelow(folder: string): readonly string[] {
  return readdirSync(`${ROOT}${folder}`, { withFileTypes: true }).flatMap((item) => {
    const path = `${folder}${item.name}`;
    if (item.isDirectory()) return NOT_OURS.has(item.name) ? [] : textFilesBelow(`${path}/`);
    return /\.(?:ts|mjs|js|json|md|yml|yaml|sh)$|^\.ci\/run$/.test(path) ? [path] : [];
  });
}

function repositoryFiles() {
  return textFilesBelow("")
    .filter((path) => path !== "package-lock.json")
    .map((path) => sourceFile(path, readFileSync(`${ROOT}${path}`, "utf8")));
}

describe("words", () => {
  it("that src must not say", () => {
    expect(wordsFound(filesBelow("src", ".ts"), SOURCE_RULES)).toEqual([]);
  });

  it("that switch tests off", () => {
    expect(wordsFound(filesBelow("test", ".ts"), TEST_RULES)).toEqual([]);
  });

  it("that no file of the repository may hold", () => {
    expect(wordsFound(repositoryFiles(), TEXT_RULES)).toEqual([]);
  });

  it.each([
    { rules: SOURCE_RULES, text: 'throw new Error("x");', why: "a plain error" },
    { rules: SOURCE_RULES, text: "class MyError extends Error {}", why: "an error class of its own" },
    { rules: SOURCE_RULES, text: "export default 5;", why: "a default export" },
    { rules: SOURCE_RULES, text: 'export * from "./a.ts";', why: "export *" },
    { rules: SOURCE_RULES, text: "enum Color { Red }", why: "an enum" },
    { rules: SOURCE_RULES, text: "const a: any = 5;", why: "any" },
    { rules: SOURCE_RULES, text: "// @ts-" + "ignore", why: "a silenced compiler" },
    { rules: TEST_RULES, text: 'it.only("a", f);', why: "a test alone" },
    { rules: TEST_RULES, text: 'describe.skip("a", f);', why: "a skipped test" },
    { rules: TEXT_RULES, text: "// TO" + "DO: later", why: "work for later" },
    { rules: TEXT_RULES, text: "see /wor" + "k/main/src", why: "a machine's path" },
    { rules: TEXT_RULES, text: "see /home/ad" + "a/src", why: "a home folder" },
    { rules: TEXT_RULES, text: `key = sk-ant-${"a".repeat(40)}`, why: "a key" },
  ])("would be found: $why", ({ rules, text }) => {
    expect(wordsFound([sourceFile("src/base/a.ts", text)], rules)).toHaveLength(1);
  });

  it.each([
    {
      rules: TEST_RULES,
      text: 'describe.skipIf(isMissing)("a", f);',
      why: "a test that says when it cannot run",
    },
    { rules: SOURCE_RULES, text: '// new Error("x")', why: "a comment" },
    { rules: TEXT_RULES, text: "/home/user/project and ./work/a", why: "an example path" },
  ])("are left alone: $why", ({ rules, text }) => {
    expect(wordsFound([sourceFile("src/base/a.ts", text)], rules)).toEqual([]);
  });
});
