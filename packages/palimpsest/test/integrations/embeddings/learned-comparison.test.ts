/** The learned comparison of the local model's vectors: what is added to a vector, and the weights. */
import { describe, expect, it } from "vitest";
import { LEARNED_COMPARISON } from "#integrations/embeddings/learned-comparison.generated.ts";
import {
  type LearnedComparison,
  readLearnedComparison,
  withLearnedHalf,
} from "#integrations/embeddings/learned-comparison.ts";

/** Numbers of a vector of the model, and of a map. */
const COUNT = 512;
const MAP_COUNT = 32 * COUNT;
const none = () => new Float32Array(MAP_COUNT);

/** A map that adds the first number of a vector to the second. */
function firstToSecond() {
  const [inner, outer] = [none(), none()];
  inner[0] = 1;
  outer[1] = 1;
  return [inner, outer] as const;
}

const comparison: LearnedComparison = {
  mean: new Float32Array(COUNT),
  message: firstToSecond(),
  memory: [none(), none()],
};
const rounded = (values: readonly number[]) => values.map((value) => Number(value.toFixed(2)));
const vectorOf = (...numbers: number[]) => [...numbers, ...Array<number>(COUNT - numbers.length).fill(0)];

describe("the learned half of a vector", () => {
  it("has one map for messages and another for memories, and each half has length one", () => {
    const message = withLearnedHalf(vectorOf(2), "message", comparison);
    expect(message.slice(0, 2)).toEqual([1, 0]);
    expect(rounded(message.slice(COUNT, COUNT + 2))).toEqual([0.71, 0.71]);
    expect(withLearnedHalf(vectorOf(2), "memory", comparison)).toEqual([...vectorOf(1), ...vectorOf(1)]);
  });

  it("leaves out what all texts have in common", () => {
    const mean = new Float32Array(COUNT);
    mean[0] = 1;
    const vector = withLearnedHalf(vectorOf(0, 1), "memory", { ...comparison, mean });
    expect(vector.slice(0, 2)).toEqual([0, 1]);
    expect(rounded(vector.slice(COUNT, COUNT + 2))).toEqual([-0.71, 0.71]);
  });

  it("is not made for a vector of another length, or for one of zeros", () => {
    expect(withLearnedHalf([1, 2, 3], "message", comparison)).toEqual([1, 2, 3]);
    expect(withLearnedHalf(vectorOf(), "message", comparison)).toEqual([...vectorOf(), ...vectorOf()]);
  });
});

describe("the weights", () => {
  it("are read to the last byte", () => {
    const { mean, message, memory } = readLearnedComparison(LEARNED_COMPARISON);
    expect(mean).toHaveLength(512);
    for (const part of [...message, ...memory]) expect(part).toHaveLength(16_384);
    expect(atob(LEARNED_COMPARISON)).toHaveLength(66_068);
    for (const part of [mean, ...message, ...memory]) {
      const most = part.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
      expect(most).toBeGreaterThan(0);
      expect(most).toBeLessThan(2);
    }
  });
});
