/**
 * Helpers of the planner: sizes of parts of the window, and checks of which layers it may use.
 */
import type { PlannedEdits, WindowState } from "../shared/window-state.ts";
import type { CostPolicy } from "./cost-policy.ts";

/** Share of the effective window. No model summarises fewer messages in a window that only reports call full. Our choice: hiding them frees less than a summary may cost. */
const LEAST_MESSAGES_SHARE = 0.05;

/**
 * True if the window is full by reports, and by estimate it holds next to nothing. Then the rest is a prompt that is not
 * known here, or the reports are wrong. A summary by a model helps against neither.
 */
export function isFullByReportsAlone({ usedTokens, estimated, budget }: WindowState): boolean {
  if (estimated === undefined || usedTokens < budget.offloadGateTokens) return false;
  return (
    estimated.requestTokens < budget.offloadGateTokens &&
    estimated.messagesTokens < LEAST_MESSAGES_SHARE * budget.effectiveTokens
  );
}

/** True if a summary is possible: written by a model, or extracted from the log (`extractive`). */
export function canSummarise({ writesSummaries, disabledLayers }: WindowState): boolean {
  return !disabledLayers.has("extractive") || (writesSummaries === true && !disabledLayers.has("full"));
}

/** Returns the state for a manual compaction: if all summaries are disabled, the extractive one is enabled. */
export function withSummaries(state: WindowState): WindowState {
  if (canSummarise(state)) return state;
  const disabledLayers = new Set([...state.disabledLayers].filter((layer) => layer !== "extractive"));
  return { ...state, disabledLayers };
}

/** Tokens of the messages from index `first` on. */
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
 * True if old rounds may collapse before a provider has refused a request. An extractive summary costs no call either, and
 * keeps more of the strings needed later in fewer tokens, so rounds collapse early only if it is disabled
 * (where-the-numbers-come-from.md, "Policies").
 */
export function mayCollapseEarly(state: WindowState): boolean {
  return mayCollapse(state) && state.disabledLayers.has("extractive");
}

/** False in a window that is summarised instead, because its agent still works with what would be shortened. */
export function shortensOldBlocks(
  state: WindowState,
  { keepsBlocks }: Pick<CostPolicy, "keepsBlocks">,
): boolean {
  const { windowTokens } = state.budget;
  const isKept =
    keepsBlocks !== undefined && windowTokens >= keepsBlocks.from && windowTokens < keepsBlocks.below;
  return !isKept || !canSummarise(state);
}

/** True if the request fits: a rewrite voids the provider's report, and by the estimate it may end above the limit. */
export function canLeave({ budget }: WindowState, { usedTokens }: PlannedEdits): boolean {
  return usedTokens < budget.blockingTokens;
}

/** The rewrite; or no edit, where the window fits by its report and the rewritten one would not by the estimate. */
export function unlessTooLarge(state: WindowState, made: PlannedEdits): PlannedEdits {
  const nothing: PlannedEdits = { edits: [], usedTokens: state.usedTokens };
  return canLeave(state, nothing) && !canLeave(state, made) ? nothing : made;
}
