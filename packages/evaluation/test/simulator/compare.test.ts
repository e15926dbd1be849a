import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareRuns, interpolatedQuantile, type MeasuredRun, summarizeRuns } from "#simulator/compare.ts";
import type { RunResult } from "#simulator/simulate.ts";

interface Measured {
  readonly session: string;
  readonly cost?: number;
  readonly uncompacted?: number;
  readonly visible?: number;
  readonly references?: number;
  readonly failsPlain?: boolean;
  readonly failsCharged?: boolean;
}

function measured({ session, cost = 50, uncompacted = 100, ...rest }: Measured): MeasuredRun {
  const { visible = 3, references = 4, failsPlain = false, failsCharged = false } = rest;
  const run: RunResult = {
    policy: "p",
    far: { references, visible, reachable: references },
    near: { references: 10, visible: 9, reachable: 10 },
    cost,
    requestCost: cost,
    sideCost: 0,
    readTokens: 0,
    writtenTokens: 0,
    requests: 1,
    lookups: 0,
    sideCalls: 0,
    edits: { clear: 0, summary: 0, offload: 0, collapse: 0 },
    peakTokens: 0,
  };
  const edits = { clear: 2, summary: 1, offload: 4, collapse: 8 };
  return {
    session,
    uncompactedCost: uncompacted,
    // Recall is the plain run's, cost and counts are the charged one's.
    plain: { ...run, cost: 1, ...(failsPlain ? { failedAt: 3 } : {}) },
    charged: {
      ...run,
      far: { references, visible: references, reachable: references },
      edits,
      lookups: 5,
      sideCalls: 1,
      ...(failsCharged ? { failedAt: 3 } : {}),
    },
  };
}

describe("summarizeRuns", () => {
  it("pools sessions: a long one counts for more", () => {
    const runs = [
      measured({ session: "a", cost: 30, uncompacted: 100, visible: 1, references: 2 }),
      measured({ session: "b", cost: 120, uncompacted: 200, visible: 9, references: 10 }),
    ];
    const figures = summarizeRuns(runs);
    expect(figures).toEqual({
      sessions: 2,
      failures: 0,
      costShare: 0.5,
      farRecall: 10 / 12,
      nearRecall: 0.9,
      farReach: 1,
      summaries: 2,
      clears: 28,
      lookups: 10,
      sideCalls: 2,
    });
  });

  it.each([{ failsPlain: true }, { failsCharged: true }])("leaves out what was not finished: %o", (fails) => {
    const runs = [
      measured({ session: "a", cost: 30, visible: 1, references: 2 }),
      measured({ session: "b", cost: 120, ...fails }),
    ];
    expect(summarizeRuns(runs)).toMatchObject({
      sessions: 2,
      failures: 1,
      costShare: 0.3,
      farRecall: 0.5,
      summaries: 1,
    });
  });

  it("says nothing where there is nothing to say", () => {
    const nothing = {
      costShare: undefined,
      farRecall: undefined,
      nearRecall: undefined,
      farReach: undefined,
    };
    expect(summarizeRuns([])).toMatchObject({ sessions: 0, failures: 0, ...nothing });
    expect(summarizeRuns([measured({ session: "a", failsPlain: true })])).toMatchObject({
      failures: 1,
      ...nothing,
    });
    expect(summarizeRuns([measured({ session: "a", references: 0, visible: 0 })])).toMatchObject({
      costShare: 0.5,
      farRecall: undefined,
    });
  });
});

describe("compareRuns", () => {
  const ours = [
    measured({ session: "a", cost: 40, visible: 9, references: 10 }),
    measured({ session: "b", cost: 60, visible: 50, references: 100 }),
    measured({ session: "c", cost: 900, failsCharged: true }),
    measured({ session: "d", cost: 100, visible: 0, references: 0 }),
  ];
  const theirs = [
    measured({ session: "d", cost: 100, visible: 0, references: 0 }),
    measured({ session: "c", cost: 10 }),
    measured({ session: "b", cost: 200, visible: 60, references: 100 }),
    measured({ session: "a", cost: 100, visible: 7, references: 10 }),
  ];

  it("pools the sessions that both finish, and takes differences session by session", () => {
    const { sessions, costRatio, farDifference, farDifferenceP10 } = compareRuns(ours, theirs);
    expect(sessions).toBe(3);
    expect(costRatio).toBeCloseTo(200 / 400);
    expect(farDifference).toBeCloseTo(59 / 110 - 67 / 110);
    // +0.2 and -0.1; a session without far references has no difference
    expect(farDifferenceP10).toBeCloseTo(-0.1 + 0.1 * 0.3);
  });

  it("is no difference beside itself", () => {
    expect(compareRuns(ours, ours)).toEqual({
      sessions: 3,
      costRatio: 1,
      farDifference: 0,
      farDifferenceP10: 0,
    });
  });

  it("says nothing of no session, and stops where a session is missing", () => {
    expect(compareRuns([], theirs)).toEqual({
      sessions: 0,
      costRatio: undefined,
      farDifference: undefined,
      farDifferenceP10: undefined,
    });
    expect(() => compareRuns(ours, theirs.slice(1))).toThrow("compared on the same sessions");
  });
});

describe("interpolatedQuantile", () => {
  it.each([
    { values: [], at: 0.1, is: undefined, why: "of nothing" },
    { values: [7], at: 0.1, is: 7, why: "of one value" },
    { values: [10, 0], at: 0.1, is: 1, why: "a tenth of the way between two" },
    { values: [3, 1, 2], at: 0.5, is: 2, why: "the middle" },
    { values: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], at: 0.1, is: 1, why: "the second of eleven" },
    { values: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], at: 0.1, is: 0.9, why: "nearly the second of ten" },
    { values: [5, 1], at: 0, is: 1, why: "the least" },
    { values: [5, 1], at: 1, is: 5, why: "the most" },
  ])("is $is $why", ({ values, at, is }) => {
    const found = interpolatedQuantile(values, at);
    if (is === undefined) expect(found).toBeUndefined();
    else expect(found).toBeCloseTo(is);
  });

  it("lies between the least and the most, and grows with the share", () => {
    const numbers = fc.array(fc.integer({ min: -100, max: 100 }), { minLength: 1 });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(numbers, share, share, (values, one, other) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)].map(
          (at) => interpolatedQuantile(values, at)!,
        );
        expect(low).toBeGreaterThanOrEqual(Math.min(...values));
        expect(high).toBeLessThanOrEqual(Math.max(...values) + 1e-9);
        expect(low).toBeLessThanOrEqual(high! + 1e-9);
      }),
    );
  });
});
