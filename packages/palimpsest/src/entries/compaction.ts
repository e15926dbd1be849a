/** `palimpsest/compaction`: the layers' planners, pure: a window and a policy in, an edit out. */

export { addToDigest, createDigest, type Digest } from "../compaction/digest/digest.ts";
export {
  type CollapseInput,
  type CollapsePolicy,
  type PrepareCollapseInput,
  type PreparedCollapse,
  type PreparedRound,
  planCollapse,
  prepareCollapse,
} from "../compaction/layers/collapse/collapse.ts";
export { collapsePolicy } from "../compaction/layers/collapse/collapse-policy.ts";
export {
  type ExtractiveInput,
  type ExtractivePolicy,
  planExtractiveCompact,
} from "../compaction/layers/extractive/extractive-compact.ts";
export {
  type MicrocompactPolicy,
  planMicrocompactByUsage,
} from "../compaction/layers/microcompact/microcompact-by-usage.ts";
export {
  type MicrocompactWhenColdPolicy,
  planMicrocompactWhenCold,
  type WhenColdInput,
} from "../compaction/layers/microcompact/microcompact-when-cold.ts";
export {
  type ArrivalForm,
  type ArrivalPolicy,
  planArrival,
} from "../compaction/layers/offload/offload-at-arrival.ts";
export { type OffloadPolicy, planOffloadByUsage } from "../compaction/layers/offload/offload-by-usage.ts";
export type { SessionNotes } from "../compaction/layers/session-memory/session-memory-compact.ts";
export { planTruncateNewest } from "../compaction/layers/truncate-newest/truncate-newest.ts";
export {
  type CostPolicy,
  costPolicy,
  DEFAULT_POLICY,
  POLICY_NAMES,
  type PolicyName,
  type SummaryShape,
} from "../compaction/planner/cost-policy.ts";
export {
  type EscalationInput,
  type EscalationPlan,
  planOldBlocks,
} from "../compaction/planner/escalation.ts";
export {
  arrivalPolicy,
  extractivePolicy,
  microcompactPolicy,
  offloadPolicy,
} from "../compaction/planner/policies.ts";
export type { SummarySources, WindowPlan } from "../compaction/planner/window-plan.ts";
export { WindowPlanner } from "../compaction/planner/window-planner.ts";
export type { Measure } from "../compaction/shared/measure.ts";
export { composePinned, type PinnedText, pinLimitTokens } from "../compaction/shared/pins.ts";
export { formatPointer, type Pointer, parsePointer } from "../compaction/shared/pointer.ts";
export type { UsageInput } from "../compaction/shared/rewrite-threshold.ts";
export type { ScaledTokens } from "../compaction/shared/scale.ts";
export type { PlannedEdits, WindowSituation, WindowState } from "../compaction/shared/window-state.ts";
export {
  addToHistory,
  createHistoryIndex,
  type HistoryHit,
  type HistoryIndex,
  searchHistory,
} from "../session/history/history-search.ts";
export { HISTORY_TOOLS, type HistoryPage, type HistoryTool } from "../session/history/history-tools.ts";
export { PIN_TOOL, type PinTool } from "../session/history/pin-tool.ts";
