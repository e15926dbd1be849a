import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fingerprint } from "#base/fingerprint.ts";
import { anyCharacter } from "#test/helpers/any-character.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";

describe("fingerprint", () => {
  it.each([
    { text: "", seed: 0, value: 3_338_908_027_751_811 },
    { text: "a", seed: 0, value: 7_929_297_801_672_961 },
    { text: "a", seed: 1, value: 5_368_154_436_228_575 },
    { text: "日本", seed: 0, value: 402_342_642_078_485 },
  ])("of '$text' with seed $seed is $value, on every machine", ({ text, seed, value }) => {
    expect(fingerprint(text, seed)).toBe(value);
  });

  it("is a safe number, and another one for another text", () => {
    const texts = fc.string({ unit: anyCharacter, maxLength: 60 });
    fc.assert(
      fc.property(texts, texts, fc.nat(), (one, other, seed) => {
        expect(Number.isSafeInteger(fingerprint(one, seed))).toBe(true);
        expect(fingerprint(one, seed) === fingerprint(other, seed)).toBe(one === other);
      }),
      { numRuns: bySize({ usual: 150, long: 2_000 }) },
    );
  });

  it("tells apart texts that differ in one place, wherever that is", () => {
    const seen = new Set<number>();
    for (let at = 0; at < 20_000; at++) seen.add(fingerprint(`${"x".repeat(at % 200)}y${at}`));
    expect(seen.size).toBe(20_000);
  });
});
