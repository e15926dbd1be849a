/**
 * The events of a session: every edit and its cost, every repair, every call, every damage
 * found, as data. Nothing that changes what the model sees happens without one of these.
 */
import type { SummaryProblem } from "../../compaction/summary/summary-answer.ts";
import type { LeftOutCounts } from "../../memory/extraction/rule-extractor.ts";
import type { MemoryReceipt } from "../../memory/write/memory-receipt.ts";
import type { ModelFailure, ModelFailureKind } from "../../ports/model-failure.ts";
import type { CompactionTrigger, HookFailure } from "../../ports/session-hooks.ts";
import type { LogDamage } from "../../ports/session-store.ts";
import type { TaskKindName, TaskOutcome } from "../../tasks/task-record.ts";
import type { CacheMiss } from "../../tokens/prompt-cache/prompt-cache-monitor.ts";
import type { Usage } from "../../transcript/blocks.ts";
import type { LayerEdit, RepairReason } from "../../transcript/edits.ts";
import type { SeqPin } from "../../transcript/projection.ts";

/** The event of a notes update. */
export interface NotesUpdate {
  /** `forked` and `cold`: a model was asked; `log`: none was. */
  readonly form: "forked" | "cold" | "log";
  /**
   * `written`: if `throughSeq` is absent, some changes were refused, or gave way to edits by a person meanwhile;
   * `unchanged`: the model read the notes and found nothing to change; `cut-off`: written as far as the answer came,
   * and the notes do not count as covering its messages; `nothing-written`: no change was of use; `dropped`: the
   * conversation went back behind the covered messages; `failed`: see `reason`.
   */
  readonly outcome: "written" | "unchanged" | "cut-off" | "nothing-written" | "dropped" | "failed";
  readonly reason?: string;
  /** The last entry that the notes cover now; absent if they cover no more than before. */
  readonly throughSeq?: number;
  /** Titles of the sections that have another text now. */
  readonly changed: readonly string[];
  /** Changes and calls that had no effect, because an updater may not make them. */
  readonly refusedCount: number;
  /** The usage that the model reported. */
  readonly usage?: Usage | undefined;
  /** Variables of the host's own prompt that there are none of; absent where all are known. */
  readonly unknownVariables?: readonly string[];
}

/** The event of one call for a summary, once its answer is there. */
export interface SummaryCall extends SummaryAttempt {
  readonly outcome: "written" | SummaryProblem | ModelFailureKind;
  readonly tookMs: number;
  readonly usage?: Usage | undefined;
}

/** A call for a summary. */
export interface SummaryAttempt {
  /**
   * The reason for the summary. A compaction by hand may run beside an automatic one: their calls come in any order,
   * and the trigger distinguishes them.
   */
  readonly trigger: CompactionTrigger;
  readonly model: string;
  /** `forked`: the conversation itself; `cold`: a transcript of it; `provider`: made by the provider while it answered. */
  readonly form: "forked" | "cold" | "provider";
  /** 0 for the first call of a summary, counted up by its retries. */
  readonly attempt: number;
}

/**
 * Why something is not shown as it was said: an entry or a block that this version does not know; an edit
 * that goes to where nothing is; a block that no message of its role may hold; a blank text; a tool that
 * said nothing; thinking that is not whole; a call that was cut off; half a character; a picture or document
 * that no provider reads; a block whose blob is gone or damaged.
 */
export type ContentRepairReason =
  | "unknown-entry"
  | "unknown-block"
  | "impossible-edit"
  | "misplaced-block"
  | "empty-text"
  | "empty-result"
  | "broken-thinking"
  | "unfinished-call"
  | "broken-text"
  | "unreadable-media"
  | "missing-blob";

