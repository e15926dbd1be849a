import { describe, expect, it } from "vitest";
import { costPolicy } from "#compaction/planner/cost-policy.ts";
import { WindowPlanner } from "#compaction/planner/window-planner.ts";
import { type PlannedEdits, tokensAfter } from "#compaction/shared/window-state.ts";
import { aWindowState } from "#test/compaction/layers/collapse/window-states.ts";
import { asWindow } from "../../../../../test/helpers/recorded.ts";
import { assistant, call, result, text, user } from "../../../../../test/helpers/windows.ts";

it("reckons what a rewrite leaves by the estimate, because the provider's report is void then", () => {
  const visible = asWindow(
    Array.from({ length: 40 }, (_, turn) => [
      user(`wish ${turn}`),
      assistant(`r${turn}`, call(`c${turn}`, "Read", { file_path: `/src/${turn}.ts` })),
      result(`c${turn}`, "some line of code here\n".repeat(400)),
    ]).flat(),
  );
  const estimated = aWindowState(visible);
  const reported = { ...estimated, usedTokens: Math.floor(estimated.budget.autoCompactGateTokens * 0.98) };
  expect(reported.usedTokens).toBeLessThan(estimated.usedTokens * 0.7);
  const plan = new WindowPlanner(costPolicy("faithful")!).plan(reported);
  if (!("edits" in plan)) throw new Error("a summary is not due here");
  expect(plan.edits.map(({ kind }) => kind)).toEqual(["offload"]);
  expect(plan.usedTokens).toBe(tokensAfter(reported, plan.edits));
});

/** Old results that can be cleared before words that cannot, and far more than the window by the estimate. */
function resultsBeforeWords() {
  const round = (turn: number, lines: number) => [
    user(`wish ${turn}`),
    assistant(`r${turn}`, call(`c${turn}`, "Read", { file_path: `/src/${turn}.ts` })),
    result(`c${turn}`, "some line of code here\n".repeat(lines)),
  ];
  const old = Array.from({ length: 12 }, (_, turn) => round(turn, 300)).flat();
  const words = Array.from({ length: 400 }, () => user("some words to keep in mind ".repeat(20)));
  const recent = Array.from({ length: 6 }, (_, turn) => round(100 + turn, 10)).flat();
  return aWindowState(asWindow([...old, ...words, ...recent]));
}

it.each([
  "faithful",
  "balanced",
  "economy",
  "classic",
] as const)("leaves a window under %s that is full by its report as it is, where no summary can be made and shorter blocks are above the limit by the estimate", (policy) => {
  const estimated = resultsBeforeWords();
  const { autoCompactGateTokens, blockingTokens } = estimated.budget;
  const usedTokens = Math.floor((autoCompactGateTokens + blockingTokens) / 2);
  const disabledLayers = new Set(["collapse", "session-memory", "full", "extractive"]);
  const planner = new WindowPlanner(costPolicy(policy)!);
  expect(planner.plan({ ...estimated, usedTokens, disabledLayers })).toEqual({ edits: [], usedTokens });
  const full = planner.plan({ ...estimated, usedTokens: blockingTokens, disabledLayers }) as PlannedEdits;
  expect(full.edits).not.toEqual([]);
  expect(full.usedTokens).toBeLessThan(blockingTokens);
});

it.each([
  {
    over: { isWarm: false, at: 86_400_000 },
    policy: "economy",
    why: "old results are cleared with a cold cache",
  },
  { over: {}, policy: "faithful", why: "old blocks are shortened at the gates" },
] as const)("leaves a window as it is that a rewrite would bring above its limit by the estimate: $why", ({
  over,
  policy,
}) => {
  const estimated = resultsBeforeWords();
  const usedTokens = Math.floor(estimated.budget.autoCompactGateTokens * 0.9);
  const planWith = (blockingTokens: number) => {
    const planner = new WindowPlanner({ ...costPolicy(policy)!, keepsBlocks: NO_WINDOW });
    const budget = { ...estimated.budget, blockingTokens };
    return planner.plan({ ...estimated, ...over, usedTokens, budget }) as PlannedEdits;
  };
  const rewritten = planWith(Number.POSITIVE_INFINITY);
  expect(rewritten.edits).not.toEqual([]);
  expect(rewritten.usedTokens).toBeGreaterThan(estimated.budget.blockingTokens);
  expect(planWith(rewritten.usedTokens)).toEqual({ edits: [], usedTokens });
  expect(planWith(rewritten.usedTokens + 1)).toEqual(rewritten);
});

