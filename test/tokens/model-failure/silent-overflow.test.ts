import { describe, expect, it } from "vitest";
import { findSilentOverflow } from "../../../src/tokens/silent-overflow.ts";

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
      size: { usage: usage(4_090, 50), windowTokens: 200_000, estimatedTokens: 30_000 },
      found: { promptTokens: 4_090, limitTokens: undefined },
    },
    {
      why: "an estimate that is a little high",
      size: { usage: usage(20_000, 50), windowTokens: 200_000, estimatedTokens: 30_000 },
      found: undefined,
    },
    {
      why: "an estimate too small to be held against",
      size: { usage: usage(300, 50), windowTokens: 200_000, estimatedTokens: 1_500 },
      found: undefined,
    },
    {
      why: "a provider that reports nothing",
      size: { usage: usage(0, 50), windowTokens: 200_000, estimatedTokens: 30_000 },
      found: undefined,
    },
  ])("$why", ({ size, found }) => {
    const failure = findSilentOverflow(size);
    expect(failure?.kind).toBe(found === undefined ? undefined : "prompt-too-long");
    expect(failure?.promptTokens).toBe(found?.promptTokens);
    expect(failure?.limitTokens).toBe(found?.limitTokens);
  });
});
