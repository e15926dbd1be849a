/** The table has the strings and numbers that a map of objects would have, in a third of the memory. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LiteralRecord, LiteralTable } from "#compaction/literals/literal-table.ts";
import { bySize } from "../../../../../test/helpers/size-of-run.ts";

const count = fc.nat({ max: 0xffff_ffff });
const record: fc.Arbitrary<LiteralRecord> = fc.record({
  kind: fc.constantFrom("identifier", "path", "quoted", "number", "url", "hash"),
  messageCount: count,
  lastSeq: count,
  lastAssistantSeq: count,
  assistantCount: count,
  userCount: count,
  lastUserSeq: count,
  isDefined: fc.boolean(),
});
/** Few letters, so that strings come again, begin alike and differ in their widths; halves of characters among them. */
const letter = fc.constantFrom("a", "b", "é", "ÿ", "Ā", "ш", "\ud83d", "\ude00", "\0");
const string = fc.array(letter, { maxLength: 6 }).map((letters) => letters.join(""));
const pairs = fc.array(fc.tuple(string, record), { maxLength: 400 });

function tableOf(entries: Iterable<readonly [string, LiteralRecord]>): LiteralTable {
  const table = new LiteralTable();
  for (const [text, facts] of entries) table.set(text, facts);
  return table;
}

const contentsOf = (table: LiteralTable) =>
  Array.from({ length: table.size }, (_, row) => [table.textAt(row), table.recordAt(row)] as const);

describe("the table of literals", () => {
  it("holds what a map would, also of some of its rows", () => {
    fc.assert(
      fc.property(pairs, fc.nat(), (given, picked) => {
        const map = new Map(given);
        const table = tableOf(map);
        expect(contentsOf(table)).toEqual([...map]);
        for (const [row, [text, { kind }]] of [...map].entries()) expect(table.put(text, kind)).toBe(row);
        expect(table.size).toBe(map.size);
        const isKept = (row: number): boolean => ((picked >> (row % 30)) & 1) === 1;
        const some = table.filter(isKept);
        const left = [...map].filter((_, row) => isKept(row));
        expect(contentsOf(some)).toEqual(left);
        for (const [row, [text, { kind }]] of left.entries()) expect(some.put(text, kind)).toBe(row);
      }),
      { numRuns: bySize({ usual: 75, long: 500 }) },
    );
  });

  it("compares strings as `<` does", () => {
    fc.assert(
      fc.property(string, string, (one, other) => {
        fc.pre(one !== other);
        const table = new LiteralTable();
        const rows = [table.put(one, "path"), table.put(other, "path")] as const;
        expect(table.compareTexts(...rows) < 0).toBe(one < other);
      }),
      { numRuns: bySize({ usual: 200, long: 2_000 }) },
    );
  });

  it("keeps of a string its letters and some forty bytes, and nothing of the text that it was cut out of", () => {
    const table = new LiteralTable();
    let characters = 0;
    for (let index = 0; index < 40_000; index++) {
      const text = `src/parser/some-file-${index}.ts`;
      characters += text.length;
      table.put(`${text} ${"in a long line ".repeat(40)}`.slice(0, text.length), "path");
    }
    expect(table.size).toBe(40_000);
    expect(table.bytes).toBeLessThan(1.3 * characters + 40_000 * 48);
  });

  it("finds strings that were chosen so that their places are one", () => {
    const table = new LiteralTable();
    const chosen = collidingStrings();
    const rows = chosen.map((text) => table.put(text, "identifier"));
    expect(chosen).toHaveLength(1_024);
    expect(rows).toEqual(chosen.map((_, index) => index));
    expect(chosen.map((text) => table.put(text, "identifier"))).toEqual(rows);
  });
});

/** Strings of equal hashes: ten parts, each of which has two forms that leave the hash in one state. */
function collidingStrings(): readonly string[] {
  let all = [""];
  let state = 0x811c9dc5;
  for (let part = 0; part < 10; part++) {
    const known = new Map<number, string>();
    for (let number = 0; ; number++) {
      const text = number.toString(36).padStart(4, "_");
      const hash = [...text].reduce((sum, sign) => Math.imul(sum ^ sign.charCodeAt(0), 0x01000193), state);
      const same = known.get(hash);
      known.set(hash, text);
      if (same === undefined || same.length !== text.length) continue;
      all = all.flatMap((before) => [before + same, before + text]);
      state = hash;
      break;
    }
  }
  return all;
}
