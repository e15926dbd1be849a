import fc from "fast-check";
import { expect, it } from "vitest";
import { finish } from "#base/steps.ts";
import { LiteralTable } from "#compaction/literals/literal-table.ts";
import { readLiteralsInSteps, writeLiteralsInSteps } from "#compaction/literals/saved-literals.ts";

const KINDS = ["identifier", "path", "quoted", "number", "url", "hash"] as const;
const text = fc.string({
  unit: fc.constantFrom("a", "Z", "4", "/", "é", "ж", "字", "\ud800"),
  maxLength: 12,
});
const count = fc.nat(4_000_000_000);

const row = fc.record({
  text,
  kind: fc.constantFrom(...KINDS),
  messageCount: count,
  lastSeq: count,
  lastAssistantSeq: count,
  assistantCount: count,
  userCount: count,
  lastUserSeq: count,
  isDefined: fc.boolean(),
});

it("the strings of a ledger are the same when they are read again, and so are those added then", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(row, { selector: (one) => one.text, maxLength: 200 }),
      fc.nat(200),
      (rows, cut) => {
        const table = new LiteralTable();
        for (const { text: literal, ...record } of rows) table.set(literal, record);
        const kept = rows
          .map((_, index) => index)
          .slice(0, cut)
          .toReversed();
        const read = finish(readLiteralsInSteps(finish(writeLiteralsInSteps(table, kept))))!;
        expect(read.size).toBe(kept.length);
        for (const [index, from] of kept.entries()) {
          const { text: literal, ...record } = rows[from]!;
          expect([read.textAt(index), read.recordAt(index)]).toEqual([literal, record]);
          expect(read.put(literal, "hash")).toBe(index);
        }
        const others = rows.slice(cut);
        for (const { text: literal, kind } of others) read.put(literal, kind);
        expect(read.size).toBe(rows.length);
        for (const [index, { text: literal }] of others.entries())
          expect(read.textAt(kept.length + index)).toBe(literal);
      },
    ),
  );
});

it("bytes that are damaged are no strings, and take no memory", () => {
  const table = new LiteralTable();
  for (let index = 0; index < 300; index++)
    table.put(`name_${index}${index % 3 === 0 ? "ж" : ""}`, "identifier");
  const bytes = finish(writeLiteralsInSteps(table, [...Array(300).keys()]));
  const read = (some: Uint8Array): LiteralTable | undefined => finish(readLiteralsInSteps(some));
  expect(read(bytes)?.size).toBe(300);
  for (const length of [1, 5, 100, bytes.length - 1]) expect(read(bytes.slice(0, length))).toBeUndefined();
  expect(read(Uint8Array.from([255, 255, 255, 255, 15, ...bytes.slice(2)]))).toBeUndefined();
  expect(read(bytes.map((byte, at) => (at > 100 && at < 2_400 ? 255 : byte)))).toBeUndefined();
});
