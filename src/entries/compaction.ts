/** `palimpsest/compaction`: the layers' planners, pure: a window and a policy in, an edit out. */
export {
  type CollapseInput,
  type CollapsePolicy,
  type PrepareCollapseInput,
  type PreparedCollapse,
  type PreparedRound,
  planCollapse,
  prepareCollapse,
} from "../compaction/collapse.ts";
export { collapsePolicy } from "../compaction/collapse-policy.ts";
export {
  type CostPolicy,
  costPolicy,
  DEFAULT_POLICY,
  POLICY_NAMES,
  type PolicyName,
  type SummaryShape,
} from "../compaction/cost-policy.ts";
export { addToDigest, createDigest, type Digest } from "../compaction/digest.ts";
export { type EscalationInput, type EscalationPlan, planOldBlocks } from "../compaction/escalation.ts";
export {
  type ExtractiveInput,
  type ExtractivePolicy,
  planExtractiveCompact,
} from "../compaction/extractive-compact.ts";
export {
  addToHistory,
  createHistoryIndex,
  type HistoryHit,
  type HistoryIndex,
  searchHistory,
} from "../compaction/history-search.ts";
export { HISTORY_TOOLS, type HistoryPage, type HistoryTool } from "../compaction/history-tools.ts";
export type { Measure } from "../compaction/measure.ts";
export { type MicrocompactPolicy, planMicrocompactByUsage } from "../compaction/microcompact-by-usage.ts";
export {
  type MicrocompactWhenColdPolicy,
  planMicrocompactWhenCold,
  type WhenColdInput,
} from "../compaction/microcompact-when-cold.ts";
export { type ArrivalForm, type ArrivalPolicy, planArrival } from "../compaction/offload-at-arrival.ts";
export { type OffloadPolicy, planOffloadByUsage } from "../compaction/offload-by-usage.ts";
export { planPeel } from "../compaction/peel.ts";
export { PIN_TOOL, type PinTool } from "../compaction/pin-tool.ts";
export { composePinned, type PinnedText, pinLimitTokens } from "../compaction/pins.ts";
export { formatPointer, type Pointer, parsePointer } from "../compaction/pointer.ts";
export {
  arrivalPolicy,
  extractivePolicy,
  microcompactPolicy,
  offloadPolicy,
} from "../compaction/policies.ts";
export type { Room, RoomMade, WindowSituation } from "../compaction/room.ts";
export type { ScaledTokens } from "../compaction/scale.ts";
export type { SessionNotes } from "../compaction/session-memory-compact.ts";
export type { SummarySources, WindowPlan } from "../compaction/window-plan.ts";
export { WindowPlanner } from "../compaction/window-planner.ts";
export type { UsageInput } from "../compaction/worth-a-rewrite.ts";
