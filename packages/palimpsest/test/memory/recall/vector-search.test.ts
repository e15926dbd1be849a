import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { closest, similarity, unitVector } from "#memory/recall/vector-search.ts";

const unit = (values: readonly number[]) => unitVector(values)!;

describe("vectors of memories", () => {
  it.each([
    [],
    [0, 0],
    [Number.NaN, 1],
    [Number.POSITIVE_INFINITY],
    "text",
    null,
    { 0: 1 },
  ])("are not %j", (values) => {
    expect(unitVector(values)).toBeUndefined();
  });

  it("are of length one, and as close to themselves as can be", () => {
    const values = fc.array(fc.float({ min: -100, max: 100, noNaN: true }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(values, (numbers) => {
        const vector = unitVector(numbers);
        if (vector !== undefined) expect(similarity(vector, vector)).toBeCloseTo(1, 4);
      }),
    );
  });

  it("are far from those of another length", () => {
    expect(similarity(unit([1, 0]), unit([1, 0, 0]))).toBe(0);
  });

  it("count as long as they are within reach of the closest one", () => {
    const vectors = new Map([
      ["far", unit([0, 1])],
      ["near", unit([1, 0.2])],
      ["nearest", unit([1, 0])],
      ["behind", unit([1, 1])],
    ]);
    expect(closest(unit([1, 0]), vectors)).toEqual(["nearest", "near"]);
    expect(closest(unit([-1, 0]), vectors)).toEqual([]);
    expect(closest(unit([1, 0]), new Map())).toEqual([]);
  });
});
