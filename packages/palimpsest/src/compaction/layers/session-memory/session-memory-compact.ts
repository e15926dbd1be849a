/**
 * Session-memory compact: notes taken while the agent worked replace the messages they cover, and the
 * recent messages stay behind them. No model is asked when the window is full.
 *
 * A message that the notes do not cover never disappears: it stays, or the compaction is refused and a
 * layer that reads the messages themselves takes over.
 *
 * On a strict session no message may stay behind the notes, because its thinking would be sent again with
 * another history before it. There, messages that the notes do not cover are quoted to the letter in the
 * same message, calls and results included. If they cannot be quoted as text, or exceed the usual kept
 * tail, the compaction is refused. Notes are usually a round or two old, so without these quotes a strict
 * session could hardly ever use them.
 */
import type { Steps } from "../../../base/steps.ts";
import type { EditSafety } from "../../../tokens/models/edit-safety.ts";
import { type ContentBlock, isThinking } from "../../../transcript/blocks.ts";
import type { LayerEdit } from "../../../transcript/edits.ts";
import { groupRounds, type VisibleMessage } from "../../../transcript/window.ts";
import type { Digest } from "../../digest/digest.ts";
import { readableText } from "../../preview/readable-text.ts";
import { findCuts } from "../../shared/kept-tail.ts";
import { type Measure, measureMessages, measureText } from "../../shared/measure.ts";
import { composePinned } from "../../shared/pins.ts";
import {
  type CompactionShape,
  planCompactionBefore,
  strictTailStart,
  type TailInput,
} from "../../summary/plan-compaction.ts";
import {
  composeNotesSummary,
  measureNotesFrame,
  type NewestExchange,
  type NotesSummaryInput,
} from "./session-memory-text.ts";

