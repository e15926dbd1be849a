/**
 * The policies of these layers for a window of a given size: every number scaled once, here, so
 * that planners get complete objects and never look at defaults.
 */
import { COMPACTION_DEFAULTS as D } from "../../base/defaults/compaction/compaction.ts";
import { POLICY_DEFAULTS, RENT_DEFAULTS } from "../../base/defaults/compaction/economics.ts";
import { FULL_COMPACT_DEFAULTS } from "../../base/defaults/compaction/full-compact.ts";
import { SESSION_MEMORY_DEFAULTS } from "../../base/defaults/compaction/session-memory.ts";
import type { ExtractivePolicy } from "../layers/extractive/extractive-summary.ts";
import type { FullCompactPolicy } from "../layers/full/plan-full-compact.ts";
import type { ClearByRentPolicy } from "../layers/microcompact/clear-by-rent.ts";
import type { MicrocompactPolicy } from "../layers/microcompact/microcompact-by-usage.ts";
import type { ArrivalPolicy } from "../layers/offload/offload-at-arrival.ts";
import type { OffloadPolicy } from "../layers/offload/offload-by-usage.ts";
import type { SessionMemoryPolicy } from "../layers/session-memory/session-memory-compact.ts";
import { scaleTokens } from "../shared/measure.ts";
import type { HistoryAccess } from "../shared/pointer.ts";
import type { RewriteThreshold } from "../shared/rewrite-rule.ts";
import { CLEARABLE_TOOLS, READ_ONLY_TOOLS, toolKey } from "../shared/tool-kinds.ts";
import type { WindowSituation } from "../shared/window-state.ts";
import type { SummaryShape } from "./cost-policy.ts";

/** The limits of new messages in a window of `windowTokens`. */
export function arrivalPolicy(windowTokens: number, access: HistoryAccess = {}): ArrivalPolicy {
  return {
    ...access,
    blockTokens: scaleTokens(D.arrivalBlock, windowTokens),
    blockBytes: D.arrivalBlockBytes,
    lineCharacters: D.arrivalLineCharacters,
    messageTokens: scaleTokens(D.arrivalMessage, windowTokens),
    previewTokens: scaleTokens(D.arrivalPreview, windowTokens),
    mediaOutsideCharacters: D.mediaOutsideCharacters,
    mediaShownCharacters: D.mediaShownCharacters,
  };
}

/** Every block enters as it is; only media lie outside the log. */
export const NO_ARRIVAL_LIMITS: ArrivalPolicy = {
  blockTokens: Number.POSITIVE_INFINITY,
  blockBytes: Number.POSITIVE_INFINITY,
  lineCharacters: Number.POSITIVE_INFINITY,
  messageTokens: Number.POSITIVE_INFINITY,
  previewTokens: D.preview.tokens,
  mediaOutsideCharacters: D.mediaOutsideCharacters,
  mediaShownCharacters: Number.POSITIVE_INFINITY,
};

/** When old blocks take their preview form: from requests of `gateTokens` on (`offloadGateTokens` of the budget). */
export function offloadPolicy(situation: WindowSituation, gateTokens: number): OffloadPolicy {
  return {
    gateTokens,
    blockTokens: scaleTokens(D.oldBlock, situation.windowTokens),
    previewTokens: scaleTokens(D.preview, situation.windowTokens),
    recentTailTokens: scaleTokens(D.recentTail, situation.windowTokens),
    ...rewriteThresholdOf(situation, gateTokens, D.offloadLowWater),
    editSafety: situation.editSafety,
    pendingCallIds: situation.pendingCallIds,
    pins: situation.pins,
    hasHistoryTools: situation.hasHistoryTools,
  };
}

/** Returns the threshold of a pass, chosen so that the next pass is many calls away. */
function rewriteThresholdOf(
  { effectiveTokens }: WindowSituation,
  gateTokens: number,
  lowWater: number,
): RewriteThreshold {
  return {
    lowWaterTokens: Math.floor(gateTokens * lowWater),
    minFreedTokens: Math.ceil(effectiveTokens * D.minFreedShare),
  };
}

/** Returns which blocks are cleared in requests of at least `gateTokens` (`microcompactGateTokens` of the budget). */
export function microcompactPolicy(situation: WindowSituation, gateTokens: number): MicrocompactPolicy {
  return {
    gateTokens,
    clearableCountGate: D.clearableCountGate,
    clearableTools: CLEARABLE_TOOLS,
    readOnlyTools: READ_ONLY_TOOLS,
    resultsKeptCount: D.resultsKeptCount,
    resultsKeptTokens: Math.floor(situation.effectiveTokens * D.resultsKeptShare),
    recentTailTokens: scaleTokens(D.recentTail, situation.windowTokens),
    briefTokens: D.briefTokens,
    briefStringCount: D.briefStringCount,
    smallResultCharacters: D.smallResultCharacters,
    argumentTokens: scaleTokens(D.oldArgument, situation.windowTokens),
    argumentPreviewTokens: scaleTokens(D.oldArgumentPreview, situation.windowTokens),
    ...rewriteThresholdOf(situation, gateTokens, D.microcompactLowWater),
    editSafety: situation.editSafety,
    pendingCallIds: situation.pendingCallIds,
    pins: situation.pins,
    hasHistoryTools: situation.hasHistoryTools,
  };
}

