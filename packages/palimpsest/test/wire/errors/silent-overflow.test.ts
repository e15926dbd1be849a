import { describe, expect, it } from "vitest";
import { findSilentOverflow, PromptCeiling } from "#wire/errors/silent-overflow.ts";

const usage = (inputTokens: number, outputTokens: number, cacheReadTokens = 0) => ({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens: 0,
});

describe("an overflow that no error tells", () => {
  it.each([
    { why: "within the window", size: { usage: usage(90, 5), windowTokens: 100 }, found: undefined },
    { why: "exactly the window", size: { usage: usage(100, 5), windowTokens: 100 }, found: undefined },
    {
      why: "above the window, most of it from the cache",
      size: { usage: usage(11, 5, 90), windowTokens: 100 },
      found: { promptTokens: 101, limitTokens: 100 },
    },
    {
      why: "the window filled, and no word",
      size: { usage: usage(99, 0), windowTokens: 100, stopReason: "output-limit" as const },
      found: { promptTokens: 99, limitTokens: 100 },
    },
    {
      why: "the window filled, and words",
      size: { usage: usage(99, 1), windowTokens: 100, stopReason: "output-limit" as const },
      found: undefined,
    },
    {
      why: "no word, because it was done",
      size: { usage: usage(99, 0), windowTokens: 100, stopReason: "end" as const },
      found: undefined,
    },
    {
      why: "a prompt that was cut",
      size: {
        usage: usage(4_090, 50),
        windowTokens: 200_000,
        estimatedTokens: 30_000,
        ceilingTokens: 4_090,
      },
      found: { promptTokens: 4_090, limitTokens: undefined },
    },
    {
      why: "a report far below the estimate, and nothing else",
      size: { usage: usage(4_090, 50), windowTokens: 200_000, estimatedTokens: 30_000 },
      found: undefined,
    },
    {
      why: "above the window, with an estimate near it",
      size: { usage: usage(210_000, 50), windowTokens: 200_000, estimatedTokens: 150_000 },
      found: { promptTokens: 210_000, limitTokens: 200_000 },
    },
    {
      why: "above the window, with an estimate far below: no prompt can be that large",
      size: { usage: usage(900_000, 50), windowTokens: 200_000, estimatedTokens: 30_000 },
      found: undefined,
    },
    {
      why: "above the window and no word, with an estimate far below",
      size: {
        usage: usage(900_000, 0),
        windowTokens: 200_000,
        estimatedTokens: 30_000,
        stopReason: "output-limit" as const,
      },
      found: undefined,
    },
    {
      why: "an estimate that is a little high",
      size: {
        usage: usage(20_000, 50),
        windowTokens: 200_000,
        estimatedTokens: 30_000,
        ceilingTokens: 4_000,
      },
      found: undefined,
    },
    {
      why: "an estimate too small to be held against",
      size: { usage: usage(300, 50), windowTokens: 200_000, estimatedTokens: 1_500, ceilingTokens: 4_000 },
      found: undefined,
    },
    {
      why: "a provider that reports nothing",
      size: { usage: usage(0, 50), windowTokens: 200_000, estimatedTokens: 30_000, ceilingTokens: 4_000 },
      found: undefined,
    },
  ])("$why", ({ size, found }) => {
    const failure = findSilentOverflow(size);
    expect(failure?.kind).toBe(found === undefined ? undefined : "prompt-too-long");
    expect(failure?.promptTokens).toBe(found?.promptTokens);
    expect(failure?.limitTokens).toBe(found?.limitTokens);
  });
});

describe("PromptCeiling", () => {
  /** Prompts that grow by 1,000 tokens a call, reported as given. */
  const ceilingOf = (reported: readonly number[]) => {
    const ceiling = new PromptCeiling();
    const found = reported.map((reportedTokens, index) =>
      ceiling.observe({ generation: 1, estimatedTokens: 1_000 * (index + 1), reportedTokens }),
    );
    return found.at(-1);
  };

  it.each([
    {
      why: "reports that grow",
      reported: [1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000],
      found: undefined,
    },
    {
      why: "a standstill after honest growth",
      reported: [1_000, 2_000, 3_000, 4_000, 4_090, 4_090, 4_000],
      found: 4_000,
    },
    { why: "two that stand still", reported: [1_000, 2_000, 3_000, 4_000, 4_090, 4_090], found: undefined },
    { why: "a figure that never grew", reported: [900, 900, 900, 900, 900, 900, 900], found: undefined },
    {
      why: "far below what was read before",
      reported: [1_000, 2_000, 3_000, 4_000, 900, 900, 900],
      found: undefined,
    },
    { why: "too little honest growth", reported: [1_000, 2_000, 2_000, 2_000, 2_000], found: undefined },
  ])("$why", ({ reported, found }) => {
    expect(ceilingOf(reported)).toBe(found);
  });

  it("begins anew where the window was rewritten", () => {
    const ceiling = new PromptCeiling();
    for (const [index, reportedTokens] of [1_000, 2_000, 3_000, 4_000, 4_000, 4_000].entries())
      ceiling.observe({ generation: 1, estimatedTokens: 1_000 * (index + 1), reportedTokens });
    expect(ceiling.observe({ generation: 2, estimatedTokens: 7_000, reportedTokens: 4_000 })).toBeUndefined();
  });
});
