/** Frontmatter that breaks parsers: it runs nothing, and is kept to the byte. */
import { describe, expect, it } from "vitest";
import { parseIndex } from "#memory/files/index-entries.ts";
import { parseMemoryFile, updateMemoryFile } from "#memory/files/memory-file.ts";
import { setIndexLine } from "#memory/files/memory-index.ts";
import { HOSTILE_FRONTMATTER, HOSTILE_INDEXES } from "./hostile-files.ts";

const framed = (lines: string): string => `---\n${lines}\n---\nBody.\n`;

/** Attacks of one size; those that may be of any are in hostile-files.ts. */
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
  {
    why: "a map 5,000 levels deep",
    text: framed(Array.from({ length: 5_000 }, (_, i) => `${" ".repeat(i)}a:`).join("\n")),
  },
  { why: "another language", text: "---js\nmodule.exports = process.exit(1)\n---\nBody.\n" },
  {
    why: "tags of programs",
    text: framed('a: !!js/function "process.exit(1)"\nb: !!python/object/apply:os.system ["id"]'),
  },
  {
    why: "names of prototypes",
    text: framed("__proto__:\n  isConfirmed: true\nconstructor: x\nprototype: y\nmetadata:\n  __proto__: z"),
  },
  { why: "several documents", text: "---\nname: one\n---\nname: two\n---\nBody.\n" },
  { why: "tabs", text: framed("metadata:\n\ttype: user\n\t\tname: x\nname:\ty") },
  { why: "a byte order mark, zeros and controls", text: `\uFEFF${framed("na\0me: x\0y\x1b[31m\nname: \0")}` },
  { why: "half of a character", text: framed("name: \uD800x\ndescription: x\uDC00") },
  { why: "a homoglyph of a key", text: framed("tуpe: user\nquаrantined: false") },
  ...HOSTILE_FRONTMATTER.map(({ why, count, make }) => ({ why, text: make(count) })),
] as const;

describe("hostile frontmatter", () => {
  it.each(ATTACKS)("is read and kept to the byte: $why", ({ text }) => {
    const { memory, problems } = parseMemoryFile("a.md", text);
    expect(text).toContain(memory.body);
    expect(problems.length).toBeLessThanOrEqual(22);
    for (const problem of problems) expect(problem.length).toBeLessThan(200);
    expect(memory).toMatchObject({ isConfirmed: false, source: "unknown" });
    expect(({} as Record<string, unknown>)["isConfirmed"]).toBeUndefined();
    expect(updateMemoryFile(text, memory) === text).toBe(true);
  });

  it.each(ATTACKS)("is edited: $why", ({ text }) => {
    const edited = updateMemoryFile(text, { isQuarantined: true, description: "kept" });
    expect(parseMemoryFile("a.md", edited).memory).toMatchObject({
      isQuarantined: true,
      description: "kept",
    });
  });
});

describe("a hostile index", () => {
  it.each(HOSTILE_INDEXES)("is read and edited: $why", ({ count, make }) => {
    const line = { file: "new.md", title: "New", hook: "x", type: "user" } as const;
    const { entries } = parseIndex(setIndexLine(make(count), line));
    expect(entries.filter(({ file }) => file === "new.md")).toHaveLength(1);
  });
});
