/**
 * Sizes of stretches of a window that the planner decides by, and whether anybody can write a summary.
 */
import type { Room } from "../shared/window-state.ts";

/** Whether anybody can write a summary: a model, or the digest. */
export function canSummarise({ writesSummaries, disabledLayers }: Room): boolean {
  return !disabledLayers.has("extractive") || (writesSummaries === true && !disabledLayers.has("full"));
}

/** From the message at `first` on. */
export function tokensBehind({ visible, measure }: Room, first: number): number {
  let tokens = 0;
  for (const { blocks } of visible.slice(first)) for (const { block } of blocks) tokens += measure(block);
  return tokens;
}

/** What was appended since the last call, and no model has seen. */
export function unsentTokens({ visible, measure, lastCallSeq }: Room): number {
  let tokens = 0;
  for (let index = visible.length - 1; index >= 0; index--) {
    const { seq, role, insertedBy, blocks } = visible[index]!;
    if (seq <= lastCallSeq || insertedBy !== undefined) break;
    if (role !== "assistant") for (const { block } of blocks) tokens += measure(block);
  }
  return tokens;
}
