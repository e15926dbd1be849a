/** The rent ledger and the rule by which a rewrite is bought, against figures worked out by hand. */
import { describe, expect, it } from "vitest";
import { countToClear, RentLedger } from "#compaction/layers/microcompact/rent.ts";
import { TARIFFS } from "#tokens/price/tariff.ts";

const tariff = TARIFFS["anthropic-5m"];
const call = (messagesTokens: number, tokenPrice = 0.1) => ({
  messagesTokens,
  tokenPrice,
  keptTokens: 1_000,
});

describe("the rent ledger", () => {
  it("adds up what all messages cost with each call, dearer where the cache is cold", () => {
    const ledger = new RentLedger();
    ledger.called(call(2_000));
    ledger.called(call(4_000, 1.25));
    expect(ledger.summaryRent).toBeCloseTo(200 + 5_000);
    expect(ledger.windowRent).toBeCloseTo(100 + 3_750);
    expect(ledger.callsSinceSummary).toBe(2);
  });

  it("knows what a block has paid from where it stands", () => {
    const ledger = new RentLedger();
    for (const size of [1_000, 2_000, 3_000, 4_000]) ledger.called(call(size));
    const paid = (tokensBehind: number) =>
      ledger.paidPerToken({ messagesTokens: 4_000, tokensBehind, keptTokens: 1_000 });
    // With 3,000 behind it now, it left the kept part when the window had 2,000: three calls carried it.
    expect(paid(3_000)).toBeCloseTo(0.3);
    expect(paid(1_000)).toBeCloseTo(0.1);
    expect(paid(500)).toBe(0);
  });

  it("does not credit a block with calls in which it was new", () => {
    const ledger = new RentLedger();
    for (let index = 0; index < 50; index++) ledger.called(call(6_000));
    // 4,500 arrived since: with them behind it, a block that was in the kept part all the time leaves it now.
    const standing = { messagesTokens: 10_500, tokensBehind: 5_000, keptTokens: 4_000 };
    expect(ledger.paidPerToken(standing)).toBe(0);
  });

  it.each([
    { isSummary: false, summaryRent: 600, callsSinceSummary: 3, why: "clearing leaves the span's rent" },
    { isSummary: true, summaryRent: 0, callsSinceSummary: 0, why: "a summary begins anew" },
  ])("after a rewrite: $why", ({ isSummary, summaryRent, callsSinceSummary }) => {
    const ledger = new RentLedger();
    for (let index = 0; index < 3; index++) ledger.called(call(2_000));
    ledger.rewritten({ isSummary, messagesTokens: 500 });
    expect(ledger).toMatchObject({ windowRent: 0, callsSinceSummary });
    expect(ledger.summaryRent).toBeCloseTo(summaryRent);
  });

  it("keeps the part of what is left where somebody else took messages out", () => {
    const ledger = new RentLedger();
    for (let index = 0; index < 10; index++) ledger.called(call(4_000));
    ledger.called(call(1_000));
    expect(ledger.summaryRent).toBeCloseTo(4_000 / 4 + 100);
  });
});

describe("rent or buy", () => {
  const at = (paid: number, freedTokens: number, suffixTokens: number) => ({
    paid,
    freedTokens,
    suffixTokens,
  });

  it.each([
    { why: "nothing is there", clearables: [], isWarm: true, count: 0 },
    {
      // (10,000 − 4,000) × 1.15 = 6,900.
      why: "the rent does not cover the rewrite yet",
      clearables: [at(6_899, 4_000, 10_000)],
      isWarm: true,
      count: 0,
    },
    { why: "it does", clearables: [at(6_900, 4_000, 10_000)], isWarm: true, count: 1 },
    {
      why: "an older one adds more rent than suffix",
      clearables: [at(7_000, 4_000, 10_000), at(9_000, 5_000, 16_000)],
      isWarm: true,
      count: 2,
    },
    {
      why: "an older one adds more suffix than rent",
      clearables: [at(9_000, 4_000, 10_000), at(10, 500, 90_000)],
      isWarm: true,
      count: 1,
    },
    {
      why: "the cache is cold: all of it is free",
      clearables: [at(0, 4_000, 10_000), at(0, 500, 90_000)],
      isWarm: false,
      count: 2,
    },
    {
      why: "one batch must be worth its while",
      clearables: [at(90_000, 900, 1_000)],
      isWarm: true,
      count: 0,
    },
  ])("clears $count where $why", ({ clearables, isWarm, count }) => {
    expect(countToClear(clearables, { tariff, isWarm, leastFreedTokens: 1_000 })).toBe(count);
  });
});
