/**
 * Ways to make room when the window is full, beside each other: session notes with and without their cap,
 * a model that is asked at that moment, and no model at all.
 */
import type { CostPolicy } from "palimpsest/internal";
import type { PolicyUnderTest } from "./contestant.ts";
import { managedPolicy } from "./managed-window.ts";
import type { JudgedAnswer } from "./simulated-notes.ts";
import type { SummaryMoment, SummaryVariant } from "./simulated-summaries.ts";

interface NamedVariant extends Pick<SummaryVariant, "notes" | "asksModel"> {
  readonly id: string;
}

/** The one that the others are compared with comes first. */
export const SUMMARY_VARIANTS: readonly NamedVariant[] = [
  { id: "full", asksModel: true },
  { id: "session-memory", notes: { updater: "model" }, asksModel: true },
  { id: "session-memory, no cap", notes: { updater: "model", costShareCap: "off" }, asksModel: true },
  { id: "session-memory, no model", notes: { updater: "extractive" }, asksModel: false },
  { id: "extractive", asksModel: false },
];

/** A variant at work under a policy; what happens is added to `tally`. */
export function variantPolicy(
  { id, notes, asksModel }: NamedVariant,
  { policy, editSafety }: { readonly policy: CostPolicy; readonly editSafety: "strict" | "permissive" },
  tally: { readonly answers: JudgedAnswer[]; readonly summaries: SummaryMoment[] },
): PolicyUnderTest {
  const summaries: SummaryVariant = {
    notes,
    asksModel,
    onJudged: (answer) => tally.answers.push(answer),
    onSummary: (summary) => tally.summaries.push(summary),
  };
  return managedPolicy({ id, name: id, policy, editSafety, summaries });
}
