/**
 * The policies of these layers for a window of a given size: every number scaled once, here, so
 * that planners get complete objects and never look at defaults.
 */
import { COMPACTION_DEFAULTS as D } from "../base/defaults/compaction.ts";
import type { SeqPin } from "../transcript/projection.ts";
import type { EditSafety } from "./editing-rule.ts";
import type { ExtractivePolicy } from "./extractive-compact.ts";
import type { MicrocompactPolicy } from "./microcompact-by-usage.ts";
import type { ArrivalPolicy } from "./offload-at-arrival.ts";
import type { OffloadPolicy } from "./offload-by-usage.ts";
import { scaleTokens } from "./scale.ts";
import { CLEARABLE_TOOLS, READ_ONLY_TOOLS } from "./tool-kinds.ts";
import type { RewriteWorth } from "./worth-a-rewrite.ts";

/** What the numbers depend on. */
export interface WindowSituation {
  /** The whole context window, in tokens. */
  readonly windowTokens: number;
  /** The part of it that messages may fill: without reserve, system prompt and tools. */
  readonly effectiveTokens: number;
  /** Whether messages that were sent may be rewritten. */
  readonly editSafety: EditSafety;
  /** Calls that have no result yet; while there are any, nothing is rewritten. */
  readonly pendingCallIds: readonly string[];
  /** What every layer leaves alone; nothing, where it is left out. */
  readonly pins?: readonly SeqPin[] | undefined;
}

/** The limits of new messages in a window of `windowTokens`. */
export function arrivalPolicy(windowTokens: number): ArrivalPolicy {
  return {
    blockTokens: scaleTokens(D.arrivalBlock, windowTokens),
    blockBytes: D.arrivalBlockBytes,
    lineCharacters: D.arrivalLineCharacters,
    messageTokens: scaleTokens(D.arrivalMessage, windowTokens),
    previewTokens: scaleTokens(D.preview, windowTokens),
    mediaOutsideCharacters: D.mediaOutsideCharacters,
    mediaShownCharacters: D.mediaShownCharacters,
  };
}

/** When old blocks take their preview form: from requests of `gateTokens` on (`offloadGateTokens` of the budget). */
export function offloadPolicy(situation: WindowSituation, gateTokens: number): OffloadPolicy {
  return {
    gateTokens,
    blockTokens: scaleTokens(D.oldBlock, situation.windowTokens),
    previewTokens: scaleTokens(D.preview, situation.windowTokens),
    recentTailTokens: scaleTokens(D.recentTail, situation.windowTokens),
    ...worthOf(situation, gateTokens, D.offloadLowWater),
    editSafety: situation.editSafety,
    pendingCallIds: situation.pendingCallIds,
    pins: situation.pins,
  };
}

/** What a pass has to reach so that the next one is many calls away. */
function worthOf({ effectiveTokens }: WindowSituation, gateTokens: number, lowWater: number): RewriteWorth {
  return {
    lowWaterTokens: Math.floor(gateTokens * lowWater),
    minFreedTokens: Math.ceil(effectiveTokens * D.minFreedShare),
  };
}

/** What is cleared, from requests of `gateTokens` on (`microcompactGateTokens` of the budget). */
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
    ...worthOf(situation, gateTokens, D.microcompactLowWater),
    editSafety: situation.editSafety,
    pendingCallIds: situation.pendingCallIds,
    pins: situation.pins,
  };
}

/** Budgets of a compaction that leaves messages of `targetShare` of `effectiveTokens`. */
export function extractivePolicy({
  windowTokens,
  effectiveTokens,
  editSafety,
}: WindowSituation): ExtractivePolicy {
  const targetTokens = Math.floor(effectiveTokens * D.targetShare);
  return {
    targetTokens,
    keepTailTokens: Math.min(
      scaleTokens(D.keptTail, windowTokens),
      Math.floor(targetTokens * D.newestRoundShare),
    ),
    maxNewestRoundTokens: Math.floor(targetTokens * D.newestRoundShare),
    maxTailTokens: Math.floor(targetTokens * D.maxTailShare),
    userWordsTokens: scaleTokens(D.userWords, windowTokens),
    factsTokens: scaleTokens(D.summaryFacts, windowTokens),
    appendixTokens: scaleTokens(D.appendix, windowTokens),
    maxSummaryShare: D.maxSummaryShare,
    editSafety,
  };
}
