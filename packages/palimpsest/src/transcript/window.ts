/**
 * The window: what the model sees on the next call, as values that planners read.
 *
 * A window is a list of visible messages in order. Each carries where it came from, so that a
 * planner can name what it wants shown differently; no one changes a window, edits do.
 *
 * An API round is the messages from one assistant response up to the next: the smallest piece that may be hidden
 * or kept alone, because a call and its results, and the chunks of one response, are in one round. The messages
 * before the first response are a round, too.
 */
import type { BlobRef, ContentBlock, Origin, Role } from "./blocks.ts";

/** One block as it is shown. */
export interface VisibleBlock {
  /** Index in its entry's (or inserted message's) content; hidden blocks leave gaps. */
  readonly index: number;
  /** The content that is shown. */
  readonly block: ContentBlock;
  /** `original`, or the first form it was stored with, or the form an edit gave it. */
  readonly form: "original" | "preview" | "edited";
  /** Place of the whole block when `block` is a part of it and the log has no copy. */
  readonly blob?: BlobRef;
}

/** One message as it is shown: an entry of the log, or a message inserted by an edit. */
export interface VisibleMessage {
  /** The entry's sequence number; of an inserted message, that of the entry it stands after. */
  readonly seq: number;
  /** Sequence number of the edit that inserted it; absent for a message entry. */
  readonly insertedBy?: number;
  readonly role: Role;
  readonly origin: Origin;
  readonly responseId?: string;
  /** The model that answered, where it is known. */
  readonly model?: string;
  /** The call that it answers: what was appended after that call follows it. */
  readonly answerTo?: number;
  /** When it was said, in milliseconds since the epoch. */
  readonly at: number;
  /** The blocks that are shown, in order; none where nothing is left. */
  readonly blocks: readonly VisibleBlock[];
}

/**
 * One message of a request: neighbours of one role joined, results leading the message that
 * answers their calls. Valid for every provider; `formats/` turns it into a provider's shape.
 */
export interface RequestMessage {
  readonly role: Role;
  readonly content: readonly ContentBlock[];
  readonly responseId?: string;
}

/** A block of a request by its place: `block` in the content of `message`. Where a cache mark stands. */
export interface CacheMark {
  /** Index of the message in the request. */
  readonly message: number;
  /** Index of the block in the message. */
  readonly block: number;
}

/** A stretch of the window, by index: `start` included, `end` not. */
export interface Round {
  readonly start: number;
  readonly end: number;
}

/** The rounds of a window, oldest first. Together they are the whole window. */
export function groupRounds(visible: readonly VisibleMessage[]): readonly Round[] {
  const starts: number[] = visible.length === 0 ? [] : [0];
  let responseId: string | undefined;
  for (let index = 0; index < visible.length; index++) {
    const message = visible[index]!;
    if (message.role !== "assistant") continue;
    const isNewResponse = message.responseId === undefined || message.responseId !== responseId;
    responseId = message.responseId;
    if (isNewResponse && index > 0) starts.push(index);
  }
  return starts.map((start, position) => ({ start, end: starts[position + 1] ?? visible.length }));
}
