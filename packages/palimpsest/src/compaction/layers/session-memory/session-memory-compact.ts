/**
 * Session-memory compact: the notes that were taken while the agent worked stand for what they tell of,
 * and the recent messages stay behind them. No model is asked when the window is full.
 *
 * What the notes do not tell of never goes: it stays as it is, or the compaction is refused, so that one
 * that reads the messages themselves takes over. On a strict session nothing may stay behind the notes,
 * because thinking would be sent again against another history. There, what the notes do not tell of is
 * told to the letter in the same message, calls and results as quotes; where it cannot be said in words,
 * or is more than would be kept elsewhere, the compaction is refused. Notes are usually a round or two
 * old: were every such session refused, they would hardly ever be of use on a strict one.
 */

import type { EditSafety } from "../../../tokens/models/edit-safety.ts";
import { type ContentBlock, isThinking } from "../../../transcript/blocks.ts";
import type { LayerEdit } from "../../../transcript/edits.ts";
import { groupRounds } from "../../../transcript/rounds.ts";
import type { VisibleMessage } from "../../../transcript/window.ts";
import type { Digest } from "../../digest/digest.ts";
import { readableText } from "../../preview/readable-text.ts";
import { measureMessages, measureText } from "../../shared/measure.ts";
import { composePinned } from "../../shared/pins.ts";
import {
  type CompactionShape,
  planCompactionBefore,
  strictTailStart,
  type TailInput,
} from "../../summary/plan-compaction.ts";
import { findFirstUncovered, findRecentStart, type KeepPolicy } from "./kept-recent.ts";
import {
  composeNotesSummary,
  measureNotesFrame,
  type NewestExchange,
  type NotesSummaryInput,
} from "./session-memory-text.ts";

/** The session's notes as they are now. */
export interface SessionNotes {
  readonly text: string;
  /** The last entry that they tell of. */
  readonly throughSeq: number;
  /** Whether they are the template, with nothing written into it. */
  readonly isEmpty: boolean;
  /** Whether they are still being written, after the time that one waits for them. */
  readonly isUpdateRunning: boolean;
}

/** Sizes of such a compaction. `sessionMemoryPolicy` makes those of a window of a given size. */
export interface SessionMemoryPolicy
  extends KeepPolicy,
    Pick<CompactionShape, "targetTokens" | "maxNewestRoundTokens" | "maxSummaryShare" | "hasHistoryTools"> {
  readonly editSafety: EditSafety;
  /** The user's own words, verbatim. */
  readonly userWordsTokens: number;
  /** Strings that are likely to be needed to the letter. */
  readonly appendixTokens: number;
}

export interface SessionMemoryInput extends TailInput {
  readonly policy: SessionMemoryPolicy;
  /** Absent where none were ever taken. */
  readonly notes: SessionNotes | undefined;
  /** Folded from the log; the user's words and the strings come from it. */
  readonly digest?: Digest | undefined;
}

/** Why the notes cannot stand for the messages. */
export type SessionMemoryRefusal =
  | "no-notes"
  | "empty-notes"
  | "update-running"
  | "pending-call"
  /** Everything that they tell of would stay anyway. */
  | "nothing-to-hide"
  /** What they do not tell of is more than may be kept. */
  | "untold-too-large"
  /** What they do not tell of may not stay, and cannot be said in words. */
  | "untold-not-in-words"
  /** What would be left is larger than what is aimed at. */
  | "over-target"
  /** They are hardly smaller than what they would stand for. */
  | "not-smaller";

export type SessionMemoryPlan =
  | { readonly ok: true; readonly edit: LayerEdit }
  | { readonly ok: false; readonly refusal: SessionMemoryRefusal };

