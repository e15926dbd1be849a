/**
 * Edits: what the reader shall see instead.
 *
 * An edit never changes an entry. It is appended like everything else and carries its whole effect
 * as data: messages that are hidden, blocks that are shown in another form, messages that are
 * inserted. The projection knows only these three effects (and undo and rewind), so a new kind of
 * layer needs no new kind of folding, and undoing any edit means leaving its effect out.
 */
import type { BlobRef, ContentBlock, Message, Usage } from "./blocks.ts";

/** Message entries from one sequence number to another, both included. */
export interface SeqRange {
  readonly from: number;
  readonly to: number;
}

/** One block in another form. */
export interface BlockForm {
  /** The message entry; of an inserted message, the entry it stands after. */
  readonly seq: number;
  /** The edit that inserted the message, where it is not an entry. */
  readonly insertedBy?: number;
  /** Index of the block in its entry's content. */
  readonly block: number;
  /** The replacement; `undefined` where the block is not shown at all. */
  readonly shown?: ContentBlock;
  /** Place of the whole block, if the edit moved it. */
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
  /** Earlier edits whose inserted messages are not shown any longer. */
  readonly hideInserted?: readonly number[];
  /** Blocks that are shown otherwise, or not at all. */
  readonly forms?: readonly BlockForm[];
  /** Messages that are shown in addition. */
  readonly insert?: readonly Insertion[];
}

/** The loss report of one edit: kinds and sizes of content that is no longer visible. */
export interface LossReport {
  readonly messages: number;
  readonly blocks: number;
  /** Distinct things that can no longer be read in the window, by kind, most important first. */
  readonly files: readonly string[];
  readonly commands: readonly string[];
  readonly strings: readonly string[];
  /** User messages that are no longer verbatim. */
  readonly userMessages: number;
  /** The way to get it back, in words for the model and for people. */
  readonly recovery: string;
}

/**
 * The layer that made an edit; `full` is a summary that a model wrote, `peel` also what represents media that
 * were too large, `session-memory` a summary that the session's notes represent. `reactive` is reserved, and
 * edits of that kind are folded like any other.
 */
export type LayerName =
  | "offload"
  | "microcompact"
  | "collapse"
  | "extractive"
  | "full"
  | "session-memory"
  | "reactive"
  | "peel";

/** An edit of one of the layers. */
export interface LayerEdit {
  readonly kind: LayerName;
  readonly effect: EditEffect;
  /** Why now, in one word or two: `arrival`, `usage`, `threshold`, `manual` … */
  readonly reason: string;
  /** Estimated tokens that the window lost by it (unpadded). */
  readonly freedTokens: number;
  /** Content that can no longer be read in the window; of compactions. */
  readonly loss?: LossReport;
  /** True if everything before the end of the effect is now told by a summary. */
  readonly isBoundary?: boolean;
  /** The model that wrote the summary, and what its calls cost; absent where none was asked. */
  readonly writtenBy?: { readonly model: string; readonly usage?: Usage };
}

/** The repairs. */
export interface Repair {
  readonly reason: RepairReason;
  /** The tool call or message that it is about. */
  readonly subject: string;
}

/** Repairs of a damaged or cut history, all that one request needed: reported and undoable like any edit. */
export interface RepairEdit {
  readonly kind: "repair";
  readonly effect: EditEffect;
  /** The reason of the first repair. */
  readonly reason: RepairReason;
  readonly repairs: readonly Repair[];
}

/**
 * The defect: a result without its call, after other messages or given twice; a call id used twice;
 * a call that no one answered; half of a pair of server-tool blocks; a request that does not begin, or
 * does not end, with the user; thinking of an answer that came after what it answers was edited.
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
  | "late-thinking";

/** The host's list differed from the log: what it left out, changed or put in. */
interface HostEdit {
  readonly kind: "host";
  readonly effect: EditEffect;
  readonly reason: string;
}

/** The provider cleared something on its side; the window is unchanged, the figure is subtracted. */
interface ProviderClearEdit {
  readonly kind: "provider-clear";
  readonly freedTokens: number;
  readonly reason: string;
}

/** Keeps a message, or one block of it, out of the reach of every layer, and has compactions carry it over; `unpin` lets go of it. */
interface PinEdit {
  readonly kind: "pin" | "unpin";
  readonly seq: number;
  readonly block?: number;
}

/** Leaves the effect of an earlier edit out. */
interface UndoEdit {
  readonly kind: "undo";
  readonly editSeq: number;
}

/** Moves the head back: the line goes on from `toSeq`, later entries leave it (and stay in the log). */
interface RewindEdit {
  readonly kind: "rewind";
  readonly toSeq: number;
}

/** Edits that change what is shown, and that `undo` can take back. */
export type EffectEdit = LayerEdit | RepairEdit | HostEdit;
/** The edit of an {@link EditEntry}, by `kind`. */
export type Edit = EffectEdit | ProviderClearEdit | PinEdit | UndoEdit | RewindEdit;

export function hasEffect(edit: Edit): edit is EffectEdit {
  return "effect" in edit;
}
