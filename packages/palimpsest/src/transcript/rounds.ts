/**
 * API rounds: the messages from one assistant response up to the next.
 *
 * A round is the smallest piece that may be hidden or kept alone: a call and its results are in one
 * round, and so are the chunks of one response. What stands before the first response is a round
 * of its own.
 */
import type { VisibleMessage } from "./window.ts";

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
