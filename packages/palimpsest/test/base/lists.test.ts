/** Lists that are longer than a list of arguments may be. */
import { describe, expect, it } from "vitest";
import { addAll, firstIndex, insertAll, maxOf, minOf } from "#base/lists.ts";

const MANY = Array.from({ length: 200_000 }, (_, index) => index);

describe("lists", () => {
  it("of 200,000 values are appended, as a call with so many arguments cannot", () => {
    const list = [-1];
    expect(() => list.push(...MANY)).toThrow(RangeError);
    addAll(list, MANY);
    expect([list.length, list[0], list.at(-1)]).toEqual([200_001, -1, 199_999]);
  });

  it("of 200,000 values are put in between", () => {
    const list = [-2, -1, 200_000];
    insertAll(list, 2, MANY);
    expect([list.length, ...list.slice(0, 3), ...list.slice(-2)]).toEqual([
      200_003, -2, -1, 0, 199_999, 200_000,
    ]);
    insertAll(list, 1, []);
    expect(list).toHaveLength(200_003);
  });

  it.each([
    { numbers: MANY, ends: [0, 199_999] },
    { numbers: [3, -1, 2], ends: [-1, 3] },
    { numbers: [], ends: [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY] },
    { numbers: [1, Number.NaN], ends: [Number.NaN, Number.NaN] },
  ])("have a smallest and a largest number, as of Math: $ends", ({ numbers, ends }) => {
    expect([minOf(numbers), maxOf(numbers)]).toEqual(ends);
  });

  it("are bisected: the first place from which on something holds", () => {
    for (let count = 0; count < 9; count++)
      for (let first = 0; first <= count; first++)
        expect(
          firstIndex(count, (index) => index >= first),
          `${first} of ${count}`,
        ).toBe(first);
  });
});
