/** Places of entries: what a map would say, in a part of its memory. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { EntryPositions } from "#session/history/message-reader.ts";

it("Places are those of a map, for numbers in any order and with gaps", () => {
  const seqs = fc.integer({ min: 1, max: 1_000 });
  const places = fc.array(
    fc.tuple(
      seqs,
      fc.nat({ max: 2 ** 31 - 1 }).map((one) => one * 1_000),
    ),
  );
  fc.assert(
    fc.property(places, (some) => {
      const positions = new EntryPositions();
      const expected = new Map(some);
      for (const [seq, position] of some) positions.set(seq, position);
      const seqs = Array.from({ length: 1_002 }, (_, seq) => seq);
      const wrong = seqs.filter(
        (seq) => positions.get(seq) !== expected.get(seq) || positions.has(seq) !== expected.has(seq),
      );
      expect(wrong).toEqual([]);
    }),
  );
});

it("A number far beyond the others costs a page, and not what lies between", () => {
  const positions = new EntryPositions();
  positions.set(Number.MAX_SAFE_INTEGER - 1, 7);
  expect(positions.get(Number.MAX_SAFE_INTEGER - 1)).toBe(7);
  expect(positions.get(1)).toBeUndefined();
});
