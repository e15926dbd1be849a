import fc from "fast-check";
import { expect, it } from "vitest";
import { nearestName } from "#base/options/check-options.ts";

const NAMES = ["model", "home", "folder", "summaryModel", "cleanupPeriodDays"] as const;

it.each([
  { name: "modle", nearest: "model", why: "two letters are swapped" },
  { name: "Home", nearest: "home", why: "case does not count" },
  { name: "hme", nearest: "home", why: "a letter is missing" },
  { name: "sumaryModels", nearest: "summaryModel", why: "long names have room for two edits" },
  { name: "cleanupDays", nearest: undefined, why: "six letters are too many" },
  { name: "hat", nearest: undefined, why: "short names have room for one edit" },
  { name: "x".repeat(100_000), nearest: undefined, why: "a name that is far too long costs nothing" },
])("the name nearest to $name is $nearest: $why", ({ name, nearest }) => {
  expect(nearestName(name, NAMES)).toBe(nearest);
});

it("a known name is nearest to itself", () => {
  fc.assert(fc.property(fc.constantFrom(...NAMES), (name) => nearestName(name, NAMES) === name));
});
