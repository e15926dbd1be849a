/**
 * How planners learn the size of things: a function they are given, so that the estimate that
 * triggers a layer is the one that the layer cuts by.
 */
import type { ContentBlock } from "../../transcript/blocks.ts";
import type { VisibleMessage } from "../../transcript/window.ts";

/** Estimated tokens of one block. */
export type Measure = (block: ContentBlock) => number;

export function measureText(text: string, measure: Measure): number {
  return measure({ type: "text", text });
}

export function measureMessage(message: VisibleMessage, measure: Measure): number {
  return message.blocks.reduce((sum, { block }) => sum + measure(block), 0);
}

export function measureMessages(messages: readonly VisibleMessage[], measure: Measure): number {
  return messages.reduce((sum, message) => sum + measureMessage(message, measure), 0);
}

/**
 * Index from which on messages belong to the newest `tailTokens`: they are left alone. The newest
 * message always belongs to it.
 */
export function recentTailStart(
  messages: readonly VisibleMessage[],
  tailTokens: number,
  measure: Measure,
): number {
  let start = messages.length;
  let tokens = 0;
  while (start > 0) {
    tokens += measureMessage(messages[start - 1]!, measure);
    if (tokens > tailTokens && start < messages.length) break;
    start--;
  }
  return start;
}
