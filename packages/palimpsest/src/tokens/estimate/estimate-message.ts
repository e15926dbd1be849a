/**
 * Tokens of a message: its blocks, and what the message itself costs.
 *
 * Kept by object like the blocks, so that adding a message to a window costs that message only.
 */
import { TOKENS_DEFAULTS } from "../../base/defaults/tokens/tokens.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import type { VisibleMessage } from "../../transcript/window.ts";
import { estimateBlock, holdsSizedMedia } from "./estimate-block.ts";
import { estimateText } from "./estimate-text.ts";

/** Estimates of messages without media: those are the same for every model. */
const known = new WeakMap<object, number>();

/** A message of any of the library's shapes: as it was said, or as it is rendered for a request. */
export interface EstimableMessage {
  readonly content: readonly ContentBlock[];
}

/** Estimates a message in reference tokens, not rounded. Its media are priced by the rules of `model`'s vendor. */
export function estimateMessage(message: EstimableMessage, model?: string): number {
  return known.get(message) ?? weigh(message, message.content, model);
}

/** Estimates a message of the window: what is shown of it counts, not what it was. */
export function estimateVisibleMessage(message: VisibleMessage, model?: string): number {
  const before = known.get(message);
  if (before !== undefined) return before;
  return weigh(
    message,
    message.blocks.map(({ block }) => block),
    model,
  );
}

function weigh(message: object, content: readonly ContentBlock[], model: string | undefined): number {
  let tokens: number = TOKENS_DEFAULTS.messageTokens;
  for (const block of content) tokens += estimateBlock(block, model);
  if (!content.some(holdsSizedMedia)) known.set(message, tokens);
  return tokens;
}

/** Estimates all messages; O(n) in their number, and in their text only where they are new. */
export function estimateMessages(messages: readonly EstimableMessage[], model?: string): number {
  return messages.reduce((sum, message) => sum + estimateMessage(message, model), 0);
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
