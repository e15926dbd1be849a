import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SteppedPattern } from "./stepped-pattern.ts";

const PATTERNS = [
  /a+b/g,
  /(a|b)+?c/,
  /(?<=x(a)?)b+/u,
  /\s+$/gm,
  /(?<q>["'])(?:\\.|(?!\k<q>)[\s\S])*\k<q>/,
  /a{0,2}b/,
  /^(?:a|ab)(?:c|bcd)(d*)$/i,
  /(z)((a+)?(b+)?(c))*/,
  /\bab\b|[^\W_]{3,}?x/,
  /\p{L}+(?!\p{L})/u,
  /(?=(a+))a*b\1/,
  /(?<!a)b{2,3}/,
  /(?<=(\d+)(\d+))$/,
  /(?:a*?)*b/,
  /[^\n]{2}|\u{1F600}x/u,
];

describe("a pattern that is run step by step", () => {
  it("finds what Node finds, from everywhere in every text", () => {
    const piece = fc.constantFrom(..."aabbcdxz1_ \n\"'\\", "é", "😀", "ab", "zaacbbbcac");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.nat(12), fc.boolean(), (pieces, at, isSticky) => {
        const text = pieces.join("");
        const from = Math.min(at, text.length);
        for (const { source, flags } of PATTERNS) {
          const pattern = new RegExp(source, `${flags.replace("g", "")}${isSticky ? "y" : "g"}`);
          pattern.lastIndex = from;
          const match = pattern.exec(text);
          const { index, end } = new SteppedPattern({ source, flags }).find(text, from, isSticky);
          expect([index, end], `${pattern} on ${JSON.stringify(text)} from ${from}`).toEqual(
            match === null ? [-1, -1] : [match.index, match.index + match[0].length],
          );
        }
      }),
    );
  });

  it("takes sixty-four times the steps for eight times the text where it backtracks", () => {
    const steps = (pattern: RegExp, text: string): number =>
      new SteppedPattern(pattern).find(text, 0, false).steps;
    for (const pattern of [/a+b/, /a*?b/, /(a|b)+c/]) {
      const growth = steps(pattern, "a".repeat(800)) / steps(pattern, "a".repeat(100));
      expect(growth, `${pattern}`).toBeGreaterThan(55);
    }
    expect(steps(/^a+b/, "a".repeat(800)) / steps(/^a+b/, "a".repeat(100))).toBeLessThan(9);
    expect(steps(/ab/, "a".repeat(800)) / steps(/ab/, "a".repeat(100))).toBeLessThan(9);
  });
});
