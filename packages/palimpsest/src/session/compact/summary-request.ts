/**
 * The data of a summary that is due: what it is written from, and how far obtaining it is.
 */
import type { SummaryReason } from "../../compaction/planner/window-plan.ts";
import type { LayerLimits } from "../../compaction/shared/layer-limits.ts";
import type { Measure } from "../../compaction/shared/measure.ts";
import type { PartialSpan } from "../../compaction/summary/plan-compaction.ts";
import type { WrittenSummary } from "../../compaction/summary/summary-prompt.ts";
import type { ProviderEditPlan } from "../../ports/model-client.ts";
import type { CompactionTrigger } from "../../ports/session-hooks.ts";
import type { ContextBudget } from "../../tokens/budget/budget.ts";
import type { CacheMark, RequestMessage, VisibleMessage } from "../../transcript/window.ts";
import type { CacheLifetimes } from "../model/model-call.ts";
import type { CallRequest } from "../options/prepared-call.ts";

/** The trigger that hooks and the observer see, by reason. */
export const TRIGGERS: Readonly<Record<SummaryReason, CompactionTrigger>> = {
  threshold: "auto",
  payback: "auto",
  rent: "auto",
  manual: "manual",
  reactive: "reactive",
  "silent-overflow": "reactive",
  media: "reactive",
  thinking: "reactive",
};

/** A summary that is due. */
export interface SummaryAsk {
  readonly trigger: CompactionTrigger;
  readonly reason: SummaryReason;
  /** The request that the session is making: a forked call shares all of it. */
  readonly request: CallRequest;
  /** The conversation as it would be sent. */
  readonly messages: readonly RequestMessage[];
  /** Edits that the provider makes of it, as of the conversation's own requests. */
  readonly providerEdits: ProviderEditPlan | undefined;
  /** Marks of the last request that left. */
  readonly cacheMarks: readonly CacheMark[];
  readonly cacheLifetimes: CacheLifetimes;
  readonly visible: readonly VisibleMessage[];
  /** The last entry that is in `messages`. */
  readonly throughSeq: number;
  /** Counts up with each edit: a summary of a window that was edited since is of no use. */
  readonly revision: number;
  readonly isWarm: boolean;
  /** True if no model is asked, because the summary only saves money. */
  readonly isFromLog: boolean;
  /** Size of the request, padded. */
  readonly usedTokens: number;
  readonly budget: ContextBudget;
  /** Numbers of the layers. */
  readonly limits: LayerLimits;
  /** The longest answer that the model gives; `undefined` if that is not known. */
  readonly maxOutputTokens: number | undefined;
  /** In tokens of the model that is being called. */
  readonly measure: Measure;
  /** The safety factor for a measured size that must not be too small. */
  readonly padding: number;
  readonly instructions?: string | undefined;
  readonly span?: PartialSpan | undefined;
}

/** A compaction that a person asked for. */
export interface ByHand {
  /** One side of a pivot only. */
  readonly span?: PartialSpan | undefined;
  readonly instructions?: string | undefined;
  /** True if the conversation was sent with this request before: only then a call can share its prefix. */
  readonly hasPrefix: boolean;
}

/** The progress of obtaining a summary. */
export interface SummaryProgress {
  /** A model's summary. */
  readonly written?: WrittenSummary | undefined;
  /** The window that it was written for; left out if that was checked already. */
  readonly revision?: number;
  /** True if no hook has wishes that the notes could not know of. */
  readonly mayUseNotes: boolean;
  readonly wasUpdating?: boolean;
  readonly hasWaitedForNotes?: boolean;
  readonly isHookAsked?: boolean;
  /** True once there will be no other summary. */
  readonly isSettled?: boolean;
  readonly veto?: string | undefined;
}
