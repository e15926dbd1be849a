/** Frontmatter that breaks parsers: it is read in time, runs nothing, and is kept to the byte. */
import { describe, expect, it } from "vitest";
import { parseIndex } from "#memory/files/index-entries.ts";
import { parseMemoryFile, updateMemoryFile } from "#memory/files/memory-file.ts";
import { setIndexLine } from "#memory/files/memory-index.ts";
import { fastestMs } from "../../../../../test/helpers/growth.ts";

const framed = (lines: string): string => `---\n${lines}\n---\nBody.\n`;
const LIMIT_MS = 50;

const ATTACKS = [
  {
    why: "an alias bomb",
    text: framed(
      [
        "a0: &a0 x",
        ...Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}*a${i}]`),
      ].join("\n"),
    ),
  },
  { why: "merge keys", text: framed(`base: &b {name: x}\n${"<<: *b\n".repeat(20_000)}name: y`) },
  {
    why: "a map 5,000 levels deep",
    text: framed(Array.from({ length: 5_000 }, (_, i) => `${" ".repeat(i)}a:`).join("\n")),
  },
  { why: "a list 100,000 levels deep", text: framed(`a: ${"[".repeat(100_000)}${"]".repeat(100_000)}`) },
  { why: "a map on one line, 100,000 levels deep", text: framed(`a: ${"{a: ".repeat(100_000)}`) },
  { why: "100,000 items begun on one line", text: framed(`a:\n  ${"- ".repeat(100_000)}`) },
  { why: "another language", text: "---js\nmodule.exports = process.exit(1)\n---\nBody.\n" },
  {
    why: "tags of programs",
    text: framed('a: !!js/function "process.exit(1)"\nb: !!python/object/apply:os.system ["id"]'),
  },
  {
    why: "names of prototypes",
    text: framed("__proto__:\n  isConfirmed: true\nconstructor: x\nprototype: y\nmetadata:\n  __proto__: z"),
  },
  { why: "one key 100,000 times", text: framed("name: x\n".repeat(100_000)) },
  { why: "a key of 2 MB", text: framed(`${"k".repeat(2_000_000)}: x`) },
  { why: "a quoted key of 2 MB", text: framed(`"${"k".repeat(2_000_000)}": x`) },
  { why: "a value of 2 MB", text: framed(`name: ${"v".repeat(2_000_000)}`) },
  { why: "50,000 double quotes", text: framed(`name: ${'"'.repeat(50_000)}`) },
  { why: "50,001 single quotes", text: framed(`name: ${"'".repeat(50_001)}`) },
  { why: "a key of 50,000 quotes", text: framed(`${'"'.repeat(50_000)}: x`) },
  { why: "a list of 50,000 quotes", text: framed(`name: [${'"'.repeat(50_001)}]`) },
  { why: "50,000 quotes that are opened on lines of their own", text: framed('name: "\n'.repeat(50_000)) },
  { why: "50,000 escapes", text: framed(`name: "${"\\u00e9".repeat(50_000)}`) },
  { why: "200,000 colons", text: framed(":".repeat(200_000)) },
  { why: "white space without end", text: framed(`name: |${" ".repeat(300_000)}x`) },
  { why: "brackets and white space", text: framed(`name: [${" ".repeat(300_000)}`) },
  { why: "100,000 lines that belong to nothing", text: framed(`a: "x"\n${"  y\n".repeat(100_000)}`) },
  { why: "100,000 remarks", text: framed(`a:\n${"  # y\n".repeat(100_000)}`) },
  { why: "several documents", text: "---\nname: one\n---\nname: two\n---\nBody.\n" },
  { why: "braces that expand", text: framed(`name: ${"{a,b}".repeat(20_000)}`) },
  { why: "tabs", text: framed("metadata:\n\ttype: user\n\t\tname: x\nname:\ty") },
  { why: "a byte order mark, zeros and controls", text: `\uFEFF${framed("na\0me: x\0y\x1b[31m\nname: \0")}` },
  { why: "half of a character", text: framed("name: \uD800x\ndescription: x\uDC00") },
  { why: "a block without an end", text: `---\nname: |\n${"  x\n".repeat(100_000)}` },
  { why: "100,000 fences", text: "---\n".repeat(100_000) },
  { why: "a fence of 500,000 blanks", text: `---${" ".repeat(500_000)}x\nname: y\n---\n` },
  { why: "a homoglyph of a key", text: framed("tуpe: user\nquаrantined: false") },
] as const;

describe("hostile frontmatter", () => {
  it.each(ATTACKS)("is read within its time and kept to the byte: $why", ({ text }) => {
    const { memory, problems } = parseMemoryFile("a.md", text);
    expect(text).toContain(memory.body);
    expect(problems.length).toBeLessThanOrEqual(22);
    for (const problem of problems) expect(problem.length).toBeLessThan(200);
    expect(memory).toMatchObject({ isConfirmed: false, source: "unknown" });
    expect(({} as Record<string, unknown>)["isConfirmed"]).toBeUndefined();
    expect(updateMemoryFile(text, memory) === text).toBe(true);
    expect(fastestMs(() => parseMemoryFile("a.md", text), LIMIT_MS)).toBeLessThan(LIMIT_MS);
  });

  it.each(ATTACKS)("is edited within its time: $why", ({ text }) => {
    const edited = updateMemoryFile(text, { isQuarantined: true, description: "kept" });
    expect(parseMemoryFile("a.md", edited).memory).toMatchObject({
      isQuarantined: true,
      description: "kept",
    });
    expect(fastestMs(() => updateMemoryFile(text, { isQuarantined: true }), 2 * LIMIT_MS)).toBeLessThan(
      2 * LIMIT_MS,
    );
  });
});

describe("a hostile index", () => {
  it.each([
    { why: "100,000 brackets", text: `- ${"[".repeat(100_000)}` },
    { why: "brackets that close", text: `- ${"[".repeat(100_000)}${"]".repeat(100_000)}(a.md)` },
    { why: "a target without an end", text: `- [a](${" ".repeat(300_000)}` },
    { why: "a target of white space", text: `- [a](b.md${" ".repeat(300_000)}x)` },
    { why: "white space before a bullet", text: `${" ".repeat(300_000)}x` },
    { why: "10,000 entries of one file", text: "- [a](a.md)\n".repeat(10_000) },
    { why: "10,000 fences", text: "```\n- [a](a.md)\n".repeat(10_000) },
    { why: "10,000 lines below one entry", text: `- [a](a.md)\n${"  more\n".repeat(10_000)}` },
    { why: "10,000 headings of a kind", text: "## User\n".repeat(10_000) },
    { why: "wiki links", text: `- [[${"a|".repeat(100_000)}` },
  ])("is read and edited within its time: $why", ({ text }) => {
    const work = () =>
      parseIndex(setIndexLine(text, { file: "new.md", title: "New", hook: "x", type: "user" }));
    expect(work().entries.filter(({ file }) => file === "new.md")).toHaveLength(1);
    expect(fastestMs(work, 10 * LIMIT_MS)).toBeLessThan(10 * LIMIT_MS);
  });
});
