/** The source of a summary that is due, as a table of cases. */
import { describe, expect, it } from "vitest";
import { chooseSource, type SummaryMeans } from "#compaction/planner/choose-source.ts";
import type { SummaryReason } from "#compaction/planner/window-plan.ts";

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
  earlySummary: "model",
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
      means: { earlySummary: "log" },
      source: "now",
      why: "the policy asks no model before the window is full",
    },
    {
      reason: "rent",
      means: { earlySummary: "log", hasHook: true },
      source: "wait",
      why: "a hook is asked before a summary from the log, too",
    },
    {
      reason: "rent",
      means: { earlySummary: "log", isFull: true },
      source: "wait",
      why: "the window is full, so a model writes after all",
    },
    {
      reason: "rent",
      means: { earlySummary: "log", areNotesUpdating: true },
      source: "later",
      why: "notes come before the log",
    },
    { reason: "threshold", means: { earlySummary: "log" }, source: "wait", why: "it is not early" },
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