/** The session's notes as they are now. */
export interface SessionNotes {
  readonly text: string;
  /** The last entry that the notes cover. */
  readonly throughSeq: number;
  /** True if they are the template, with nothing written into it. */
  readonly isEmpty: boolean;
  /** True if they are still being written after the longest wait. */
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

/** The reason why the notes cannot replace the messages. */
export type SessionMemoryRefusal =
  | "no-notes"
  | "empty-notes"
  | "update-running"
  | "pending-call"
  /** Every message that they cover would stay in any case. */
  | "nothing-to-hide"
  /** The messages that they do not cover exceed the kept tail. */
  | "untold-too-large"
  /** The messages that they do not cover may not stay, and cannot be quoted as text. */
  | "untold-not-in-words"
  /** The rest would exceed the target. */
  | "over-target"
  /** They are hardly smaller than the messages they would replace. */
  | "not-smaller";

export type SessionMemoryPlan =
  | { readonly ok: true; readonly edit: LayerEdit }
  | { readonly ok: false; readonly refusal: SessionMemoryRefusal };

/** Plans the compaction, or returns the reason why the notes cannot replace the messages. */
export function* planSessionMemoryCompact(input: SessionMemoryInput): Steps<SessionMemoryPlan> {
  const { notes, visible, measure, policy } = input;
  if (notes === undefined) return refuse("no-notes");
  if (notes.isUpdateRunning) return refuse("update-running");
  if (notes.isEmpty || notes.text.trim() === "") return refuse("empty-notes");
  if (input.pendingCallIds.length > 0) return refuse("pending-call");

  const uncovered = visible.slice(findFirstUncovered(visible, notes.throughSeq));
  if (measureMessages(uncovered, measure) > policy.mostKeptTokens) return refuse("untold-too-large");
  return policy.editSafety === "strict"
    ? yield* planStrict(input, notes)
    : yield* planPermissive(input, notes);
}

const refuse = (refusal: SessionMemoryRefusal): SessionMemoryPlan => ({ ok: false, refusal });

/** The recent messages stay as they are. */
function* planPermissive(input: SessionMemoryInput, notes: SessionNotes): Steps<SessionMemoryPlan> {
  const { visible, measure, policy, pinned = [] } = input;
  const summary = summaryInput(input, notes);
  const besideTokens = measureNotesFrame(summary, measure) + measureText(composePinned(pinned), measure);
  const availableTokens = policy.targetTokens - besideTokens;
  const start = findRecentStart({ visible, throughSeq: notes.throughSeq, policy, availableTokens }, measure);
  return start === undefined ? refuse("nothing-to-hide") : yield* planBefore(input, start, summary);
}

/** Only unanswered prompts stay; the other messages that the notes do not cover are quoted to the letter. */
function* planStrict(input: SessionMemoryInput, notes: SessionNotes): Steps<SessionMemoryPlan> {
  const start = strictTailStart(input.visible);
  const hidden = input.visible.slice(0, start);
  const firstUncovered = findFirstUncovered(hidden, notes.throughSeq);
  const isWhole = firstUncovered < hidden.length;
  if (!hidden.slice(firstUncovered).every(isSayable)) return refuse("untold-not-in-words");
  const rounds = groupRounds(hidden);
  const coveredRound = isWhole ? rounds.findLast((round) => round.start <= firstUncovered) : rounds.at(-1);
  if (coveredRound === undefined || (isWhole && coveredRound.start === 0)) return refuse("nothing-to-hide");
  const quoted: NewestExchange = { messages: hidden.slice(coveredRound.start), isWhole };
  return yield* planBefore(input, start, { ...summaryInput(input, notes), quoted });
}

function summaryInput({ digest, policy }: SessionMemoryInput, { text }: SessionNotes): NotesSummaryInput {
  const { maxNewestRoundTokens, userWordsTokens, appendixTokens, hasHistoryTools } = policy;
  return { notesText: text, digest, maxNewestRoundTokens, userWordsTokens, appendixTokens, hasHistoryTools };
}

function* planBefore(
  input: SessionMemoryInput,
  start: number,
  summary: NotesSummaryInput,
): Steps<SessionMemoryPlan> {
  const { visible, measure, policy } = input;
  const edit = yield* planCompactionBefore(input, start, {
    kind: "session-memory",
    ledger: summary.digest?.literals,
    compose: (budget) => composeNotesSummary(summary, budget, measure),
  });
  if (edit !== undefined) return { ok: true, edit };
  const smallerTokens = measureMessages(visible.slice(0, start), measure) * policy.maxSummaryShare;
  const targetTokens = policy.targetTokens - measureMessages(visible.slice(start), measure);
  return refuse(smallerTokens < targetTokens ? "not-smaller" : "over-target");
}

/** True if a message can be quoted as text without losing anything except thinking. A summary is not a message of either side. */
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

// The kept tail always starts at or before the first message that the notes do not cover. From there it
// grows backwards, so that the agent still sees the files and results it works with: until it has enough
// tokens and enough messages with words, and never beyond the maximum. Only a call with its result, or one
// response, may exceed it.

/** The size of the kept tail, in tokens as `measure` counts them. */
interface KeepPolicy {
  readonly leastKeptTokens: number;
  /** At least this many messages that say something in words. */
  readonly leastKeptTextCount: number;
  readonly mostKeptTokens: number;
}

interface RecentInput {
  readonly visible: readonly VisibleMessage[];
  /** The last entry that the notes cover. */
  readonly throughSeq: number;
  readonly policy: KeepPolicy;
  /** The room beside the notes: the tail does not grow beyond it. */
  readonly availableTokens: number;
}

/** Returns the start of the recent messages; `undefined` if there is no place to cut before them. */
export function findRecentStart(input: RecentInput, measure: Measure): number | undefined {
  const { visible, throughSeq, policy } = input;
  const cuts = findCutsAfterSummary(visible);
  const firstUncovered = findFirstUncovered(visible, throughSeq);
  let start = cuts.findLast((cut) => cut <= firstUncovered);
  if (start === undefined) return undefined;
  let kept = sizeOf(visible.slice(start), measure);
  const mostTokens = Math.min(policy.mostKeptTokens, input.availableTokens);
  for (const cut of cuts.filter((one) => one < start!).toReversed()) {
    if (kept.tokens >= policy.leastKeptTokens && kept.textCount >= policy.leastKeptTextCount) break;
    const more = sizeOf(visible.slice(cut, start), measure);
    if (kept.tokens + more.tokens > mostTokens) break;
    kept = { tokens: kept.tokens + more.tokens, textCount: kept.textCount + more.textCount };
    start = cut;
  }
  return start;
}

/** An earlier summary, and messages restored beside it, are never kept: the notes cover them. */
function findCutsAfterSummary(visible: readonly VisibleMessage[]): readonly number[] {
  const lastSummary = visible.findLastIndex(
    ({ origin, insertedBy }) => origin === "summary" && insertedBy !== undefined,
  );
  return findCuts(visible).filter((cut) => cut > lastSummary);
}

/**
 * Returns the index of the first message that notes up to `throughSeq` do not cover; the window's length if
 * they cover all. A summary is as new as the newest entry it replaces.
 */
function findFirstUncovered(visible: readonly VisibleMessage[], throughSeq: number): number {
  const index = visible.findIndex((message) => isUncovered(message, throughSeq));
  return index === -1 ? visible.length : index;
}

/** Also what the host put in the place of an old message after the notes were taken is new to them. */
function isUncovered({ seq, insertedBy, origin }: VisibleMessage, throughSeq: number): boolean {
  if (seq > throughSeq) return true;
  return insertedBy !== undefined && insertedBy > throughSeq && CONVERSATION_ORIGINS.has(origin);
}

const CONVERSATION_ORIGINS: ReadonlySet<string> = new Set(["user", "assistant", "tool", "host"]);

function sizeOf(messages: readonly VisibleMessage[], measure: Measure) {
  return { tokens: measureMessages(messages, measure), textCount: messages.filter(saysSomething).length };
}

function saysSomething({ role, blocks }: VisibleMessage): boolean {
  return role !== "system" && blocks.some(({ block }) => block.type === "text" && block.text.trim() !== "");
}
