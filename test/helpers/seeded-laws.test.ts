import fc from "fast-check";
import { expect, it } from "vitest";
import usual from "../../vitest.config.ts";
import long from "../../vitest.long.config.ts";
import { seedOf } from "./seeded-laws.ts";

it.each([
  { text: undefined, seed: undefined, why: "random histories" },
  { text: "", seed: undefined, why: "random histories" },
  { text: "1f", seed: 31, why: "a short number" },
  { text: "FFFFFFFF", seed: -1, why: "capitals, and the sign that fast-check prints" },
  {
    text: "9b83019fedb49c46fc96f9eae7406843d06bea09",
    seed: -1685913185,
    why: "the first 32 bits of a commit",
  },
])("reads $text as $seed: $why", ({ text, seed }) => {
  expect(seedOf(text)).toBe(seed);
});

it.each(["0x1f", "-1", "now"])("says that %s is no seed", (text) => {
  expect(() => seedOf(text)).toThrow(`PALIMPSEST_SEED is not a hexadecimal number: ${text}`);
});

it("is what every law of this run begins with", () => {
  const { seed } = fc.check(fc.property(fc.nat(), () => true));
  const wanted = seedOf(process.env["PALIMPSEST_SEED"]);
  if (wanted !== undefined) expect(seed).toBe(wanted);
  for (const { test } of [usual, long]) expect(test?.setupFiles).toBe("test/helpers/seeded-laws.ts");
});
