/** Files and functions that fit a screen, most of them; the rest may not grow. */
import { describe, expect, it } from "vitest";
import { filesBelow, functionsOf, type SourceFile, sourceFile } from "./source.ts";

const LARGEST_FILE_LINES = 400;
const USUAL_FILE_LINES = 250;
const USUAL_FUNCTION_LINES = 40;

/** Tables of data: long because the world is. Nothing else belongs here. */
const TABLES: readonly string[] = [];

const isTable = (path: string): boolean => path.endsWith(".generated.ts") || TABLES.includes(path);
const lineCount = ({ text }: SourceFile): number => text.split("\n").length - 1;

function tooLong(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter((file) => !isTable(file.path) && lineCount(file) > LARGEST_FILE_LINES)
    .map((file) => `${file.path}: ${lineCount(file)} lines`);
}

/** The size that nine in ten stay within. */
function ninetieth(sizes: readonly number[]): number {
  const sorted = [...sizes].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * 0.9) - 1)] ?? 0;
}

const sources = filesBelow("src", ".ts").filter(({ path }) => !isTable(path));

describe("sizes", () => {
  it("no file is longer than a reader's patience", () => {
    expect(tooLong([...sources, ...filesBelow("test", ".ts")])).toEqual([]);
    expect(tooLong([sourceFile("src/base/a.ts", "\n".repeat(401))])).toEqual(["src/base/a.ts: 401 lines"]);
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
});
