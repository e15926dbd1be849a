/** Names, comments, errors, texts of the CLI and documents use the words of STYLE.md. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  docOpeners,
  isOldName,
  oldNames,
  oldPhrases,
  oldPhrasesOfDocument,
  type WordHit,
} from "./plain-words.ts";
import { ROOT, sourceAt, sourceFile } from "./source.ts";

/** Of all doc comments, how many may open with a relative clause. */
const OPENERS_SHARE = 0.01;
const NOT_OURS = new Set(["node_modules", "dist", "coverage", ".git"]);
/** They list the words themselves. */
const LISTS = /(?:^|\/)(?:STYLE\.md|CHANGELOG\.md|plain-words(?:\.test)?\.ts)$/;

function pathsBelow(folder: string, pattern: RegExp): readonly string[] {
  return readdirSync(`${ROOT}${folder}`, { withFileTypes: true }).flatMap((item) => {
    const path = `${folder}${item.name}`;
    if (item.isDirectory()) return NOT_OURS.has(item.name) ? [] : pathsBelow(`${path}/`, pattern);
    return pattern.test(path) && !LISTS.test(path) ? [path] : [];
  });
}

const sources = pathsBelow("", /(?<!\.generated|\.d)\.(?:ts|mjs|js)$/).map(sourceAt);
const isTest = ({ path }: { readonly path: string }): boolean => /(?:^|\/)test\//.test(path);
const shown = (hits: readonly WordHit[]): readonly string[] =>
  hits.map(({ path, line, kind, found, excerpt }) => `${path}:${line}: [${kind}] ${found}: ${excerpt}`);

describe("plain words", () => {
  it("no identifier and no file name has a word of list (a)", () => {
    expect(shown(sources.flatMap(oldNames))).toEqual([]);
  });

  it("no comment, error or text of the CLI has a phrase of list (b)", () => {
    // Errors that tests make up are data.
    const isRead = (hit: WordHit): boolean =>
      hit.kind === "comment" || (!isTest(hit) && (hit.kind === "error" || hit.kind === "cli"));
    expect(shown(sources.flatMap(oldPhrases).filter(isRead))).toEqual([]);
  });

  it("no document has a phrase of list (b)", () => {
    const hits = pathsBelow("", /\.md$/).flatMap((path) =>
      oldPhrasesOfDocument(path, readFileSync(`${ROOT}${path}`, "utf8")),
    );
    expect(shown(hits)).toEqual([]);
  });

  it("hardly a doc comment opens with a relative clause", () => {
    const found = sources.map(docOpeners);
    const count = found.reduce((sum, one) => sum + one.count, 0);
    const hits = found.flatMap((one) => one.hits);
    expect(count).toBeGreaterThan(2000);
    expect(hits.length <= count * OPENERS_SHARE ? [] : shown(hits)).toEqual([]);
  });

  it.each([
    { name: "RoomKeeper", why: "a word of the list" },
    { name: "saidAtMs", why: "a word among others" },
    { name: "waterLevel", why: "two words that are one" },
    { name: "#told", why: "a private field" },
    { name: "memory-shelf.ts", why: "a file name" },
  ])("finds $name: $why", ({ name }) => {
    expect(isOldName(name)).toBe(true);
  });

  it.each([
    { name: "frontmatter", why: "another word that ends so" },
    { name: "isMendable", why: "a field of the reports of `doctor`" },
    { name: "roomy", why: "another word that begins so" },
    { name: "clearStale", why: "one half of a pair" },
  ])("leaves $name alone: $why", ({ name }) => {
    expect(isOldName(name)).toBe(false);
  });

  it.each([
    { text: "// Nobody reads it.", kinds: ["comment"], why: "a comment" },
    {
      text: "/** The place is told of\n * its own. */",
      kinds: ["comment", "comment"],
      why: "two phrases, one over the end of a line",
    },
    {
      text: 'throw new OptionError({ message: "It stands for a folder." });',
      kinds: ["error"],
      why: "an error",
    },
    { text: 'const nobody = "x";', kinds: [], why: "code is looked at by its names only" },
    { text: "// There is no file.", kinds: [], why: "that something is missing" },
  ])("finds the phrases of $why", ({ text, kinds }) => {
    expect(oldPhrases(sourceFile("src/base/a.ts", text)).map(({ kind }) => kind)).toEqual(kinds);
  });

  it.each([
    { text: "/** What it is for. */", count: 1, why: "a relative clause" },
    { text: "/** Returns what it is for. */", count: 0, why: "a verb" },
    { text: "// What it is for.", count: 0, why: "no doc comment" },
  ])("counts openers: $why", ({ text, count }) => {
    expect(docOpeners(sourceFile("src/base/a.ts", text)).hits).toHaveLength(count);
  });
});
