/**
 * The policies of these layers for a window of a given size: every number scaled once, here, so
 * that planners get complete objects and never look at defaults.
 */
import { assert } from "../../base/assert.ts";
import { COMPACTION_DEFAULTS as D } from "../../base/defaults/compaction/compaction.ts";
import { POLICY_DEFAULTS } from "../../base/defaults/compaction/economics.ts";
import type { ExtractivePolicy } from "../layers/extractive/extractive-summary.ts";
import type { FullCompactPolicy } from "../layers/full/plan-full-compact.ts";
import type { ClearByRentPolicy } from "../layers/microcompact/clear-by-rent.ts";
import type { MicrocompactPolicy } from "../layers/microcompact/microcompact-by-usage.ts";
import type { ArrivalPolicy } from "../layers/offload/offload-at-arrival.ts";
import type { OffloadPolicy } from "../layers/offload/offload-by-usage.ts";
import type { SessionMemoryPolicy } from "../layers/session-memory/session-memory-compact.ts";
import { LAYER_LIMITS, type LayerLimits, limitsOf } from "../shared/layer-limits.ts";
import { type ScaledTokens, scaleTokens } from "../shared/measure.ts";
import type { HistoryAccess } from "../shared/pointer.ts";
import type { RewriteThreshold } from "../shared/rewrite-rule.ts";
import { CLEARABLE_TOOLS, READ_ONLY_TOOLS, toolKey } from "../shared/tool-kinds.ts";
import type { WindowSituation } from "../shared/window-state.ts";
import type { ArrivalLimit, CostPolicy, SummaryShape } from "./cost-policy.ts";

/** Share of its budgets that a summary takes, as long as none was made. Our choice: sections are rarely full. */
const EXPECTED_SHARE = 0.8;
/** Newest part of the window whose results are not cleared for the price's sake. Source: where-the-numbers-come-from.md, "Rent or buy". */
const RENT_RECENT_TAIL = { tokens: 40_000, floor: 8_000 };
/** Newest clearable results that stay whole. Source: facts of the same section: the last three are still worked with. */
const RENT_RESULTS_KEPT_COUNT = 3;
/** Tokens that clearing one block must free to be considered. Our choice: twice a brief. */
const LEAST_BLOCK_TOKENS = 120;
/** Tokens that one batch must free. Our choice: a rewrite for less is noise. */
const LEAST_FREED = { tokens: 4_000, floor: 1_000 };
/** Media from this size on lie outside the log, in base64 characters. Our choice: about four log lines. */
const MEDIA_OUTSIDE_CHARACTERS = 4_096;
/** Media above this are not shown at all, in base64 characters. Source: Anthropic docs, "Vision": 5 MB an image. */
const MEDIA_SHOWN_CHARACTERS = 5_000_000;
/** The most that these take, as a share of the effective window; the newest stays in any case. Our choice. */
const RESULTS_KEPT_SHARE = 0.2;
/** Strings in old arguments above this are previewed, in tokens. Our choice; where-the-numbers-come-from.md, "Offload and microcompact": arguments were 138K of 516K. */
const OLD_ARGUMENT = { tokens: 400, floor: 120 };
/** Head and tail that stay of such a string, in tokens. Our choice, not yet measured. */
const OLD_ARGUMENT_PREVIEW = { tokens: 160, floor: 80 };
/** Share of the effective window that a rewrite of old blocks must free where it does not reach its low-water mark. Source: where-the-numbers-come-from.md, "Offload and microcompact"; the value is our choice. */
const MIN_FREED_SHARE = 0.15;
/** Low-water mark of offload, as a share of its gate: 45 % of the window where the gate is 60 %. Our choice; where-the-numbers-come-from.md, "Offload and microcompact". */
const OFFLOAD_LOW_WATER = 0.75;
/** Low-water mark of microcompact, as a share of its gate: 55 % of the window where the gate is 80 %. Our choice; where-the-numbers-come-from.md, "Offload and microcompact". */
const MICROCOMPACT_LOW_WATER = 0.69;
/** A tail that holds the newest round, and hardly more. Our choice. */
const NEWEST_ONLY = { tokens: 300, floor: 300 };
/** Most tokens that are kept or retold of the newest round. Our choice: its results are previews above it. */
const NEWEST_ROUND = { tokens: 8_000, floor: 2_000 };
/** A newest round above this share of the target is peeled into previews. Our choice. */
const NEWEST_ROUND_SHARE = 0.6;
/** A newest round that peeling leaves above this share of the target is not kept but told as text. Our choice: the summary needs the rest. */
const MAX_TAIL_SHARE = 0.75;
/** A summary above this share of what it replaces is refused. Source: gemini-cli issue 5432, where a summary doubled the context; the value is our choice. */
const MAX_SUMMARY_SHARE = 0.9;

