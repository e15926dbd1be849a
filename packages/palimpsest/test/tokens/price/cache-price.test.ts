import { describe, expect, it } from "vitest";
import {
  breakEvenCalls,
  isCacheWarm,
  rentPerCall,
  rewritePrice,
  summaryCallPrice,
  summaryPrice,
  usagePrice,
} from "#tokens/price/cache-price.ts";
import { TARIFFS } from "#tokens/price/tariff.ts";

const five = TARIFFS["anthropic-5m"];

describe("the price of a window", () => {
  it("is the reading price per call", () => {
    // 77,000 × 0.1
    expect(rentPerCall(77_000, five)).toBeCloseTo(7_700);
  });

  it.each([
    { name: "anthropic-5m", isWarm: true, price: 34_500, why: "30,000 × (1.25 − 0.1)" },
    { name: "anthropic-1h", isWarm: true, price: 57_000, why: "30,000 × (2 − 0.1)" },
    { name: "openai", isWarm: true, price: 27_000, why: "30,000 × (1 − 0.1)" },
    { name: "openai-50", isWarm: true, price: 15_000, why: "30,000 × (1 − 0.5)" },
    { name: "anthropic-5m", isWarm: false, price: 0, why: "all of it is written anyway" },
  ] as const)("of a rewrite is $price with $name: $why", ({ name, isWarm, price }) => {
    expect(rewritePrice({ suffixTokens: 30_000, isWarm }, TARIFFS[name])).toBeCloseTo(price);
  });

  it.each([
    { name: "anthropic-5m", freed: 1_000, suffix: 1_000, calls: 11.5 },
    { name: "anthropic-1h", freed: 1_000, suffix: 1_000, calls: 19 },
    { name: "openai", freed: 1_000, suffix: 1_000, calls: 9 },
    { name: "openai-50", freed: 1_000, suffix: 1_000, calls: 1 },
    { name: "anthropic-5m", freed: 60_000, suffix: 30_000, calls: 5.75 },
    { name: "anthropic-5m", freed: 60_000, suffix: 90_000, calls: 17.25 },
  ] as const)("breaks even after $calls calls with $name, $freed freed, $suffix behind", (one) => {
    const rewrite = { freedTokens: one.freed, suffixTokens: one.suffix, isWarm: true };
    expect(breakEvenCalls(rewrite, TARIFFS[one.name])).toBeCloseTo(one.calls);
    expect(breakEvenCalls({ ...rewrite, isWarm: false }, TARIFFS[one.name])).toBe(0);
  });

  it("never breaks even where nothing is freed, or where reading is free", () => {
    const rewrite = { freedTokens: 0, suffixTokens: 10, isWarm: true };
    expect(breakEvenCalls(rewrite, five)).toBe(Number.POSITIVE_INFINITY);
    expect(breakEvenCalls({ ...rewrite, freedTokens: 5 }, { ...five, read: 0 })).toBe(
      Number.POSITIVE_INFINITY,
    );
  });
});

describe("the price of a summary", () => {
  const call = { promptTokens: 100_000, summaryTokens: 3_000 };

  it("is that of the call: its prompt read, or paid in full, and its answer", () => {
    // 100,000 × 0.1 + 3,000 × 5
    expect(summaryCallPrice({ ...call, isForked: true }, five)).toBeCloseTo(25_000);
    // 100,000 × 1 + 3,000 × 5
    expect(summaryCallPrice({ ...call, isForked: false }, five)).toBeCloseTo(115_000);
  });

  it("and of writing what is left to the cache", () => {
    // 25,000 + (3,000 + 20,000) × 1.25
    expect(summaryPrice({ ...call, keptTokens: 20_000, isForked: true }, five)).toBeCloseTo(53_750);
    // 115,000 + 28,750
    expect(summaryPrice({ ...call, keptTokens: 20_000, isForked: false }, five)).toBeCloseTo(143_750);
  });
});

describe("isCacheWarm", () => {
  it.each([
    { idleMs: 0, cachedTokens: 50_000, isWarm: true, why: "just now" },
    { idleMs: -5, cachedTokens: 50_000, isWarm: true, why: "a clock that was set back" },
    { idleMs: 300_000, cachedTokens: 50_000, isWarm: true, why: "at exactly its lifetime" },
    { idleMs: 300_001, cachedTokens: 50_000, isWarm: false, why: "it has expired" },
    { idleMs: undefined, cachedTokens: 50_000, isWarm: false, why: "nothing was sent yet" },
    { idleMs: 0, cachedTokens: 1_023, isWarm: false, why: "too small to be cached" },
    { idleMs: 0, cachedTokens: 1_024, isWarm: true, why: "just large enough" },
  ])("is $isWarm: $why", ({ idleMs, cachedTokens, isWarm }) => {
    expect(isCacheWarm({ idleMs, cachedTokens }, five)).toBe(isWarm);
  });
});

describe("usagePrice", () => {
  it("adds up what was billed", () => {
    const usage = {
      inputTokens: 100,
      cacheReadTokens: 90_000,
      cacheWriteTokens: 2_000,
      outputTokens: 400,
    };
    // 100 + 9,000 + 2,500 + 2,000
    expect(usagePrice(usage, five)).toBeCloseTo(13_600);
  });
});