/**
 * An event of a session; `type` says which. `seq` is the entry of the log that records it.
 *
 * - `layer`: a compaction layer made an edit; `why` says in words why then, with the figures, and `edit.freedTokens` and
 *   `edit.loss` what it cost.
 * - `offloaded`: a block arrived over its limit and is shown as a preview; `bytes` is its size in the store.
 * - `repair`: something the provider would refuse was repaired; `subject` is the call or message.
 * - `undone`, `rewound`: an edit was taken back, the conversation went back to `toSeq`.
 * - `pinned`, `unpinned`: a message or a block stays in view from now on, or no longer; `pinnedTokens` is the share of
 *   all pins in `limitTokens`.
 * - `host-edit`: `reconcile` hid messages that the host's list no longer has.
 * - `call`: a request left; `tokens` is its size, unpadded, and `source` where that figure comes from.
 * - `answer`: call `seq` was answered; `usage` is what it cost.
 * - `invariant-broken`: a request breaks a rule and is handed out all the same: a bug of ours, please report it.
 * - `useless-compaction`: one that freed less than `usefulFreedShare`, came within `refillCallsCount` calls of the one
 *   before, or left more than its target; and how many of them came in a row. It is thrashing from
 *   `uselessCompactions` on.
 * - `layer-failed`: a layer failed, and the next one takes over: a bug of ours, please report it; `provider-side`: the
 *   provider refused to edit, or made no summary. After `breakerFailuresCount` failures in a row the layer is passed over
 *   until a compaction by hand.
 * - `usage-distrusted`: a report is far off what the request was expected to be, or says that it cannot fit although by
 *   every estimate it does; it was set aside. A second one that says the same is believed.
 * - `cache-miss`: call `seq` read clearly less from the prompt cache than the call before had left there. `miss` says
 *   why and how much was billed again; `miss.isExpected` is true if it had to be (it had expired, the window was
 *   edited, another model). `changedSeq` is the entry that changed, if it was a message. `describeCacheMiss` puts it
 *   in words. It has names, places and sizes, and no texts.
 * - `summary-started`: a model is asked for a summary now, of `tokens` tokens of conversation; a `summary-call` follows,
 *   unless the compaction is aborted. `isBackground`: the turn goes on meanwhile.
 * - `summary-call`: a model was asked for a summary; `trigger` says by whom, `outcome` what came, `usage` what it cost.
 * - `notes-update`: the session's notes were brought up to date, or were not, and why; in the background.
 * - `notes-unreadable`: the notes, or the user's template or prompt of them, cannot be used now, and `reason` says why.
 * - `memory-recalled`: memories were shown for what the user said, by their paths; `chosenBy` says who chose them, and
 *   `fellBack` why the model did not, or why meanings were not compared; then there may be no paths.
 * - `memory-extracted`: memories were kept, with a receipt each. By rules, `leftOut` counts those that were
 *   not, and why; by a model, `refused` says what it was not allowed, and `usage` what it cost; by the memory tool, the
 *   receipts are of what the model wrote with it and only a tool or the web had said.
 * - `memory-index-cut`: the index of memories is too large, and the session shows a part of it.
 * - `memory-failed`: memories could not be read; the turn goes on without them.
 * - `summary-refused`: a model's summary could not replace the messages (it was not smaller, or did not fit). One is
 *   made without a model if the window needs it. It counts as a failure of the model.
 * - `compaction-vetoed`: a `preCompact` hook would not have it, and the request fits without it.
 * - `model-failed`: a call of the model failed; `failure` says what that means and `isRecovered` whether it is sent
 *   again in another form.
 * - `hook-failed`, `counter-failed`: a hook or a counter threw or did not answer in time, and was passed over; or the
 *   provider reported a usage that cannot be, which counts as not reported.
 * - `restored`, `restore-skipped`: an item was shown again after a compaction, or was not and why.
 * - `checkpoint-failed`: opening will read more; nothing is lost by it.
 * - `history-fell-back`: a search of the history went by words alone, because meanings could not be compared.
 * - `forked`: this session began with `entries` entries of session `parentId`; `missingBlobs` large blocks of it could
 *   not be read there, and are shown as previews only.
 * - `task`: a background task began, waits for input, says something, or ended; `status` is its state then.
 * - `tasks-failed`: the journal or the outputs of tasks cannot be read or written; the turn goes on without them.
 * - `background`: a home did something by itself; `detail` is its result, or the reason why it failed.
 * - `setting-unusable`: a setting of the user's, or an environment variable, cannot be used; `detail` says what is done
 *   instead. Reported once, with the first session.
 * - `closed`: the session was closed; nothing follows.
 * - `mended`: something stored is not shown as it came, because no provider would accept it or its type is unknown;
 *   `reason` says why, `block` which one. Reported when it is appended, and again whenever the log is opened.
 * - `damage`: a stretch of the stored log could not be read and was passed over; `sessionId` where a reader of stored
 *   sessions (search, export, a dream) met it.
 */
