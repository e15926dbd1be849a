import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  closest,
  fuseFound,
  leastNear,
  packVector,
  similarity,
  spreadOf,
  unitVector,
  unpackVector,
} from "#memory/recall/vector-search.ts";

const unit = (values: readonly number[]) => unitVector(values)!;

describe("vectors of memories", () => {
  it.each([
    [],
    new Array<number>(70_000).fill(1),
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

  it("are found the closest first, as far as they are near enough and as many as are wanted", () => {
    const vectors = new Map([
      ["far", unit([0, 1])],
      ["near", unit([1, 0.2])],
      ["nearest", unit([1, 0])],
      ["behind", unit([1, 1])],
    ]);
    const found = (query: readonly number[], least: number, count = 10) =>
      closest(unit(query), vectors, { least, count }).map(({ id }) => id);
    expect(found([1, 0], 0.8)).toEqual(["nearest", "near"]);
    expect(found([1, 0], 0.5)).toEqual(["nearest", "near", "behind"]);
    expect(found([1, 0], 0.5, 1)).toEqual(["nearest"]);
    expect(found([-1, 0], 0.3)).toEqual([]);
  });

  it("are near by so many spreads above what is said every day, whatever a model's similarities mean", () => {
    const everyday = [unit([1, 0, 0]), unit([0.8, 0.6, 0])];
    const memories = [unit([0, 1, 0]), unit([0.6, 0.8, 0])];
    // Similarities of 0 and 0.6, 0.6 and 0.96: without their means by row and by column, 0.06 each.
    expect(spreadOf(memories, everyday)).toBeCloseTo(0.06, 6);
    // The query is at 0 and 0.6 to the everyday messages.
    const query = unit([0, 1, 0]);
    const least = (spread: number, count: number, spreads: number) =>
      leastNear(query, { everyday, spread, count }, spreads);
    // The closest of 10 by chance is 2.19 spreads away, of 1,000 3.72.
    expect(least(0.05, 10, 1)).toBeCloseTo(0.4095, 4);
    expect(least(0.05, 1_000, 1)).toBeCloseTo(0.4859, 4);
    // Halfway between 0.3 and the same text.
    expect(least(0.1, 1_000, 4)).toBeCloseTo(0.65, 6);
    // Nothing was measured.
    expect(leastNear(query, { everyday: [], spread: 0.1, count: 10 }, 4)).toBe(0.3);
    expect(least(0, 10, 4)).toBe(0.3);
  });

  it("come back from their packed form nearly as they were, and from nothing else", () => {
    const values = fc.array(fc.float({ min: -100, max: 100, noNaN: true }), { minLength: 1, maxLength: 64 });
    fc.assert(
      fc.property(values, (numbers) => {
        const vector = unitVector(numbers);
        if (vector === undefined) return;
        const back = unpackVector(packVector(vector))!;
        expect(back).toHaveLength(numbers.length);
        expect(similarity(vector, back)).toBeGreaterThan(0.999);
      }),
    );
    for (const packed of [undefined, 1, "", "not base64!", "abc"])
      expect(unpackVector(packed)).toBeUndefined();
  });
});

describe("both rankings", () => {
  const ids = (...found: Parameters<typeof fuseFound>) => fuseFound(...found).map(({ id }) => id);

  it("are fused by rank, and the words count as much as they match", () => {
    const near = ["m1", "m2"];
    expect(
      ids(
        [
          { id: "w1", score: 16 },
          { id: "m2", score: 9 },
        ],
        near,
      ),
    ).toEqual(["m2", "w1", "m1"]);
    expect(
      ids(
        [
          { id: "w1", score: 1 },
          { id: "w2", score: 0.9 },
        ],
        near,
      ),
    ).toEqual(["m1", "m2", "w1", "w2"]);
  });

  it("are one where the other has nothing", () => {
    expect(ids([], ["m1", "m2"])).toEqual(["m1", "m2"]);
    expect(ids([{ id: "w1", score: 2 }], [])).toEqual(["w1"]);
  });
});
