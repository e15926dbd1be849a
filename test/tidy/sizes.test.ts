/** Files, functions and folders that fit a screen, most of them; the rest may not grow. */
import { dirname } from "node:path/posix";
import { describe, expect, it } from "vitest";
import { beyond, EXCEPTIONS } from "./exceptions.ts";
import { namesExportedTwice } from "./exports.ts";
import {
  functionsOf,
  longExpressionCount,
  packageSources,
  type SourceFile,
  sourceFile,
  testSources,
} from "./source.ts";

const LARGEST_FILE_LINES = 400;
const USUAL_FILE_LINES = 250;
const USUAL_FUNCTION_LINES = 40;
const LARGEST_FOLDER_FILES = 20;
const SMALL_FILE_CODE_LINES = 40;
const LONGEST_EXPRESSION = 200;

/** Tables of data: long because the world is, and with long expressions. Nothing else belongs here. */
const TABLES: readonly string[] = [
  "packages/palimpsest/src/base/redaction/secret-contexts.ts",
  "packages/palimpsest/src/base/redaction/secret-families.ts",
  "packages/palimpsest/src/wire/errors/other-failure-rows.ts",
  "packages/palimpsest/src/wire/errors/too-long-rows.ts",
];

const isTable = (path: string): boolean => path.endsWith(".generated.ts") || TABLES.includes(path);
const lineCount = ({ text }: SourceFile): number => text.split("\n").length - 1;
const codeLineCount = ({ code }: SourceFile): number =>
  code.split("\n").filter((line) => line.trim() !== "").length;

function tooLong(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter((file) => !isTable(file.path) && lineCount(file) > LARGEST_FILE_LINES)
    .map((file) => `${file.path}: ${lineCount(file)} lines`);
}

/** The share of files with less code than an idea takes. */
function smallShare(files: readonly SourceFile[]): number {
  return files.filter((file) => codeLineCount(file) < SMALL_FILE_CODE_LINES).length / files.length;
}

/** The size that nine in ten stay within. */
function ninetieth(sizes: readonly number[]): number {
  const sorted = [...sizes].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * 0.9) - 1)] ?? 0;
}

const all = packageSources();
const sources = all.filter(({ path }) => !isTable(path) && !path.includes("/src/entries/"));

describe("sizes", () => {
  it("no file is longer than a reader's patience", () => {
    expect(tooLong([...sources, ...testSources()])).toEqual([]);
    expect(tooLong([sourceFile("packages/a/src/a.ts", "\n".repeat(401))])).toEqual([
      "packages/a/src/a.ts: 401 lines",
    ]);
  });

  it("nine files in ten are of a usual length", () => {
    expect(ninetieth(sources.map(lineCount))).toBeLessThanOrEqual(USUAL_FILE_LINES);
  });

  it("nine functions in ten fit on a screen", () => {
    const lengths = sources.flatMap((file) => functionsOf(file).map((found) => found.lines));
    expect(lengths.length).toBeGreaterThan(sources.length);
    expect(ninetieth(lengths)).toBeLessThanOrEqual(USUAL_FUNCTION_LINES);
  });

  it("the ninetieth of ten is the ninth", () => {
    expect(ninetieth([10, 9, 8, 7, 6, 5, 4, 3, 2, 1])).toBe(9);
  });

  it("few files hold less than an idea", () => {
    expect(smallShare(sources)).toBeLessThanOrEqual(EXCEPTIONS.smallFilesShare);
    expect(smallShare([39, 40].map((count) => sourceFile("a.ts", "a();\n".repeat(count))))).toBe(0.5);
  });

  it("a folder holds at most twenty files, or is listed and does not grow", () => {
    const counts = new Map<string, number>();
    for (const { path } of all) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    const large = [...counts].filter(([, count]) => count > LARGEST_FOLDER_FILES);
    expect(
      beyond(
        large.map(([folder]) => folder),
        Object.keys(EXCEPTIONS.folders),
      ),
    ).toEqual([]);
    const grown = large.filter(([folder, count]) => count > (EXCEPTIONS.folders[folder] ?? 0));
    expect(grown).toEqual([]);
  });
});

describe("regular expressions", () => {
  it("have at most 200 characters outside tables, or their file is listed and gets no more of them", () => {
    const counts = all
      .filter(({ path }) => !isTable(path))
      .map((file) => [file.path, longExpressionCount(file, LONGEST_EXPRESSION)] as const);
    const long = counts.filter(([, count]) => count > 0);
    expect(
      beyond(
        long.map(([path]) => path),
        Object.keys(EXCEPTIONS.longExpressions),
      ),
    ).toEqual([]);
    expect(long.filter(([path, count]) => count > (EXCEPTIONS.longExpressions[path] ?? 0))).toEqual([]);
    expect(TABLES.filter((path) => !all.some((file) => file.path === path))).toEqual([]);
    const made = [200, 201].map((length) =>
      sourceFile("a.ts", `const found = /${"a".repeat(length)}/u.test(b);`),
    );
    expect(made.map((file) => longExpressionCount(file, LONGEST_EXPRESSION))).toEqual([0, 1]);
  });
});

describe("names", () => {
  it("are exported by one file of a package, or are listed", () => {
    const twice = namesExportedTwice(sources);
    expect(beyond(twice, EXCEPTIONS.names)).toEqual([]);
    const twins = ["a", "b"].map((name) =>
      sourceFile(`packages/palimpsest/src/base/${name}.ts`, "export const size = 1;"),
    );
    expect(namesExportedTwice(twins)).toEqual(["palimpsest: size"]);
  });
});
