import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ageDays, relevanceScoreOf } from "#memory/recall/recall-plan.ts";
import { aMemory } from "#test/memory/consolidation/a-memory.ts";

const DAY = 86_400_000;
const NOW = 1_000 * DAY;

describe("what a memory is worth", () => {
  it.each([
    { memory: {}, uses: 0, relevanceScore: 1, why: "its file does not say how old it is" },
    {
      memory: { createdAtMs: NOW - 30 * DAY },
      uses: 0,
      relevanceScore: 0.5,
      why: "half after its half-life",
    },
    {
      memory: { createdAtMs: NOW - 60 * DAY, relevance: 2 },
      uses: 0,
      relevanceScore: 0.5,
      why: "what its file says counts",
    },
    {
      memory: { createdAtMs: NOW - 900 * DAY, updatedAtMs: NOW },
      uses: 0,
      relevanceScore: 1,
      why: "somebody stood by it just now",
    },
    {
      memory: { createdAtMs: NOW - 30 * DAY, updatedAtMs: NOW - 900 * DAY },
      uses: 0,
      relevanceScore: 0.5,
      why: "it was not last said before it was made",
    },
    {
      memory: { updatedAtMs: NOW - 900 * DAY },
      uses: 0,
      relevanceScore: 1,
      why: "nobody knows when it was made",
    },
    {
      memory: { createdAtMs: NOW - 900 * DAY, decays: false },
      uses: 0,
      relevanceScore: 1,
      why: "stable facts do not age",
    },
    {
      memory: { createdAtMs: NOW + 900 * DAY },
      uses: 0,
      relevanceScore: 1,
      why: "a clock that went back adds nothing",
    },
    { memory: {}, uses: 4, relevanceScore: 1.2, why: "what was of use is worth more" },
    { memory: {}, uses: 1_000, relevanceScore: 1.5, why: "but only so much" },
  ])("is $relevanceScore: $why", ({ memory, uses, relevanceScore }) => {
    expect(relevanceScoreOf(aMemory(memory), NOW, uses)).toBeCloseTo(relevanceScore, 10);
  });

  it("never grows by waiting", () => {
    const days = fc.nat({ max: 40_000 });
    fc.assert(
      fc.property(days, days, (one, more) => {
        const memory = aMemory({ createdAtMs: 0, updatedAtMs: 7 * DAY });
        expect(relevanceScoreOf(memory, (one + more) * DAY)).toBeLessThanOrEqual(
          relevanceScoreOf(memory, one * DAY),
        );
      }),
    );
  });
});

describe("the age of a memory", () => {
  it.each([
    { memory: {}, days: undefined, why: "no time is known" },
    { memory: { createdAtMs: NOW - 47 * DAY }, days: 47, why: "since it was made" },
    { memory: { createdAtMs: 0, updatedAtMs: NOW - 1.9 * DAY }, days: 1, why: "since it was last written" },
    { memory: { createdAtMs: NOW + DAY }, days: 0, why: "it is never negative" },
  ])("is $days days: $why", ({ memory, days }) => {
    expect(ageDays(aMemory(memory), NOW)).toBe(days);
  });
});
