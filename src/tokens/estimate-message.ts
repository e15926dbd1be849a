/**
 * Tokens of a message: its blocks, and what the message itself costs.
 *
 * Kept by object like the blocks, so that adding a message to a window costs that message only.
 */
import { TOKENS_DEFAULTS } from "../base/defaults/tokens.ts";
import type { ContentBlock } from "../transcript/blocks.ts";
import type { VisibleMessage } from "../transcript/window.ts";
import { estimateBlock } from "./estimate-block.ts";
import { estimateText } from "./estimate-text.ts";

const known = new WeakMap<object, number>();

/** A message of any of the library's shapes: as it was said, or as it is rendered for a request. */
export interface EstimableMessage {
  readonly content: readonly ContentBlock[];
}

/** Estimates a message in reference tokens, not rounded. */
export function estimateMessage(message: EstimableMessage): number {
  const before = known.get(message);
  if (before !== undefined) return before;
  let tokens: number = TOKENS_DEFAULTS.messageTokens;
  for (const block of message.content) tokens += estimateBlock(block);
  known.set(message, tokens);
  return tokens;
}

/** Estimates a message of the window: what is shown of it counts, not what it was. */
export function estimateVisibleMessage(message: VisibleMessage): number {
  const before = known.get(message);
  if (before !== undefined) return before;
  let tokens: number = TOKENS_DEFAULTS.messageTokens;
  for (const visible of message.blocks) tokens += estimateBlock(visible.block);
  known.set(message, tokens);
  return tokens;
}

/** Estimates all messages; O(n) in their number, and in their text only where they are new. */
export function estimateMessages(messages: readonly EstimableMessage[]): number {
  return messages.reduce((sum, message) => sum + estimateMessage(message), 0);
}

/**
 * Thinking of a message alone, in reference tokens: it has its own budget and is reported apart.
 * Ciphered thinking is counted by its size.
 */
export function estimateThinking(message: EstimableMessage): number {
  return message.content
    .filter((block) => block.type === "thinking" || block.type === "redacted_thinking")
    .reduce((sum, block) => sum + estimateBlock(block), 0);
}

/** Estimates what every call of a session carries: the system prompt and the tools in JSON. */
export function estimateFixed(fixed: { readonly system?: string; readonly tools?: string }): number {
  return estimateText(fixed.system ?? "") + estimateText(fixed.tools ?? "");
}
