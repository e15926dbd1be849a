/**
 * Sizes of stretches of a window that the planner decides by, and the checks of which layers it may use.
 */
import type { WindowState } from "../shared/window-state.ts";

/** True if a model or the digest can write a summary. */
export function canSummarise({ writesSummaries, disabledLayers }: WindowState): boolean {
  return !disabledLayers.has("extractive") || (writesSummaries === true && !disabledLayers.has("full"));
}

/** The window for a compaction by hand: where all summaries are switched off, the one from the log is allowed. */
export function withSummaries(state: WindowState): WindowState {
  if (canSummarise(state)) return state;
  const disabledLayers = new Set([...state.disabledLayers].filter((layer) => layer !== "extractive"));
  return { ...state, disabledLayers };
}

/** From the message at `first` on. */
export function tokensBehind({ visible, measure }: WindowState, first: number): number {
  let tokens = 0;
  for (const { blocks } of visible.slice(first)) for (const { block } of blocks) tokens += measure(block);
  return tokens;
}

/** Tokens appended since the last call, which no model has seen. */
export function unsentTokens({ visible, measure, lastCallSeq }: WindowState): number {
  let tokens = 0;
  for (let index = visible.length - 1; index >= 0; index--) {
    const { seq, role, insertedBy, blocks } = visible[index]!;
    if (seq <= lastCallSeq || insertedBy !== undefined) break;
    if (role !== "assistant") for (const { block } of blocks) tokens += measure(block);
  }
  return tokens;
}

/** True if old rounds may be shown as one line each. */
export function mayCollapse({ editSafety, disabledLayers }: WindowState): boolean {
  return editSafety === "permissive" && !disabledLayers.has("collapse");
}

/**
 * True if they may collapse before a provider refuses anything: a summary that costs no call keeps more of
 * the strings needed later for fewer tokens, so lines are used only if there is no summary
 * (where-the-numbers-come-from.md, "Policies").
 */
export function mayCollapseEarly(state: WindowState): boolean {
  return mayCollapse(state) && state.disabledLayers.has("extractive");
}
