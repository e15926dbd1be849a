/** Files of memory, and indexes of them, that break parsers; each may be of any length. */
interface HostileFile {
  readonly why: string;
  /** The size that is tested for what is read; that it takes linear time is shown with smaller ones. */
  readonly count: number;
  readonly make: (count: number) => string;
}

const framed = (lines: string): string => `---\n${lines}\n---\nBody.\n`;

export const HOSTILE_FRONTMATTER: readonly HostileFile[] = [
  {
    why: "merge keys",
    count: 20_000,
    make: (count) => framed(`base: &b {name: x}\n${"<<: *b\n".repeat(count)}name: y`),
  },
  {
    why: "a deep list",
    count: 100_000,
    make: (count) => framed(`a: ${"[".repeat(count)}${"]".repeat(count)}`),
  },
  { why: "a deep map on one line", count: 100_000, make: (count) => framed(`a: ${"{a: ".repeat(count)}`) },
  { why: "items begun on one line", count: 100_000, make: (count) => framed(`a:\n  ${"- ".repeat(count)}`) },
  { why: "one key again and again", count: 100_000, make: (count) => framed("name: x\n".repeat(count)) },
  { why: "a long key", count: 2_000_000, make: (count) => framed(`${"k".repeat(count)}: x`) },
  { why: "a long quoted key", count: 2_000_000, make: (count) => framed(`"${"k".repeat(count)}": x`) },
  { why: "a long value", count: 2_000_000, make: (count) => framed(`name: ${"v".repeat(count)}`) },
  { why: "double quotes", count: 50_000, make: (count) => framed(`name: ${'"'.repeat(count)}`) },
  { why: "single quotes", count: 50_001, make: (count) => framed(`name: ${"'".repeat(count)}`) },
  { why: "a key of quotes", count: 50_000, make: (count) => framed(`${'"'.repeat(count)}: x`) },
  { why: "a list of quotes", count: 50_001, make: (count) => framed(`name: [${'"'.repeat(count)}]`) },
  {
    why: "quotes opened on lines of their own",
    count: 50_000,
    make: (count) => framed('name: "\n'.repeat(count)),
  },
  { why: "escapes", count: 50_000, make: (count) => framed(`name: "${"\\u00e9".repeat(count)}`) },
  { why: "colons", count: 200_000, make: (count) => framed(":".repeat(count)) },
  { why: "white space without end", count: 300_000, make: (count) => framed(`name: |${" ".repeat(count)}x`) },
  { why: "brackets and white space", count: 300_000, make: (count) => framed(`name: [${" ".repeat(count)}`) },
  {
    why: "lines that belong to nothing",
    count: 100_000,
    make: (count) => framed(`a: "x"\n${"  y\n".repeat(count)}`),
  },
  { why: "remarks", count: 100_000, make: (count) => framed(`a:\n${"  # y\n".repeat(count)}`) },
  { why: "braces that expand", count: 20_000, make: (count) => framed(`name: ${"{a,b}".repeat(count)}`) },
  {
    why: "a block without an end",
    count: 100_000,
    make: (count) => `---\nname: |\n${"  x\n".repeat(count)}`,
  },
  { why: "fences", count: 100_000, make: (count) => "---\n".repeat(count) },
  { why: "a fence of blanks", count: 500_000, make: (count) => `---${" ".repeat(count)}x\nname: y\n---\n` },
];

export const HOSTILE_INDEXES: readonly HostileFile[] = [
  { why: "brackets", count: 100_000, make: (count) => `- ${"[".repeat(count)}` },
  {
    why: "brackets that close",
    count: 100_000,
    make: (count) => `- ${"[".repeat(count)}${"]".repeat(count)}(a.md)`,
  },
  { why: "a target without an end", count: 300_000, make: (count) => `- [a](${" ".repeat(count)}` },
  { why: "a target of white space", count: 300_000, make: (count) => `- [a](b.md${" ".repeat(count)}x)` },
  { why: "white space before a bullet", count: 300_000, make: (count) => `${" ".repeat(count)}x` },
  { why: "entries of one file", count: 10_000, make: (count) => "- [a](a.md)\n".repeat(count) },
  { why: "fences", count: 10_000, make: (count) => "```\n- [a](a.md)\n".repeat(count) },
  {
    why: "lines below one entry",
    count: 10_000,
    make: (count) => `- [a](a.md)\n${"  more\n".repeat(count)}`,
  },
  { why: "headings of a kind", count: 10_000, make: (count) => "## User\n".repeat(count) },
  { why: "wiki links", count: 100_000, make: (count) => `- [[${"a|".repeat(count)}` },
];
