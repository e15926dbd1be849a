/** Nothing unfinished, private, secret or switched off is in the repository. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { packageSources, ROOT, type SourceFile, sourceAt, sourceFile, testSources } from "./source.ts";
import { SOURCE_RULES, TEST_RULES, TEXT_RULES, wordsFound } from "./words.ts";

const NOT_OURS = new Set(["node_modules", "build", "dist", "coverage", ".git"]);

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
    .map(sourceAt);
}

describe("words", () => {
  it("that src must not say", () => {
    expect(wordsFound(packageSources(), SOURCE_RULES)).toEqual([]);
  });

  it("that switch tests off", () => {
    expect(wordsFound(testSources(), TEST_RULES)).toEqual([]);
  });

  it("that no file of the repository may hold", () => {
    expect(wordsFound(repositoryFiles(), TEXT_RULES)).toEqual([]);
  });

  it.each([
    { rules: SOURCE_RULES, text: 'throw new Error("x");', why: "a plain error" },
    { rules: SOURCE_RULES, text: "class MyError extends Error {}", why: "an error class of its own" },
    { rules: SOURCE_RULES, text: "list.push(...others);", why: "a list as arguments" },
    { rules: SOURCE_RULES, text: "Math.max(0, ...sizes)", why: "numbers as arguments" },
    { rules: SOURCE_RULES, text: "export default 5;", why: "a default export" },
    { rules: SOURCE_RULES, text: 'export * from "./a.ts";', why: "export *" },
    { rules: SOURCE_RULES, text: "enum Color { Red }", why: "an enum" },
    { rules: SOURCE_RULES, text: "const a: any = 5;", why: "any" },
    { rules: SOURCE_RULES, text: "// @ts-" + "ignore", why: "a silenced compiler" },
    { rules: TEST_RULES, text: 'it.only("a", f);', why: "a test alone" },
    { rules: TEST_RULES, text: 'describe.skip("a", f);', why: "a skipped test" },
    { rules: TEXT_RULES, text: "// TO" + "DO: later", why: "work for later" },
    { rules: TEXT_RULES, text: "Source: SP" + "EC 3.", why: "a document of nobody, with a section" },
    { rules: TEXT_RULES, text: "Source: SP" + "EC; ours", why: "a document of nobody" },
    { rules: TEXT_RULES, text: "see fact" + "s/a.md", why: "a file that is not here" },
    { rules: TEXT_RULES, text: "Source: `fact" + "s`: 5.", why: "a folder that is not here" },
    { rules: TEXT_RULES, text: "(performance " + "notes 9.2)", why: "notes that nobody can read" },
    { rules: TEXT_RULES, text: "see /wor" + "k/main/src", why: "a machine's path" },
    { rules: TEXT_RULES, text: "see /home/ad" + "a/src", why: "a home folder" },
    { rules: TEXT_RULES, text: `key = sk-ant-${"a".repeat(40)}`, why: "a key" },
  ])("would be found: $why", ({ rules, text }) => {
    expect(wordsFound([sourceFile("packages/palimpsest/src/base/a.ts", text)], rules)).toHaveLength(1);
  });

  it.each([
    {
      rules: TEST_RULES,
      text: 'describe.skipIf(isMissing)("a", f);',
      why: "a test that says when it cannot run",
    },
    { rules: SOURCE_RULES, text: '// new Error("x")', why: "a comment" },
    {
      rules: TEXT_RULES,
      text: ["", "home", "user", "project and .", "work", "a"].join("/"),
      why: "an example path",
    },
    {
      rules: TEXT_RULES,
      text: "the facts' budget, demo-facts.ts, SPECIAL, facts of a summary, the field `facts`",
      why: "ordinary words",
    },
  ])("are left alone: $why", ({ rules, text }) => {
    expect(wordsFound([sourceFile("packages/palimpsest/src/base/a.ts", text)], rules)).toEqual([]);
  });
});

const NUMBERS = "docs/explanation/where-the-numbers-come-from.md";

/** Sections of the document that are cited as `where-the-numbers-come-from.md, "Section"` and are not there. */
function missingSections(texts: readonly string[], document: string): readonly string[] {
  const sections = new Set([...document.matchAll(/^## (.+)$/gm)].map((match) => match[1]));
  const cited = texts.flatMap((text) => [
    ...text.replace(/\n\s*(?:\*|\/\/)?\s*/g, " ").matchAll(/where-the-numbers-come-from\.md, "([^"]+)"/g),
  ]);
  return [...new Set(cited.map((match) => match[1] ?? ""))].filter((section) => !sections.has(section));
}

describe("sections that sources name", () => {
  it("are in the document", () => {
    const document = readFileSync(`${ROOT}${NUMBERS}`, "utf8");
    const texts = packageSources().map(({ text }) => text);
    expect(texts.join("\n")).toContain('where-the-numbers-come-from.md, "');
    expect(missingSections(texts, document)).toEqual([]);
  });

  it("would be missed, also across two lines of a comment", () => {
    const text =
      ' * as told in where-the-numbers-come-from.md,\n * "Kept tail" and where-the-numbers-come-from.md, "No"';
    expect(missingSections([text], "## Kept tail\n")).toEqual(["No"]);
    expect(missingSections([text], "## No\n")).toEqual(["Kept tail"]);
  });
});

/** Files that comments name by a room and a path, or by a name of several words, and that do not exist. */
function missingFiles(files: readonly SourceFile[], paths: readonly string[]): readonly string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(/^\s*(?:\*|\/\*\*|\/\/).*$/gm)].flatMap(([line]) =>
      [...line.matchAll(/`((?:[a-z][\w-]*\/)*[a-z]\w*(?:-\w+)*\.ts)`/g)]
        .map((match) => match[1] ?? "")
        .filter((name) => /[-/]/.test(name) && !name.startsWith("src/"))
        .filter((name) => !paths.some((known) => known.endsWith(`/${name}`)))
        .map((name) => `${path}: ${name}`),
    ),
  );
}

describe("comments", () => {
  it("name files that exist", () => {
    const sources = packageSources();
    expect(
      missingFiles(
        sources,
        sources.map(({ path }) => path),
      ),
    ).toEqual([]);
  });

  it("would be caught naming a file that has moved", () => {
    const file = sourceFile(
      "packages/palimpsest/src/base/a.ts",
      "/** See `tokens/old.ts` and `my-file.ts`. */",
    );
    expect(missingFiles([file], ["packages/palimpsest/src/base/my-file.ts"])).toEqual([
      "packages/palimpsest/src/base/a.ts: tokens/old.ts",
    ]);
  });
});