/** Budgets of a compaction that leaves messages of `targetShare` of `effectiveTokens`. */
export function extractivePolicy(
  { windowTokens, effectiveTokens, editSafety, hasHistoryTools }: WindowSituation,
  shape: SummaryShape = POLICY_DEFAULTS.faithful,
): ExtractivePolicy {
  const targetTokens = Math.floor(effectiveTokens * D.targetShare);
  return {
    targetTokens,
    keepTailTokens: Math.min(
      scaleTokens(shape.keptTail, windowTokens),
      Math.floor(targetTokens * D.newestRoundShare),
    ),
    maxNewestRoundTokens: Math.min(
      scaleTokens(D.newestRound, windowTokens),
      Math.floor(targetTokens * D.newestRoundShare),
    ),
    maxTailTokens: Math.floor(targetTokens * D.maxTailShare),
    userWordsTokens: scaleTokens(shape.userWords, windowTokens),
    factsTokens: scaleTokens(shape.facts, windowTokens),
    appendixTokens: scaleTokens(shape.appendix, windowTokens),
    maxSummaryShare: D.maxSummaryShare,
    editSafety,
    hasHistoryTools,
  };
}

/** Budgets of a compaction that a model writes the summary of. */
export function fullCompactPolicy(situation: WindowSituation): FullCompactPolicy {
  const { userWords, appendix, keptTail } = FULL_COMPACT_DEFAULTS;
  return extractivePolicy(situation, { userWords, appendix, keptTail, facts: { tokens: 0, floor: 0 } });
}

/** The same budgets, with all of the user's words that the target leaves room for. */
export function withAllWords<Policy extends { readonly userWordsTokens: number }>(policy: Policy): Policy {
  return { ...policy, userWordsTokens: Number.POSITIVE_INFINITY };
}

/** Returns the budgets of a compaction from notes that leaves at most `targetTokens` of messages. */
export function sessionMemoryPolicy(situation: WindowSituation, targetTokens: number): SessionMemoryPolicy {
  const { windowTokens, editSafety, hasHistoryTools } = situation;
  const { leastKept, leastKeptTextCount, mostKept } = SESSION_MEMORY_DEFAULTS;
  const mostKeptTokens = Math.min(
    scaleTokens(mostKept, windowTokens),
    Math.floor(targetTokens * D.maxTailShare),
  );
  return {
    targetTokens,
    leastKeptTokens: Math.min(scaleTokens(leastKept, windowTokens), mostKeptTokens),
    leastKeptTextCount,
    mostKeptTokens,
    maxNewestRoundTokens: scaleTokens(D.newestRound, windowTokens),
    userWordsTokens: scaleTokens(FULL_COMPACT_DEFAULTS.userWords, windowTokens),
    appendixTokens: scaleTokens(FULL_COMPACT_DEFAULTS.appendix, windowTokens),
    maxSummaryShare: D.maxSummaryShare,
    editSafety,
    hasHistoryTools,
  };
}

/** Returns the size that such a compaction is expected to leave before the first one was made. */
export function expectedAfterSummary(situation: WindowSituation, shape: SummaryShape): number {
  const { windowTokens, editSafety } = situation;
  const parts = [shape.userWords, shape.facts, shape.appendix];
  if (editSafety === "permissive") parts.push(shape.keptTail);
  const tokens = parts.reduce((sum, part) => sum + scaleTokens(part, windowTokens), 0);
  return Math.min(situation.effectiveTokens * D.targetShare, tokens * RENT_DEFAULTS.expectedShare);
}

/** Tools whose results and arguments may go: the reproducible ones and the host's, without those it keeps. */
export function clearableToolsOf({
  clearableTools = [],
  keptTools,
}: {
  readonly clearableTools?: readonly string[] | undefined;
  readonly keptTools: readonly string[];
}): ReadonlySet<string> {
  const tools = new Set([...CLEARABLE_TOOLS, ...clearableTools.map(toolKey)]);
  for (const tool of keptTools) tools.delete(toolKey(tool));
  return tools;
}

/** Returns which blocks are cleared to save cost. */
export function clearByRentPolicy(
  situation: WindowSituation,
  clearableTools: ReadonlySet<string>,
): ClearByRentPolicy {
  const { windowTokens, editSafety, pendingCallIds, pins, hasHistoryTools } = situation;
  return {
    clearableTools,
    readOnlyTools: READ_ONLY_TOOLS,
    resultsKeptCount: RENT_DEFAULTS.resultsKeptCount,
    resultsKeptTokens: Number.POSITIVE_INFINITY,
    argumentTokens: scaleTokens(D.oldArgument, windowTokens),
    argumentPreviewTokens: scaleTokens(D.oldArgumentPreview, windowTokens),
    briefTokens: D.briefTokens,
    briefStringCount: D.briefStringCount,
    smallResultCharacters: D.smallResultCharacters,
    recentTailTokens: scaleTokens(RENT_DEFAULTS.recentTail, windowTokens),
    leastBlockTokens: RENT_DEFAULTS.leastBlockTokens,
    leastFreedTokens: scaleTokens(RENT_DEFAULTS.leastFreed, windowTokens),
    editSafety,
    pendingCallIds,
    pins,
    hasHistoryTools,
  };
}
