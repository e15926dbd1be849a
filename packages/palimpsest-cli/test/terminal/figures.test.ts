/** Numbers as people read them. */
import { describe, expect, it } from "vitest";
import {
  formatBytes,
  formatCount,
  formatMs,
  formatQuantity,
  formatShare,
  formatTokens,
  formatUsd,
  quantile,
} from "#terminal/figures.ts";

describe("figures", () => {
  it.each([
    [0, "0"],
    [999, "999"],
    [1_000, "1K"],
    [9_994, "9.99K"],
    [9_996, "10K"],
    [53_440, "53.4K"],
    [99_960, "100K"],
    [412_345, "412K"],
    [999_499, "999K"],
    [999_950, "1M"],
    [1_234_567, "1.23M"],
  ])("writes %i tokens as %s", (tokens, text) => {
    expect(formatTokens(tokens)).toBe(text);
  });

  it.each([
    [formatCount(1_234_567), "1,234,567"],
    [formatCount(999), "999"],
    [formatQuantity(1, "call"), "1 call"],
    [formatQuantity(1_204, "call"), "1,204 calls"],
    [formatUsd(0), "$0.00"],
    [formatUsd(0.0012), "<$0.01"],
    [formatUsd(0.0049), "<$0.01"],
    [formatUsd(0.0051), "$0.01"],
    [formatUsd(1.236), "$1.24"],
    [formatUsd(0.00002, { digits: 4 }), "<$0.0001"],
    [formatUsd(1.236, { isAtLeast: true }), "at least $1.24"],
    [formatUsd(0.0012, { isAtLeast: true }), "more than $0"],
    [formatUsd(0, { isAtLeast: true }), "at least $0.00"],
    [formatBytes(999), "999 B"],
    [formatBytes(42_800), "42.8 KB"],
    [formatBytes(4_150_000), "4.15 MB"],
    [formatMs(0.312), "0.31 ms"],
    [formatMs(47.4), "47 ms"],
    [formatMs(8_240), "8.2 s"],
    [formatShare(0.009), "0.9 %"],
    [formatShare(0.5), "50 %"],
  ])("writes %s", (written, text) => {
    expect(written).toBe(text);
  });

  it("takes quantiles by nearest rank, in any order, and 0 of nothing", () => {
    expect(quantile([5, 1, 4, 2, 3], 0.5)).toBe(3);
    expect(quantile([5, 1, 4, 2, 3], 0.99)).toBe(5);
    expect(quantile([7], 0)).toBe(7);
    expect(quantile([], 0.5)).toBe(0);
  });
});
