/**
 * The policy of context collapse for a window of a given size.
 */
import { COLLAPSE_DEFAULTS as C } from "../../../base/defaults/compaction/collapse.ts";
import { COMPACTION_DEFAULTS } from "../../../base/defaults/compaction/compaction.ts";
import { scaleTokens } from "../../shared/scale.ts";
import type { WindowSituation } from "../../shared/window-state.ts";
import type { CollapsePolicy } from "./collapse.ts";

/** What may collapse in a window, and into how much. */
export function collapsePolicy(situation: WindowSituation): CollapsePolicy {
  const { windowTokens, editSafety, pendingCallIds, pins, hasHistoryTools } = situation;
  return {
    recentTailTokens: scaleTokens(COMPACTION_DEFAULTS.recentTail, windowTokens),
    spanRounds: C.spanRounds,
    maxLineShare: C.maxLineShare,
    roundTokens: C.roundTokens,
    answerTokens: C.answerTokens,
    userWordsTokens: scaleTokens(C.userWords, windowTokens),
    editSafety,
    pendingCallIds,
    pins,
    hasHistoryTools,
  };
}
