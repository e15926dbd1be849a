/**
 * Edits: entries that change what the window shows of earlier entries.
 *
 * An edit never changes an entry. It is appended to the log and carries its whole effect as data: messages to hide, blocks
 * to show in another form, messages to insert. The projection knows only these effects (and undo and rewind). So a new
 * layer needs no new code in the projection, and undoing an edit means leaving its effect out.
 */
import type { JsonValue } from "../base/json/json.ts";
import type { BlobRef, ContentBlock, Message, Usage } from "./blocks.ts";

/** Message entries from one sequence number to another, both included. */
export interface SeqRange {
  readonly from: number;
  readonly to: number;
}

/** One block in another form. */
export interface BlockForm {
  /** The message entry; for an inserted message, the entry that it follows. */
  readonly seq: number;
  /** The edit that inserted the message; absent for a message entry. */
  readonly insertedBy?: number;
  /** Index of the block in its entry's content. */
  readonly block: number;
  /** The replacement; `undefined` to hide the block. */
  readonly shown?: ContentBlock;
  /** The stored text of the whole block, if the edit moved it beside the log. */
  readonly blob?: BlobRef;
}

/** Messages shown after the message entry `afterSeq` (0: before everything). */
export interface Insertion {
  readonly afterSeq: number;
  readonly messages: readonly Message[];
}

/** All that an edit changes in the window, applied in this order: messages are hidden, blocks take other forms, messages are inserted. */
export interface EditEffect {
  /** Messages of the log that are not shown. */
  readonly hide?: readonly SeqRange[];
  /** Earlier edits whose inserted messages are hidden. */
  readonly hideInserted?: readonly number[];
  /** Blocks that are shown in another form, or not at all. */
  readonly forms?: readonly BlockForm[];
  /** Messages that are shown in addition. */
  readonly insert?: readonly Insertion[];
}

/** The loss report of one edit: kinds and sizes of content that is no longer visible. */
export interface LossReport {
  readonly messages: number;
  readonly blocks: number;
  /** Files whose content the window no longer shows, most important first; likewise the two lists below. */
  readonly files: readonly string[];
  readonly commands: readonly string[];
  readonly strings: readonly string[];
  /** User messages that are no longer verbatim. */
  readonly userMessages: number;
  /** How to get the content back, in words for the model and for people. */
  readonly recovery: string;
}

/**
 * The layer that made an edit. `full` is a summary that a model wrote; `session-memory` uses the session's notes as the
 * summary; `peel` shows the largest blocks as previews and replaces media that a provider refused as too large.
 * `provider-clear` is what the provider did on its side: cleared old results, or summarised what came before.
 * `reactive` is reserved; such edits are folded like any other.
 */
export type LayerName =
  | "offload"
  | "microcompact"
  | "collapse"
  | "extractive"
  | "full"
  | "session-memory"
  | "reactive"
  | "peel"
  | "provider-clear";

/** An edit of one of the layers. */
export interface LayerEdit {
  readonly kind: LayerName;
  readonly effect: EditEffect;
  /** The reason for the edit, in a word or two: `arrival`, `usage`, `threshold`, `manual` … */
  readonly reason: string;
  /** Estimated tokens by which the window became smaller, without a safety margin. Files, plans and lists that a compaction shows again are not subtracted. */
  readonly freedTokens: number;
  /** Content that the window no longer shows; only for compactions. */
  readonly loss?: LossReport;
  /** True if a summary replaces everything up to the end of the effect. */
  readonly isBoundary?: boolean;
  /** The model that wrote the summary, and the usage of its calls; absent if no model was called. */
  readonly writtenBy?: { readonly model: string; readonly usage?: Usage };
  /** Content that the provider leaves out of each request, although it is sent; only of `provider-clear`. */
  readonly cleared?: ProviderCleared;
  /** The provider's report of it, in its own words. */
  readonly reported?: JsonValue;
}

/** True if the edit is a compaction: a summary replaces what came before. @internal */
export function isBoundary(edit: Edit): edit is LayerEdit {
  return "isBoundary" in edit && edit.isBoundary === true;
}

/**
 * Content that a provider clears on its side, by place: the log and the messages that are sent stay whole, and every
 * request asks for the same again.
 */
export interface ProviderCleared {
  /** Results of tools up to this entry are cleared. */
  readonly throughSeq: number;
  /** Tools whose results stay. */
  readonly keptTools: readonly string[];
  /** Thinking up to this entry is cleared. */
  readonly thinkingThroughSeq?: number;
  /** Tokens by which all of it makes the request smaller, as the provider reports them. */
  readonly tokens?: number;
}

/** One repair of a {@link RepairEdit}. */
export interface Repair {
  readonly reason: RepairReason;
  /** The tool call or message that it is about. */
  readonly subject: string;
}

/** All repairs of a damaged or cut history that one request needed: reported and undoable like any edit. */
export interface RepairEdit {
  readonly kind: "repair";
  readonly effect: EditEffect;
  /** The reason of the first repair. */
  readonly reason: RepairReason;
  readonly repairs: readonly Repair[];
}

/**
 * The defect that a repair fixes.
 *
 * - `orphan-result`, `late-result`, `duplicate-result`: a result without its call, after other messages, or given twice
 * - `duplicate-call-id`: an id that two calls have
 * - `unanswered-call`: a call without a result
 * - `unpaired-server-tool`: a server tool's call without its result, or the reverse
 * - `missing-first-user`, `missing-last-user`: a request that does not begin, or does not end, with the user
 * - `late-thinking`: thinking in an answer that arrived after its request was edited
 * - `adopted-thinking`: thinking from elsewhere, behind a block that was whole there and is shown in part
 */
export type RepairReason =
  | "orphan-result"
  | "late-result"
  | "duplicate-result"
  | "duplicate-call-id"
  | "unanswered-call"
  | "unpaired-server-tool"
  | "missing-first-user"
  | "missing-last-user"
  | "late-thinking"
  | "adopted-thinking";

/** The host's list differed from the log: what it left out, changed or put in. */
interface HostEdit {
  readonly kind: "host";
  readonly effect: EditEffect;
  readonly reason: string;
}

/** The form without an effect that was reserved at first; it changes nothing. */
interface ReservedProviderClearEdit {
  readonly kind: "provider-clear";
  readonly freedTokens: number;
  readonly reason: string;
}

/** Protects a message, or one block of it, from every layer; compactions carry it over. `unpin` ends the protection. */
interface PinEdit {
  readonly kind: "pin" | "unpin";
  readonly seq: number;
  readonly block?: number;
}

/** Takes back the effect of an earlier edit. */
interface UndoEdit {
  readonly kind: "undo";
  readonly editSeq: number;
}

/** Moves the head back: the line continues from `toSeq`. Later entries leave the line but stay in the log. */
interface RewindEdit {
  readonly kind: "rewind";
  readonly toSeq: number;
}

/** Edits that change what is shown, and that `undo` can take back. */
export type EffectEdit = LayerEdit | RepairEdit | HostEdit;
/** The edit of an {@link EditEntry}, by `kind`. */
export type Edit = EffectEdit | ReservedProviderClearEdit | PinEdit | UndoEdit | RewindEdit;

/** True if the edit changes what is shown. */
export function hasEffect(edit: Edit): edit is EffectEdit {
  return "effect" in edit;
}
