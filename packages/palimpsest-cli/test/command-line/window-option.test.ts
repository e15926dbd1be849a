/** `--window` and `--fixed`. */
import { describe, expect, it } from "vitest";
import { parseFixedTokens, parseWindowSize, parseWindowSizes } from "#command-line/window-option.ts";

describe("parseWindowSizes", () => {
  it.each([
    { text: "200000", sizes: [200_000], why: "a plain number" },
    { text: "200_000", sizes: [200_000], why: "as programmers write it" },
    { text: "200k", sizes: [200_000], why: "thousands" },
    { text: "1M", sizes: [1_000_000], why: "millions, in any case" },
    { text: "0.5m", sizes: [500_000], why: "with a fraction" },
    { text: "200k,64k, 32000", sizes: [200_000, 64_000, 32_000], why: "several, in their order" },
    { text: "64k,64000", sizes: [64_000], why: "the same one once" },
  ])("reads $text: $why", ({ text, sizes }) => {
    expect(parseWindowSizes(text)).toEqual(sizes);
  });

  it.each([
    { text: "", why: "nothing" },
    { text: "big", why: "no number" },
    { text: "200kk", why: "no unit" },
    { text: "-5k", why: "negative" },
    { text: "1e6", why: "no notation people use for this" },
    { text: "64k,", why: "an empty member" },
    { text: "64 k", why: "a blank inside" },
    { text: "999", why: "smaller than any window" },
    { text: "11m", why: "larger than any window" },
    { text: "0.0005k", why: "less than a token" },
    { text: "9".repeat(400), why: "endless" },
  ])("refuses $text: $why", ({ text }) => {
    expect(() => parseWindowSizes(text)).toThrow(
      expect.objectContaining({
        code: "OPTION_INVALID",
        message: expect.stringMatching(
          /^--window: .* is not a window size from 1,000 to 10,000,000 tokens\.$/,
        ),
      }),
    );
  });
});

describe("parseWindowSize", () => {
  it.each(["many", "64k,32k", "64k,64k"])("reads one size, and asks for one where it is %j", (text) => {
    expect(parseWindowSize(" 64k")).toBe(64_000);
    expect(() => parseWindowSize(text)).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID", hint: expect.not.stringContaining("several") }),
    );
  });
});

describe("parseFixedTokens", () => {
  it.each([
    { text: "12000", tokens: 12_000 },
    { text: "12k", tokens: 12_000 },
    { text: "0", tokens: 0 },
  ])("reads $text", ({ text, tokens }) => {
    expect(parseFixedTokens(text)).toBe(tokens);
  });

  it.each(["", "-1", "12k,3k", "1.5", "11m", "much"])("refuses %j", (text) => {
    expect(() => parseFixedTokens(text)).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID", message: expect.stringMatching(/^--fixed: /) }),
    );
  });
});
