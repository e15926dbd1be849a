import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arrivalPolicy } from "#compaction/planner/policies.ts";
import { scaleTokens } from "#compaction/shared/measure.ts";

describe("numbers for a window", () => {
  it.each([
    { windowTokens: 10_000_000, blockTokens: 12_000, why: "larger windows do not get larger limits" },
    { windowTokens: 200_000, blockTokens: 12_000, why: "the reference window" },
    { windowTokens: 180_000, blockTokens: 10_800, why: "in proportion" },
    { windowTokens: 32_000, blockTokens: 10_000, why: "the floor" },
    { windowTokens: 16_000, blockTokens: 5_000, why: "below the small window the floor shrinks, too" },
    { windowTokens: 1_000, blockTokens: 313, why: "even the smallest window has room for a block" },
  ])("limits a block to $blockTokens tokens at $windowTokens: $why", ({ windowTokens, blockTokens }) => {
    const limit = { tokens: 12_000, floor: 10_000 };
    expect(arrivalPolicy(windowTokens, {}, limit).blockTokens).toBe(blockTokens);
  });

  it.each([
    { windowTokens: 128_000, blockTokens: Number.POSITIVE_INFINITY },
    { windowTokens: 127_999, blockTokens: 10_000 },
  ])("by default limits no block from a window of 128,000 on: $windowTokens", ({
    windowTokens,
    blockTokens,
  }) => {
    expect(arrivalPolicy(windowTokens).blockTokens).toBe(blockTokens);
  });

  it("never shrinks when the window grows, and never leaps", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 10_000_000 }),
        fc.record({ tokens: fc.integer({ min: 100, max: 60_000 }), floor: fc.integer({ min: 1, max: 100 }) }),
        (windowTokens, number) => {
          const here = scaleTokens(number, windowTokens);
          const next = scaleTokens(number, windowTokens + 100);
          expect(next).toBeGreaterThanOrEqual(here);
          expect(next - here).toBeLessThanOrEqual(1 + (100 / 32_000) * number.tokens);
        },
      ),
    );
  });
});
