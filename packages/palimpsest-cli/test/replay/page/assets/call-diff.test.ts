/** Blocks that the panel shows as added, changed and removed from one call to the next. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

interface Row {
  readonly piece: number;
  readonly change: "same" | "new" | "reshaped" | "gone";
  readonly was?: number;
}

const script = "../../../../src/replay/page/assets/call-diff.js";
const { diffWindows } = (await import(script)) as {
  readonly diffWindows: (
    before: readonly number[],
    now: readonly number[],
    placeOf: (piece: number) => string,
  ) => readonly Row[];
};

/** Pieces of a hundred and more are other forms of the block with the same last digits. */
const placeOf = (piece: number): string => String(piece % 100);
const words = (rows: readonly Row[]): string =>
  rows
    .map(
      ({ piece, change, was }) =>
        `${{ same: "", new: "+", reshaped: "~", gone: "-" }[change]}${piece}${was === undefined ? "" : `(${was})`}`,
    )
    .join(" ");

describe("the difference of two requests", () => {
  it.each([
    { before: [1, 2], now: [1, 2, 3], rows: "1 2 +3", why: "something was said" },
    { before: [1, 2, 3], now: [1, 102, 3], rows: "1 ~102(2) 3", why: "a result was cleared" },
    { before: [1, 2, 3, 4], now: [9, 4, 5], rows: "+9 -1 -2 -3 4 +5", why: "a compaction with a kept tail" },
    {
      before: [1, 2, 3],
      now: [1, 3],
      rows: "1 -2 3",
      why: "a block is no longer shown, and its former place says so",
    },
    { before: [1, 2], now: [9], rows: "+9 -1 -2", why: "nothing is left" },
    { before: [], now: [1], rows: "+1", why: "the first call" },
    { before: [1, 2, 3], now: [2, 1, 3], rows: "2 1 3", why: "a result moved to its call" },
    { before: [1], now: [1, 1], rows: "1 1", why: "a block that stands there twice" },
  ])("$why", ({ before, now, rows }) => {
    expect(words(diffWindows(before, now, placeOf))).toBe(rows);
  });

  it("shows the request whole and in its order, and everything that left it once", () => {
    const window = fc.uniqueArray(fc.nat({ max: 199 }), { maxLength: 40, selector: placeOf });
    fc.assert(
      fc.property(window, window, (before, now) => {
        const rows = diffWindows(before, now, placeOf);
        const isGone = ({ change }: Row): boolean => change === "gone";
        expect(rows.filter((row) => !isGone(row)).map(({ piece }) => piece)).toEqual(now);
        const places = new Set(now.map(placeOf));
        const left = before.filter((piece) => !places.has(placeOf(piece)));
        const reported = rows.filter(isGone).map(({ piece }) => piece);
        expect(reported.toSorted((one, other) => one - other)).toEqual(
          left.toSorted((one, other) => one - other),
        );
      }),
    );
  });
});