assert(
  NEWEST_ROUND_SHARE < MAX_TAIL_SHARE && MAX_TAIL_SHARE < 1,
  "a peeled round may miss its budget by a little, and leaves room for the summary",
);
assert(
  OLD_ARGUMENT_PREVIEW.tokens < OLD_ARGUMENT.tokens && OLD_ARGUMENT_PREVIEW.floor < OLD_ARGUMENT.floor,
  "the preview of an argument is smaller than the arguments that get one",
);

/** The limits of new messages in a window of `windowTokens`. `block`: the limit of a policy, by default of `balanced`. */
export function arrivalPolicy(
  windowTokens: number,
  access: HistoryAccess = {},
  block: ArrivalLimit = POLICY_DEFAULTS.balanced.arrivalBlock,
  limits: LayerLimits = LAYER_LIMITS,
): ArrivalPolicy {
  const isUnlimited = block.noneFrom !== undefined && windowTokens >= block.noneFrom;
  return {
    ...access,
    blockTokens: isUnlimited ? Number.POSITIVE_INFINITY : scaleTokens(block, windowTokens),
    blockBytes: limits.arrivalBlockBytes,
    lineCharacters: limits.arrivalLineCharacters,
    messageTokens: scaleTokens(limits.arrivalMessageTokens, windowTokens),
    previewTokens: scaleTokens(limits.arrivalPreviewTokens, windowTokens),
    mediaOutsideCharacters: MEDIA_OUTSIDE_CHARACTERS,
    mediaShownCharacters: MEDIA_SHOWN_CHARACTERS,
  };
}

/** Every block enters as it is; only media lie outside the log. */
export const NO_ARRIVAL_LIMITS: ArrivalPolicy = {
  blockTokens: Number.POSITIVE_INFINITY,
  blockBytes: Number.POSITIVE_INFINITY,
  lineCharacters: Number.POSITIVE_INFINITY,
  messageTokens: Number.POSITIVE_INFINITY,
  previewTokens: D.preview.tokens,
  mediaOutsideCharacters: MEDIA_OUTSIDE_CHARACTERS,
  mediaShownCharacters: Number.POSITIVE_INFINITY,
};

/** When old blocks take their preview form: from requests of `gateTokens` on (`offloadGateTokens` of the budget). */
export function offloadPolicy(situation: WindowSituation, gateTokens: number): OffloadPolicy {
  const limits = limitsOf(situation);
  return {
    gateTokens,
    blockTokens: scaleTokens(limits.oldBlockTokens, situation.windowTokens),
    previewTokens: scaleTokens(limits.previewTokens, situation.windowTokens),
    recentTailTokens: scaleTokens(limits.recentTailTokens, situation.windowTokens),
    ...rewriteThresholdOf(situation, gateTokens, OFFLOAD_LOW_WATER),
    editSafety: situation.editSafety,
    pendingCallIds: situation.pendingCallIds,
    pins: situation.pins,
    hasHistoryTools: situation.hasHistoryTools,
    pathOf: situation.pathOf,
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
    minFreedTokens: Math.ceil(effectiveTokens * MIN_FREED_SHARE),
  };
}

/** Returns which blocks are cleared in requests of at least `gateTokens` (`microcompactGateTokens` of the budget). */
export function microcompactPolicy(situation: WindowSituation, gateTokens: number): MicrocompactPolicy {
  const limits = limitsOf(situation);
  return {
    gateTokens,
    clearableCountGate: limits.clearableCountGate,
    clearableTools: CLEARABLE_TOOLS,
    resultsKeptCount: limits.resultsKeptCount,
    resultsKeptTokens: Math.floor(situation.effectiveTokens * RESULTS_KEPT_SHARE),
    recentTailTokens: scaleTokens(limits.recentTailTokens, situation.windowTokens),
    ...clearedFormsOf(situation),
    ...rewriteThresholdOf(situation, gateTokens, MICROCOMPACT_LOW_WATER),
  };
}

/** Returns what both kinds of microcompact leave of a block that they clear. */
function clearedFormsOf(situation: WindowSituation) {
  const { windowTokens, editSafety, pendingCallIds, pins, hasHistoryTools } = situation;
  return {
    readOnlyTools: READ_ONLY_TOOLS,
    briefTokens: D.briefTokens,
    briefStringCount: D.briefStringCount,
    smallResultCharacters: D.smallResultCharacters,
    argumentTokens: scaleTokens(OLD_ARGUMENT, windowTokens),
    argumentPreviewTokens: scaleTokens(OLD_ARGUMENT_PREVIEW, windowTokens),
    ...{ editSafety, pendingCallIds, pins, hasHistoryTools },
  };
}

