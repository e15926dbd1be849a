/** Strings of a summary that stand nowhere in the log are marked, each once, and never in code. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findLiterals } from "#compaction/literals/literals.ts";
import { findVerified, markUnverified } from "#compaction/summary/unverified.ts";

const mark = (text: string, ...known: readonly string[]): string =>
  markUnverified(text, (literal) => known.includes(literal));

describe("a mark", () => {
  it.each([
    { text: "It is in src/parse.ts.", marked: "It is in src/parse.ts [unverified].", why: "behind a path" },
    {
      text: "See `src/parse.ts` there.",
      marked: "See `src/parse.ts` [unverified] there.",
      why: "behind quotes",
    },
    {
      text: "Run `npm run parse_all --x` now.",
      marked: "Run `npm run parse_all --x` [unverified] now.",
      why: "behind code",
    },
    { text: "**parse_all** does it", marked: "**parse_all** [unverified] does it", why: "behind bold" },
    { text: "parse_all, then parse_all", marked: "parse_all [unverified], then parse_all", why: "once" },
    {
      text: "my_parse_all or parse_all",
      marked: "my_parse_all or parse_all [unverified]",
      known: ["my_parse_all"],
      why: "at the string itself",
    },
    {
      text: "parse_all [unverified] it is",
      marked: "parse_all [unverified] it is",
      why: "where none stands yet",
    },
    { text: "It took 12 of 999 steps.", marked: "It took 12 of 999 steps.", why: "not behind short numbers" },
    { text: "Port 54321 is open", marked: "Port 54321 [unverified] is open", why: "behind long numbers" },
    { text: "It works now.", marked: "It works now.", why: "not behind prose" },
    { text: "Ask in `parse_all", marked: "Ask in `parse_all [unverified]", why: "in code that never ends" },
  ])("stands $why", ({
    text,
    marked,
    known = [],
  }: {
    text: string;
    marked: string;
    known?: readonly string[];
  }) => {
    expect(mark(text, ...known)).toBe(marked);
  });

  it("never stands in fenced code: what is only there is listed at the end", () => {
    const code = "```ts\nexport const limit_a = read_b();\n```";
    expect(mark(`limit_a is set:\n${code}`)).toBe(
      `limit_a [unverified] is set:\n${code}\n\nNot found in the log [unverified]: \`read_b\``,
    );
  });

  it("stands behind sixty strings at the most", () => {
    const text = Array.from({ length: 90 }, (_, index) => `name_${index}_x`).join(" and ");
    expect(mark(text).match(/\[unverified\]/g)).toHaveLength(60);
  });

  it("of strings beyond those is counted, and none of the text is taken for true later", () => {
    const text = Array.from({ length: 90 }, (_, index) => `name_${index}_x`).join(" and ");
    const marked = mark(text);
    expect(marked.endsWith("\n\n30 more strings of this summary were not found in the log.")).toBe(true);
    expect(findVerified(marked).size).toBe(0);
  });

  it.each([
    { text: 'He said "stop it"* and then *"go on".', marked: 2, why: "the two quotations" },
    { text: 'It has key="some value" in it.', marked: 1, why: "a value" },
  ])("stands behind $why, and not behind what is between two quotations", ({ text, marked }) => {
    expect(markUnverified(text, () => false).match(/\[unverified\]/g)).toHaveLength(marked);
  });

  it("is nowhere where the log knows everything", () => {
    const text = "src/a.ts and `b_c`";
    expect(markUnverified(text, () => true)).toBe(text);
  });
});

it("what was marked is known as such when the summary is read again", () => {
  const text = "src/real.ts calls `made_up` on port 54321.\n```\nonly_here()\n```";
  const marked = mark(text, "src/real.ts", "real.ts");
  expect([...findVerified(marked)].filter((literal) => findLiterals(text).includes(literal))).toEqual([
    "src/real.ts",
    "real.ts",
  ]);
  expect(markUnverified(marked, (literal) => findVerified(marked).has(literal))).toBe(marked);
});

describe("of any text", () => {
  const piece = fc.constantFrom(
    ...[
      "src/a.ts",
      "b_c",
      "`d_e`",
      "54321",
      "words",
      "\n",
      " ",
      "```\n",
      "[unverified]",
      "**f_g**",
      "'h_i'",
      "(",
      "a.ts",
    ],
  );
  const texts = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(" "));

  it("marking only adds, and does not change what was written", () => {
    fc.assert(
      fc.property(texts, fc.func(fc.boolean()), (text, isInLog) => {
        const marked = markUnverified(text, isInLog);
        const bare = marked.replaceAll(" [unverified]", "");
        const added = bare.slice(text.replaceAll(" [unverified]", "").length);
        expect(bare.startsWith(text.replaceAll(" [unverified]", ""))).toBe(true);
        expect(added).toMatch(/^(?:(?:\n```)?\n\nNot found in the log: .+)?$/);
      }),
    );
  });

  it("a second marking adds nothing", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const isInLog = (literal: string): boolean => literal.length % 2 === 0;
        const once = markUnverified(text, isInLog);
        const twice = markUnverified(once, isInLog);
        expect(twice.match(/\[unverified\]/g)?.length).toBe(once.match(/\[unverified\]/g)?.length);
      }),
    );
  });
});

describe("of a hostile summary", () => {
  const names = (count: number, between: string): string =>
    Array.from({ length: count }, (_, index) => `name_${index}_x`).join(between);

  it("no more than sixty marks are added, however many strings are unknown", () => {
    const text = names(20_000, " ");
    expect(markUnverified(text, () => false).length - text.length).toBeLessThan(60 * 13 + 80);
  });
});
