import { expect, it } from "vitest";
import { fuseRanks } from "#base/search/ranking.ts";

const idsOf = (...rankings: Parameters<typeof fuseRanks>[0]) => fuseRanks(rankings).map(({ id }) => id);

it.each([
  { rankings: [], fused: [], why: "nothing was ranked" },
  { rankings: [{ ids: ["a", "b", "c"] }], fused: ["a", "b", "c"], why: "one ranking stays as it is" },
  {
    rankings: [{ ids: ["a", "b"] }, { ids: ["b", "c"] }],
    fused: ["b", "a", "c"],
    why: "two that agree count more",
  },
  { rankings: [{ ids: ["b", "a"] }, { ids: ["a", "b"] }], fused: ["a", "b"], why: "equals stand by id" },
  {
    rankings: [{ ids: ["a", "b"] }, { ids: ["b", "a"], weight: 2 }],
    fused: ["b", "a"],
    why: "a ranking may count more than another",
  },
  { rankings: [{ ids: ["a", "b", "b", "b"] }, { ids: ["a"] }], fused: ["a", "b"], why: "an id counts once" },
])("fuses rankings into $fused: $why", ({ rankings, fused }) => {
  expect(idsOf(...rankings)).toEqual(fused);
});

it("gives scores that only ranks decide", () => {
  const [first] = fuseRanks([{ ids: ["a"] }, { ids: ["x", "a"] }]);
  expect(first?.score).toBeCloseTo(1 / 6 + 1 / 7, 12);
});
