/**
 * The input of the window planner, and its result.
 */
import type { Digest } from "../digest/digest.ts";
import type { SessionNotes } from "../layers/session-memory/session-memory-compact.ts";
import type { PinnedText } from "../shared/pins.ts";
import type { PlannedEdits } from "../shared/window-state.ts";
import type { PartialSpan } from "../summary/plan-compaction.ts";
import type { WrittenSummary } from "../summary/summary-prompt.ts";

/** The sources of a summary. */
export interface SummarySources {
  readonly digest: Digest;
  readonly pinned: readonly PinnedText[];
  /** The session's notes: if they can replace the messages, no summary is written. */
  readonly notes?: SessionNotes | undefined;
  /** The summary that a model wrote. Without it, or if it cannot be used, the summary is made from the digest. */
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
  /** True if even the shortest summary that a model could write would be refused: none is paid for. */
  readonly isInVain?: boolean;
}

/** The result of planning. */
export type WindowPlan = PlannedEdits | SummaryDue;

export function isSummaryDue(plan: object | undefined): plan is SummaryDue {
  return plan !== undefined && "needs" in plan;
}