const NO_WINDOW = { from: 0, below: 0 };

describe("a full window", () => {
  const withResults = asWindow(
    Array.from({ length: 40 }, (_, turn) => [
      user(`wish ${turn}`),
      assistant(`r${turn}`, call(`c${turn}`, "Read", { file_path: `/src/${turn}.ts` })),
      result(`c${turn}`, "some line of code here\n".repeat(400)),
    ]).flat(),
  );
  const withWords = asWindow(
    Array.from({ length: 400 }, (_, turn) => [
      user("some words to keep in mind ".repeat(4)),
      assistant(`r${turn}`, text("some words in answer ".repeat(4))),
    ]).flat(),
  );

  it("is looked at when it passes a gate again that a low report brought it below", () => {
    const planner = new WindowPlanner(costPolicy("faithful")!);
    const { budget } = aWindowState([]);
    const planned = [
      { visible: withWords, overGate: 20 },
      { visible: withWords, overGate: -100 },
      { visible: withResults, overGate: 30 },
    ].map(({ visible, overGate }) => {
      const state = { ...aWindowState(visible), usedTokens: budget.offloadGateTokens + overGate };
      const plan = planner.plan(state);
      if (!("edits" in plan)) throw new Error("a summary is not due here");
      planner.called(state, plan, state.messagesTokens);
      return plan.edits.map(({ kind }) => kind);
    });
    expect(planned).toEqual([[], [], ["offload"]]);
  });

  it("is summarised at the threshold in a window that keeps its blocks", () => {
    const estimated = aWindowState(withResults);
    const state = aWindowState(withResults, { windowTokens: Math.floor(estimated.usedTokens / 0.95) });
    const policy = { ...costPolicy("balanced")!, keepsBlocks: { from: 0, below: 128_000 } };
    expect(new WindowPlanner(policy).plan(state)).toMatchObject({ needs: "summary", reason: "threshold" });
  });

  it.each([
    { windowTokens: 47_999, disabled: [], kinds: ["offload"], why: "the smallest are shortened before" },
    { windowTokens: 48_000, disabled: [], kinds: [], why: "a small window is summarised when it is full" },
    { windowTokens: 127_999, disabled: [], kinds: [], why: "a small window is summarised when it is full" },
    { windowTokens: 128_000, disabled: [], kinds: ["offload"], why: "a large one is shortened before" },
    { windowTokens: 127_999, disabled: ["extractive"], kinds: ["offload"], why: "no summary can be made" },
  ])("is shortened at the gates ($kinds): $why", ({ windowTokens, disabled, kinds }) => {
    const usedTokens = Math.ceil(aWindowState([], { windowTokens }).budget.microcompactGateTokens) + 10;
    const state = aWindowState(withResults, { windowTokens, usedTokens, disabledLayers: new Set(disabled) });
    const plan = new WindowPlanner({
      ...costPolicy("balanced")!,
      summaryMultiple: Number.POSITIVE_INFINITY,
    }).plan(state);
    expect("edits" in plan && plan.edits.map(({ kind }) => kind)).toEqual(kinds);
  });

  it.each([
    { policy: "balanced", visible: withResults, reason: "payback", why: "clearing were enough" },
    { policy: "balanced", visible: withWords, reason: "threshold", why: "nothing can be cleared" },
    { policy: "faithful", visible: withResults, reason: undefined, why: "no price is minded" },
    { policy: "faithful", visible: withWords, reason: "threshold", why: "nothing can be cleared" },
  ] as const)("is summarised for its price or at the threshold under $policy: $why", (given) => {
    const estimated = aWindowState(given.visible);
    const windowTokens = Math.floor(estimated.usedTokens / 0.95);
    const state = aWindowState(given.visible, { windowTokens });
    expect(state.usedTokens).toBeGreaterThanOrEqual(state.budget.autoCompactGateTokens);
    const plan = new WindowPlanner({ ...costPolicy(given.policy)!, keepsBlocks: NO_WINDOW }).plan(state);
    expect("needs" in plan ? plan.reason : undefined).toBe(given.reason);
  });
});
