/**
 * Sizes: how planners measure blocks, scale token numbers to a window, share a budget, and fill it with lines.
 *
 * Planners are given the function that measures, so that a layer cuts by the same estimate that triggered
 * it.
 */

import { DEFAULTS } from "../../base/defaults/compaction/window.ts";
import type { Steps } from "../../base/steps.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import type { VisibleMessage } from "../../transcript/window.ts";

/** Window down to which floors hold, in tokens. Source: where-the-numbers-come-from.md, "Arrival limits": the smallest window that was measured. */
const FLOOR_WINDOW_TOKENS = 32_000;

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

/** A number of tokens in the reference window, and the least it shrinks to in small ones. */
export interface ScaledTokens {
  readonly tokens: number;
  readonly floor: number;
}

/** The number for a window of `windowTokens`: never above `tokens`, growing with the window. */
export function scaleTokens({ tokens, floor }: ScaledTokens, windowTokens: number): number {
  const scaled = tokens * Math.min(1, windowTokens / DEFAULTS.referenceWindowTokens);
  const scaledFloor = floor * Math.min(1, windowTokens / FLOOR_WINDOW_TOKENS);
  return Math.max(1, Math.round(Math.max(scaled, scaledFloor)));
}

/** The level, or `Infinity` where everything fits as it is. Zero where nothing is left for any. */
export function fairShare(sizes: readonly number[], total: number): number {
  const ascending = [...sizes].sort((a, b) => a - b);
  let left = total;
  for (let index = 0; index < ascending.length; index++) {
    const level = left / (ascending.length - index);
    if (ascending[index]! > level) return Math.max(0, level);
    left -= ascending[index]!;
  }
  return Number.POSITIVE_INFINITY;
}

/** Lines of which only the first ones are needed. */
export type Lines = Pick<readonly string[], "length" | "slice">;

/** A line for each of the items, written once it is looked at. */
export function linesOf<Item>(items: readonly Item[], lineOf: (item: Item) => string): Lines {
  const written: string[] = [];
  return {
    length: items.length,
    slice: (from = 0, to = items.length) => {
      for (const item of items.slice(written.length, to)) written.push(lineOf(item));
      return written.slice(from, to);
    },
  };
}

/** The longest prefix of `items` that measures within the budget, joined by `separator`. */
export function* fitPrefix(
  items: Lines,
  budgetTokens: number,
  measure: Measure,
  separator = "\n",
): Steps<readonly string[]> {
  const fits = (count: number) => measureText(items.slice(0, count).join(separator), measure) <= budgetTokens;
  if (budgetTokens <= 0) return [];
  let low = 0;
  let high = 1;
  // Doubling first: the measured text stays near the budget, however long the list is.
  while (high <= items.length && fits(high)) {
    low = high;
    high *= 2;
    yield;
  }
  high = Math.min(high, items.length + 1);
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (fits(middle)) low = middle;
    else high = middle;
    yield;
  }
  return items.slice(0, low);
}