export type SessionEvent =
  | {
      readonly type: "layer";
      readonly seq: number;
      readonly layer: LayerEdit["kind"];
      readonly edit: LayerEdit;
      readonly why: string;
    }
  | {
      readonly type: "offloaded";
      readonly seq: number;
      readonly block: number;
      readonly bytes: number;
      readonly freedTokens: number;
    }
  | { readonly type: "repair"; readonly seq: number; readonly reason: RepairReason; readonly subject: string }
  | { readonly type: "undone"; readonly seq: number; readonly editSeq: number }
  | { readonly type: "rewound"; readonly seq: number; readonly toSeq: number }
  | {
      readonly type: "pinned";
      readonly seq: number;
      readonly pin: SeqPin;
      readonly pinnedTokens: number;
      readonly limitTokens: number;
    }
  | { readonly type: "unpinned"; readonly seq: number; readonly pin: SeqPin }
  | {
      readonly type: "host-edit";
      readonly seq: number;
      readonly hiddenMessages: number;
      readonly reason: string;
    }
  | {
      readonly type: "call";
      readonly seq: number;
      readonly model: string;
      readonly tokens: number;
      readonly source: string;
    }
  | { readonly type: "answer"; readonly seq: number; readonly usage?: Usage; readonly stopReason?: string }
  | { readonly type: "invariant-broken"; readonly rule: string; readonly message: number }
  | {
      readonly type: "useless-compaction";
      readonly freedTokens: number;
      readonly targetTokens: number;
      readonly failures: number;
      readonly isThrashing: boolean;
      readonly cause: "freed-little" | "missed-target" | "refilled";
    }
  | {
      readonly type: "layer-failed";
      readonly layer: string;
      readonly reason: string;
      readonly failures: number;
    }
  | { readonly type: "usage-distrusted"; readonly reportedTokens: number; readonly estimatedTokens: number }
  | {
      readonly type: "cache-miss";
      readonly seq: number;
      readonly miss: CacheMiss;
      readonly changedSeq?: number;
    }
  | ({
      readonly type: "summary-started";
      readonly tokens: number;
      readonly isBackground: boolean;
    } & SummaryAttempt)
  | ({ readonly type: "summary-call" } & SummaryCall)
  | ({ readonly type: "notes-update"; readonly tookMs: number } & NotesUpdate)
  | { readonly type: "notes-unreadable"; readonly reason: string }
  | {
      readonly type: "memory-recalled";
      readonly paths: readonly string[];
      readonly tokens: number;
      readonly chosenBy: "model" | "rank";
      readonly fellBack?: string;
    }
  | {
      readonly type: "memory-extracted";
      readonly by: "rules" | "model" | "tool";
      readonly receipts: readonly MemoryReceipt[];
      readonly leftOut?: LeftOutCounts;
      readonly refused?: readonly string[];
      readonly usage?: Usage;
    }
  | { readonly type: "memory-index-cut"; readonly reason: string }
  | { readonly type: "memory-failed"; readonly reason: string }
  | { readonly type: "summary-refused"; readonly model: string; readonly reason: string }
  | { readonly type: "compaction-vetoed"; readonly reason: string; readonly veto: string }
  | {
      readonly type: "model-failed";
      readonly seq: number;
      readonly failure: ModelFailure;
      readonly isRecovered: boolean;
    }
  | ({ readonly type: "hook-failed" } & HookFailure)
  | { readonly type: "counter-failed"; readonly counter: string; readonly reason: string }
  | RestorationEvent
  | { readonly type: "checkpoint-failed"; readonly error: unknown }
  | { readonly type: "history-fell-back"; readonly reason: string }
  | {
      readonly type: "forked";
      readonly parentId: string;
      readonly entries: number;
      readonly missingBlobs: number;
    }
  /** The file system may grant the same lock to two machines: use the sessions from one machine only. */
  | { readonly type: "network-file-system"; readonly kind: string; readonly folder: string }
  | {
      readonly type: "task";
      readonly what: "started" | "waiting" | "message" | "state" | "ended";
      readonly id: string;
      readonly kind: TaskKindName;
      readonly title: string;
      readonly status: "running" | TaskOutcome;
    }
  | { readonly type: "tasks-failed"; readonly reason: string }
  | {
      readonly type: "background";
      readonly job: "clean-up" | "dream" | "extraction" | "start-context" | "sweep";
      readonly outcome: "done" | "failed";
      readonly detail: string;
    }
  | { readonly type: "setting-unusable"; readonly setting: string; readonly detail: string }
  | { readonly type: "closed" }
  | {
      readonly type: "mended";
      readonly seq: number;
      readonly block?: number;
      readonly reason: ContentRepairReason;
    }
  | { readonly type: "damage"; readonly damage: LogDamage; readonly sessionId?: string };

/** Receives the events of a session, for a log, a meter or a progress line. Pass it as `observer`. */
export interface SessionObserver {
  /**
   * Called in the order of the log. An error it throws is dropped: the event has happened already.
   * @param source - where it happened; absent for events of a home, and while a session is being made
   */
  onEvent(event: SessionEvent, source?: { readonly sessionId: string }): void;
}

/** Tells the observer, if there is one. @internal */
export function notify(
  observer: SessionObserver | undefined,
  event: SessionEvent,
  source?: { readonly sessionId: string },
): void {
  try {
    observer?.onEvent(event, source);
  } catch {
    // A meter that breaks must not make an operation fail that the store has acknowledged.
  }
}

/** Why something was not put back. */
export type RestoreSkipReason =
  /** It can still be read in the window. */
  | "visible"
  /** The same thing was put back already. */
  | "duplicate"
  /** No room is left for it. */
  | "budget"
  /** There is nothing to show: an empty text, a file of which the log holds nothing. */
  | "empty"
  /** The restorer returned something that is not an item. */
  | "malformed"
  /** The restorer threw. */
  | "failed"
  /** The restorer did not answer in time. */
  | "timeout"
  /** The compaction was aborted meanwhile. */
  | "aborted";

/** An item that was restored, or was not and why; without a `key`, the restorer as a whole. */
export type RestorationEvent =
  | {
      readonly type: "restored";
      readonly restorer: string;
      readonly kind: string;
      readonly key: string;
      readonly tokens: number;
      /** Less of it is shown than there is. */
      readonly isCut: boolean;
    }
  | {
      readonly type: "restore-skipped";
      readonly restorer: string;
      readonly kind?: string;
      readonly key?: string;
      readonly reason: RestoreSkipReason;
      readonly detail?: string;
    };