/** Budgets of a compaction that leaves messages of `fullTargetShare` of `effectiveTokens`. */
export function extractivePolicy(
  { windowTokens, effectiveTokens, editSafety, hasHistoryTools, limits }: WindowSituation,
  shape: SummaryShape = POLICY_DEFAULTS.faithful,
): ExtractivePolicy {
  const targetTokens = Math.floor(effectiveTokens * limitsOf({ limits }).fullTargetShare);
  const mostTokens = Math.floor(targetTokens * NEWEST_ROUND_SHARE);
  const keepTailTokens = Math.min(scaleTokens(keptTailIn(windowTokens, shape), windowTokens), mostTokens);
  const newestRoundTokens = Math.min(scaleTokens(NEWEST_ROUND, windowTokens), mostTokens);
  const isKept = editSafety === "permissive";
  return {
    targetTokens,
    keepTailTokens,
    maxNewestRoundTokens: isKept ? Math.max(keepTailTokens, newestRoundTokens) : newestRoundTokens,
    // Less than what the newest round may have is for that one alone.
    quotedTokens: keepTailTokens > newestRoundTokens ? keepTailTokens : 0,
    maxTailTokens: Math.floor(targetTokens * MAX_TAIL_SHARE),
    userWordsTokens: scaleTokens(shape.userWords, windowTokens),
    factsTokens: scaleTokens(shape.facts, windowTokens),
    appendixTokens: scaleTokens(shape.appendix, windowTokens),
    maxSummaryShare: MAX_SUMMARY_SHARE,
    editSafety,
    hasHistoryTools,
  };
}

function keptTailIn(windowTokens: number, { keptTail }: Pick<SummaryShape, "keptTail">): ScaledTokens {
  const { windows } = keptTail;
  const isOther = windows !== undefined && (windowTokens < windows.from || windowTokens >= windows.below);
  return isOther ? NEWEST_ONLY : keptTail;
}

/** Budgets of a compaction that a model writes the summary of. */
export function fullCompactPolicy(
  situation: WindowSituation,
  { keptTail }: Pick<SummaryShape, "keptTail">,
): FullCompactPolicy {
  const { userWordsTokens, appendixTokens } = limitsOf(situation);
  return extractivePolicy(situation, {
    userWords: userWordsTokens,
    appendix: appendixTokens,
    keptTail,
    facts: { tokens: 0, floor: 0 },
  });
}

/** Reasons where room counts most: a person asks for it, or a provider cut or refused a request for want of it. */
const SPACE_REASONS: ReadonlySet<string> = new Set(["manual", "reactive", "silent-overflow"]);

/** The policy's shape of a summary that is made for this reason. */
export function shapeFor(reason: string, policy: CostPolicy): SummaryShape {
  return reason === "rent" || SPACE_REASONS.has(reason) ? { ...policy, keptTail: NEWEST_ONLY } : policy;
}

/** The same budgets, with all of the user's words that the target leaves room for. */
export function withAllWords<Policy extends { readonly userWordsTokens: number }>(policy: Policy): Policy {
  return { ...policy, userWordsTokens: Number.POSITIVE_INFINITY };
}

/** Returns the budgets of a compaction from notes that leaves at most `targetTokens` of messages. */
export function sessionMemoryPolicy(situation: WindowSituation, targetTokens: number): SessionMemoryPolicy {
  const { windowTokens, editSafety, hasHistoryTools } = situation;
  const limits = limitsOf(situation);
  const mostKeptTokens = Math.min(
    scaleTokens(limits.mostKeptTokens, windowTokens),
    Math.floor(targetTokens * MAX_TAIL_SHARE),
  );
  return {
    targetTokens,
    leastKeptTokens: Math.min(scaleTokens(limits.leastKeptTokens, windowTokens), mostKeptTokens),
    leastKeptTextCount: limits.leastKeptTextCount,
    mostKeptTokens,
    maxNewestRoundTokens: scaleTokens(NEWEST_ROUND, windowTokens),
    userWordsTokens: scaleTokens(limits.userWordsTokens, windowTokens),
    appendixTokens: scaleTokens(limits.appendixTokens, windowTokens),
    maxSummaryShare: MAX_SUMMARY_SHARE,
    editSafety,
    hasHistoryTools,
  };
}

/** Returns the size that an early summary is expected to leave before the first one was made. */
export function expectedAfterSummary(situation: WindowSituation, policy: CostPolicy): number {
  const { windowTokens, editSafety } = situation;
  const parts = [policy.userWords, policy.facts, policy.appendix];
  if (editSafety === "permissive") parts.push(NEWEST_ONLY);
  const tokens = parts.reduce((sum, part) => sum + scaleTokens(part, windowTokens), 0);
  return Math.min(situation.effectiveTokens * limitsOf(situation).fullTargetShare, tokens * EXPECTED_SHARE);
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
  const { windowTokens } = situation;
  return {
    clearableTools,
    resultsKeptCount: RENT_RESULTS_KEPT_COUNT,
    resultsKeptTokens: Number.POSITIVE_INFINITY,
    recentTailTokens: scaleTokens(RENT_RECENT_TAIL, windowTokens),
    leastBlockTokens: LEAST_BLOCK_TOKENS,
    leastFreedTokens: scaleTokens(LEAST_FREED, windowTokens),
    ...clearedFormsOf(situation),
  };
}
