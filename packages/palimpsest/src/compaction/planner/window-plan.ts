/**
 * What the planner of a window is asked with, and what it answers.
 */
import type { Digest } from "../digest/digest.ts";
import type { SessionNotes } from "../layers/session-memory/session-memory-compact.ts";
import type { PinnedText } from "../shared/pins.ts";
import type { PlannedEdits } from "../shared/window-state.ts";
import type { PartialSpan } from "../summary/plan-compaction.ts";
import type { WrittenSummary } from "../summary/written-summary.ts";

/** What a summary is made of. */
export interface SummarySources {
  readonly digest: Digest;
  readonly pinned: readonly PinnedText[];
  /** The session's notes: where they can stand for the messages, nobody is asked for a summary. */
  readonly notes?: SessionNotes | undefined;
  /** What a model wrote; without it, or where it cannot be used, the summary is made from the digest. */
  readonly written?: WrittenSummary | undefined;
  /** Only one side of a pivot is summarised. */
  readonly span?: PartialSpan | undefined;
}

/** Why a window is compacted whatever its size: by hand, or for what the provider refused or cut. */
export type CompactReason = "manual" | "reactive" | "silent-overflow" | "media" | "thinking";

/**
 * Why a summary is due. `rent`: for the price's sake, and it may wait. `payback`: the window is full; shorter blocks
 * were enough, but a summary pays for its rewrite sooner.
 */
export type SummaryReason = CompactReason | "threshold" | "payback" | "rent";

/** A summary is due: ask again with {@link SummarySources}. */
export interface SummaryDue {
  readonly needs: "summary";
  readonly reason: SummaryReason;
}

/** What is to be done with the window. */
export type WindowPlan = PlannedEdits | SummaryDue;

export function isSummaryDue(plan: object | undefined): plan is SummaryDue {
  return plan !== undefined && "needs" in plan;
}