/** Plans the compaction, or says why the notes cannot stand for the messages. */
export function planSessionMemoryCompact(input: SessionMemoryInput): SessionMemoryPlan {
  const { notes, visible, measure, policy } = input;
  if (notes === undefined) return refuse("no-notes");
  if (notes.isUpdateRunning) return refuse("update-running");
  if (notes.isEmpty || notes.text.trim() === "") return refuse("empty-notes");
  if (input.pendingCallIds.length > 0) return refuse("pending-call");

  const uncovered = visible.slice(findFirstUncovered(visible, notes.throughSeq));
  if (measureMessages(uncovered, measure) > policy.mostKeptTokens) return refuse("untold-too-large");
  return policy.editSafety === "strict" ? planStrict(input, notes) : planPermissive(input, notes);
}

const refuse = (refusal: SessionMemoryRefusal): SessionMemoryPlan => ({ ok: false, refusal });

/** The recent messages stay as they are. */
function planPermissive(input: SessionMemoryInput, notes: SessionNotes): SessionMemoryPlan {
  const { visible, measure, policy, pinned = [] } = input;
  const summary = summaryInput(input, notes);
  const besideTokens = measureNotesFrame(summary, measure) + measureText(composePinned(pinned), measure);
  const availableTokens = policy.targetTokens - besideTokens;
  const start = findRecentStart({ visible, throughSeq: notes.throughSeq, policy, availableTokens }, measure);
  return start === undefined ? refuse("nothing-to-hide") : planBefore(input, start, summary);
}

/** Only prompts that nobody has answered stay; what else the notes do not tell of is told to the letter. */
function planStrict(input: SessionMemoryInput, notes: SessionNotes): SessionMemoryPlan {
  const start = strictTailStart(input.visible);
  const hidden = input.visible.slice(0, start);
  const firstUncovered = findFirstUncovered(hidden, notes.throughSeq);
  const isWhole = firstUncovered < hidden.length;
  if (!hidden.slice(firstUncovered).every(isSayable)) return refuse("untold-not-in-words");
  const rounds = groupRounds(hidden);
  const coveredRound = isWhole ? rounds.findLast((round) => round.start <= firstUncovered) : rounds.at(-1);
  if (coveredRound === undefined || (isWhole && coveredRound.start === 0)) return refuse("nothing-to-hide");
  const telling: NewestExchange = { messages: hidden.slice(coveredRound.start), isWhole };
  return planBefore(input, start, { ...summaryInput(input, notes), telling });
}

function summaryInput({ digest, policy }: SessionMemoryInput, { text }: SessionNotes): NotesSummaryInput {
  const { maxNewestRoundTokens, userWordsTokens, appendixTokens, hasHistoryTools } = policy;
  return { notesText: text, digest, maxNewestRoundTokens, userWordsTokens, appendixTokens, hasHistoryTools };
}

function planBefore(input: SessionMemoryInput, start: number, summary: NotesSummaryInput): SessionMemoryPlan {
  const { visible, measure, policy } = input;
  const edit = planCompactionBefore(input, start, {
    kind: "session-memory",
    compose: (budget) => composeNotesSummary(summary, budget, measure),
  });
  if (edit !== undefined) return { ok: true, edit };
  const smallerTokens = measureMessages(visible.slice(0, start), measure) * policy.maxSummaryShare;
  const targetTokens = policy.targetTokens - measureMessages(visible.slice(start), measure);
  return refuse(smallerTokens < targetTokens ? "not-smaller" : "over-target");
}

/** Whether a message can be told as text without losing anything but thinking. A summary is no message of anybody. */
function isSayable({ origin, blocks }: VisibleMessage): boolean {
  return origin !== "summary" && blocks.every(({ block }) => isSayableBlock(block));
}

function isSayableBlock(block: ContentBlock): boolean {
  if (block.type === "text" || block.type === "tool_use" || isThinking(block)) return true;
  if (block.type === "tool_result")
    return !Array.isArray(block.content) || block.content.every(({ type }) => type === "text");
  // What only its provider understands and that says nothing is its kind of thinking.
  return block.type === "opaque" && readableText(block) === "";
}
