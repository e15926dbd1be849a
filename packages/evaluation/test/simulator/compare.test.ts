import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareRuns, isLeftAlone, type MeasuredRun, summarizeRuns } from "#simulator/compare.ts";
import { compareMeasure, interpolatedQuantile, judgeFloors } from "#simulator/measures.ts";
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

const NOTHING = { references: 0, visible: 0, reachable: 0 };

function measured({ session, cost = 50, uncompacted = 100, ...rest }: Measured): MeasuredRun {
  const { visible = 3, references = 4, failsPlain = false, failsCharged = false } = rest;
  const run: RunResult = {
    policy: "p",
    far: { references, visible, reachable: references },
    near: { references: 10, visible: 9, reachable: 10 },
    lines: { far: { references: 40, visible: 30, reachable: 40 }, near: NOTHING },
    words: { far: { references: 10, visible: 5, reachable: 10 }, near: NOTHING },
    rereads: 0,
    rereadTokens: 0,
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
      rereads: 3,
      rereadTokens: 7_000,
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
      rereads: 6,
      rereadTokens: 14_000,
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
    measured({ session: "a", cost: 40, visible: 27, references: 30 }),
    measured({ session: "b", cost: 60, visible: 50, references: 100 }),
    measured({ session: "c", cost: 900, failsCharged: true }),
    measured({ session: "d", cost: 100, visible: 2, references: 10 }),
  ];
  const theirs = [
    measured({ session: "d", cost: 100, visible: 0, references: 10 }),
    measured({ session: "c", cost: 10 }),
    measured({ session: "b", cost: 200, visible: 60, references: 100 }),
    measured({ session: "a", cost: 100, visible: 21, references: 30 }),
  ];

  it("pools the sessions that both finish, and takes differences session by session", () => {
    const { sessions, costRatio, measures } = compareRuns(ours, theirs);
    expect(sessions).toBe(3);
    expect(costRatio).toBeCloseTo(200 / 400);
    expect(measures.names.own).toBeCloseTo(79 / 140);
    expect(measures.names.other).toBeCloseTo(81 / 140);
    // +0.2 and -0.1; a session with few references counts in the shares only
    expect(measures.names.p10).toBeCloseTo(-0.1 + 0.1 * 0.3);
    expect(measures.names.sessions).toEqual([
      { session: "b", difference: expect.closeTo(-0.1) },
      { session: "a", difference: expect.closeTo(0.2) },
    ]);
  });

  it("is no difference beside itself", () => {
    const { sessions, costRatio, measures } = compareRuns(ours, ours);
    expect({ sessions, costRatio }).toEqual({ sessions: 3, costRatio: 1 });
    expect(Object.values(measures).map(({ p10 }) => p10)).toEqual([
      0,
      0,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("says nothing of no session, and stops where a session is missing", () => {
    expect(compareRuns([], theirs)).toMatchObject({ sessions: 0, costRatio: undefined });
    expect(compareRuns([], theirs).measures.names).toEqual({
      references: 0,
      own: undefined,
      other: undefined,
      p10: undefined,
      sessions: [],
    });
    expect(() => compareRuns(ours, theirs.slice(1))).toThrow("compared on the same sessions");
  });
});

describe("judgeFloors", () => {
  const difference = (own: number, other: number, p10: number) => ({
    references: 100,
    own,
    other,
    p10,
    sessions: [],
  });
  const measures = {
    names: difference(0.9, 0.92, -0.03),
    lines: difference(0.8, 0.84, -0.06),
    words: difference(0.7, 0.76, -0.05),
    near: difference(0.985, 1, 0),
    nearLines: difference(1, 1, 0),
    nearWords: difference(1, 1, 0),
  };

  it("says by how much each floor is held or missed", () => {
    const floors = judgeFloors(measures, { windowTokens: 200_000 });
    expect(floors.map(({ floor, margin }) => [floor, Math.round(margin! * 1_000) / 10])).toEqual([
      ["names", -2],
      ["lines", 1],
      ["words", -1],
      ["near", -0.5],
      ["p10 names", 2],
      ["p10 lines", -1],
      ["p10 words", 0],
      ["p10 near", 5],
    ]);
  });

  it.each([
    { windowTokens: 64_000, margin: 0.005 },
    { windowTokens: 32_000, margin: 0.015 },
  ])("takes less near recall in a window of $windowTokens", ({ windowTokens, margin }) => {
    const near = judgeFloors(measures, { windowTokens }).find(({ floor }) => floor === "near");
    expect(near!.margin).toBeCloseTo(margin);
  });

  it("takes the tenth from other sessions where it is given them", () => {
    const tenths = { ...measures, names: difference(0.5, 0.5, -0.2) };
    const floors = judgeFloors(measures, { windowTokens: 200_000, tenths });
    expect(floors.find(({ floor }) => floor === "p10 names")!.margin).toBeCloseTo(-0.15);
    expect(floors.find(({ floor }) => floor === "names")!.margin).toBeCloseTo(-0.02);
  });

  it("judges nothing without references", () => {
    const none = compareMeasure("names", []);
    const floors = judgeFloors({ ...measures, names: none }, { windowTokens: 200_000 });
    expect(floors[0]).toEqual({ floor: "names", margin: undefined });
    expect(floors[4]).toEqual({ floor: "p10 names", margin: undefined });
  });
});

describe("isLeftAlone", () => {
  it("is true of a run without any edit", () => {
    const run = measured({ session: "a" });
    expect(isLeftAlone(run)).toBe(true);
    const edits = { clear: 0, summary: 1, offload: 0, collapse: 0 };
    expect(isLeftAlone({ ...run, plain: { ...run.plain, edits } })).toBe(false);
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
