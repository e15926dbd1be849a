/** The source of a summary that is due, as a table of cases. */
import { describe, expect, it } from "vitest";
import { chooseSource, type SummaryMeans } from "#compaction/planner/choose-source.ts";
import { isSummaryFromLog } from "#compaction/planner/cost-policy.ts";
import type { SummaryReason } from "#compaction/planner/window-plan.ts";
import { planBudget } from "#tokens/budget/budget.ts";

const MEANS: SummaryMeans = {
  isByHand: false,
  isFull: false,
  hasWritten: false,
  isSettled: false,
  isVetoed: false,
  areNotesUpdating: false,
  hasModel: true,
  hasHook: false,
  hasBackgroundFailed: false,
  editSafety: "permissive",
  isFromLog: false,
};

interface Row {
  readonly reason: SummaryReason;
  readonly means: Partial<SummaryMeans>;
  readonly source: ReturnType<typeof chooseSource>;
  readonly why: string;
}

describe("a summary that is due", () => {
  it.each<Row>([
    { reason: "threshold", means: {}, source: "wait", why: "the window is full and a model may write" },
    { reason: "reactive", means: {}, source: "wait", why: "the provider refused the request" },
    { reason: "threshold", means: { hasModel: false }, source: "now", why: "no model may be asked" },
    {
      reason: "threshold",
      means: { hasModel: false, hasHook: true },
      source: "wait",
      why: "a hook is asked first",
    },
    { reason: "rent", means: {}, source: "background", why: "it only saves money" },
    { reason: "rent", means: { isFull: true }, source: "wait", why: "the window is full as well" },
    {
      reason: "rent",
      means: { editSafety: "strict" },
      source: "now",
      why: "nothing may be kept behind a later one",
    },
    { reason: "rent", means: { hasModel: false }, source: "now", why: "no model would write it" },
    {
      reason: "rent",
      means: { isFromLog: true },
      source: "now",
      why: "the policy asks no model before the window is full",
    },
    {
      reason: "rent",
      means: { isFromLog: true, hasHook: true },
      source: "wait",
      why: "a hook is asked before a summary from the log, too",
    },
    {
      reason: "rent",
      means: { isFromLog: true, areNotesUpdating: true },
      source: "later",
      why: "notes come before the log",
    },
    {
      reason: "threshold",
      means: { isFromLog: true },
      source: "now",
      why: "the policy asks no model in a window of this size",
    },
    {
      reason: "threshold",
      means: { isFromLog: true, hasHook: true },
      source: "wait",
      why: "a hook is asked before a summary from the log, too",
    },
    {
      reason: "rent",
      means: { hasBackgroundFailed: true },
      source: "now-instead",
      why: "the background failed",
    },
    {
      reason: "rent",
      means: { areNotesUpdating: true },
      source: "later",
      why: "the notes may make it needless",
    },
    {
      reason: "payback",
      means: { areNotesUpdating: true },
      source: "wait",
      why: "notes are worth waiting for",
    },
    {
      reason: "manual",
      means: { isByHand: true, hasModel: false },
      source: "wait",
      why: "a person asked for it",
    },
    { reason: "threshold", means: { hasWritten: true }, source: "now", why: "a model has written it" },
    { reason: "threshold", means: { isSettled: true }, source: "now", why: "no other summary will come" },
    {
      reason: "manual",
      means: { isByHand: true, isSettled: true },
      source: "now",
      why: "a model was asked already",
    },
    {
      reason: "threshold",
      means: { isVetoed: true, isSettled: true },
      source: "later",
      why: "a hook refused it",
    },
  ])("for $reason comes $source, because $why", ({ reason, means, source }) => {
    expect(chooseSource({ needs: "summary", reason }, { ...MEANS, ...means })).toBe(source);
  });
});

describe("a summary that the policy has made from the log", () => {
  const used = (usedTokens: number, windowTokens: number) => ({
    usedTokens,
    budget: planBudget({ windowTokens }),
  });
  it.each<[SummaryReason, number, number, boolean]>([
    ["threshold", 60_000, 64_000, true],
    ["payback", 60_000, 64_000, true],
    ["rent", 60_000, 64_000, true],
    ["manual", 60_000, 64_000, false],
    ["reactive", 60_000, 64_000, false],
    ["silent-overflow", 60_000, 64_000, false],
    ["rent", 153_000, 200_000, true],
    ["rent", 170_000, 200_000, false],
    ["threshold", 170_000, 200_000, false],
  ])("for %s at %d of %d: %s", (reason, usedTokens, windowTokens, isFromLog) => {
    const state = used(usedTokens, windowTokens);
    const policy = { earlySummary: "log", modelSummaryFrom: 128_000 } as const;
    expect(isSummaryFromLog(reason, policy, state)).toBe(isFromLog);
    expect(isSummaryFromLog(reason, { earlySummary: "model" }, state)).toBe(false);
    expect(isSummaryFromLog(reason, undefined, state)).toBe(false);
  });
});
