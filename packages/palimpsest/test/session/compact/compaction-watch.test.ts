/** Stops compaction that is of no use, and requests for summaries to models that fail. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Breakers } from "#session/append/breakers.ts";
import { CompactionWatch } from "#session/compact/compaction-watch.ts";

const TARGET = 1_000;
const compact = (watch: CompactionWatch, beforeTokens: number, afterTokens: number, calls = 10) => {
  for (let call = 0; call < calls; call++) watch.called();
  return watch.compacted({ beforeTokens, afterTokens, targetTokens: TARGET });
};

describe("a compaction", () => {
  it.each([
    { before: 5_000, after: 900, calls: 10, cause: undefined, why: "it came down to its target" },
    { before: 5_000, after: 1_000, calls: 4, cause: undefined, why: "exactly to its target" },
    { before: 5_000, after: 1_001, calls: 10, cause: "missed-target", why: "it left more" },
    { before: 1_000, after: 801, calls: 10, cause: "freed-little", why: "less than a fifth" },
    { before: 1_000, after: 800, calls: 10, cause: undefined, why: "a fifth" },
    { before: 1_000, after: 1_200, calls: 10, cause: "freed-little", why: "it grew" },
    { before: 5_000, after: 900, calls: 3, cause: "refilled", why: "three calls after the one before" },
  ])("of $before to $after tokens: $cause, because $why", ({ before, after, calls, cause }) => {
    const watch = new CompactionWatch();
    compact(watch, 5_000, 900);
    expect(compact(watch, before, after, calls)?.cause).toBe(cause);
  });

  it("that is the first is never too early", () => {
    expect(compact(new CompactionWatch(), 5_000, 900, 0)).toBeUndefined();
  });

  it("of no use is told with its count, and the third in a row is thrashing", () => {
    const watch = new CompactionWatch();
    const reported = [1, 2, 3].map(() => compact(watch, 1_000, 950));
    expect(reported.map((one) => [one?.failures, one?.isThrashing])).toEqual([
      [1, false],
      [2, false],
      [3, true],
    ]);
    expect(reported[0]).toMatchObject({ freedTokens: 50, targetTokens: 1_000, cause: "freed-little" });
    expect([watch.isThrashing, watch.mayAsk]).toEqual([true, false]);
  });

  it("that was of use clears the count", () => {
    const watch = new CompactionWatch();
    for (const after of [950, 950, 500, 950, 950]) compact(watch, 1_000, after);
    expect(watch.isThrashing).toBe(false);
  });
});

describe("a model that writes no summary", () => {
  it.each([
    { limit: undefined, fails: 2, mayAsk: true },
    { limit: undefined, fails: 3, mayAsk: false },
    { limit: 2, fails: 2, mayAsk: false },
    { limit: 0, fails: 0, mayAsk: false },
  ])("after $fails failures, with a limit of $limit, is asked: $mayAsk", ({ limit, fails, mayAsk }) => {
    const watch = new CompactionWatch();
    if (limit !== undefined) watch.limitFailures(limit);
    for (let count = 0; count < fails; count++) watch.failed();
    expect(watch.mayAsk).toBe(mayAsk);
  });

  it("is asked again after one that it wrote, and after a compaction by hand", () => {
    for (const again of ["wrote", "reset"] as const) {
      const watch = new CompactionWatch();
      for (let count = 0; count < 3; count++) watch.failed();
      watch[again]();
      expect([watch.mayAsk, watch.failures]).toEqual([true, 0]);
    }
  });

  it("is not asked again because the session is opened again", () => {
    const breakers = new Breakers();
    const watch = new CompactionWatch(breakers);
    for (let count = 0; count < 3; count++) watch.failed();
    const reopened = new CompactionWatch(new Breakers(breakers.toJson()));
    expect([reopened.mayAsk, reopened.failures]).toEqual([false, 3]);
  });
});

it("is thrashing exactly where the last three compactions were of no use", () => {
  const step = fc.constantFrom("useful", "useless", "ended turn", "reopened", "reset");
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      let breakers = new Breakers();
      let watch = new CompactionWatch(breakers);
      let useless = 0;
      let sinceEnd = 0;
      for (const one of steps) {
        if (one === "ended turn") watch.endedTurn();
        else if (one === "reopened") {
          breakers = new Breakers(breakers.toJson());
          watch = new CompactionWatch(breakers);
        } else if (one === "reset") watch.reset();
        else compact(watch, 1_000, one === "useful" ? 500 : 950);
        if (one === "useless") useless++;
        else if (one === "useful" || one === "reset") useless = 0;
        sinceEnd = one === "ended turn" ? 0 : one === "useless" ? sinceEnd + 1 : Math.min(sinceEnd, useless);
        if (one === "reopened") sinceEnd = useless;
        expect(watch.isThrashing).toBe(useless >= 3);
        expect(watch.endsTurn).toBe(sinceEnd >= 3);
      }
    }),
  );
});
