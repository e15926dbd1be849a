/**
 * `palimpsest/experimental`: planners, monitors and the ledger of the library itself. This entry is unstable: names and
 * behaviour may change with any release.
 */
export { addToDigest, createDigest, type Digest } from "../compaction/digest/digest.ts";
export { planCollapse, prepareCollapse } from "../compaction/layers/collapse/collapse.ts";
export { collapsePolicy } from "../compaction/layers/collapse/collapse-policy.ts";
export { planExtractiveCompact } from "../compaction/layers/extractive/extractive-summary.ts";
export { planMicrocompactByUsage } from "../compaction/layers/microcompact/microcompact-by-usage.ts";
export { planMicrocompactWhenCold } from "../compaction/layers/microcompact/microcompact-when-cold.ts";
export { planArrival } from "../compaction/layers/offload/offload-at-arrival.ts";
export { planOffloadByUsage } from "../compaction/layers/offload/offload-by-usage.ts";
export { planTruncateNewest } from "../compaction/layers/truncate-newest/truncate-newest.ts";
export { costPolicy } from "../compaction/planner/cost-policy.ts";
export { planOldBlocks } from "../compaction/planner/escalation.ts";
export {
  arrivalPolicy,
  extractivePolicy,
  microcompactPolicy,
  offloadPolicy,
} from "../compaction/planner/policies.ts";
export type { WindowPlan } from "../compaction/planner/window-plan.ts";
export { WindowPlanner } from "../compaction/planner/window-planner.ts";
export type { PlannedEdits, WindowSituation, WindowState } from "../compaction/shared/window-state.ts";
export { WarningMonitor } from "../tokens/budget/warning-state.ts";
export { Calibration, type CalibrationSample } from "../tokens/count/calibration.ts";
export { UsageLedger } from "../tokens/count/usage-ledger.ts";
export {
  breakEvenCalls,
  isCacheWarm,
  rentPerCall,
  rewritePrice,
  summaryCallPrice,
  summaryPrice,
} from "../tokens/price/cache-price.ts";
export { planBreakpoints } from "../tokens/prompt-cache/breakpoints.ts";
export {
  type CacheMiss,
  describeCacheMiss,
  PromptCacheMonitor,
} from "../tokens/prompt-cache/prompt-cache-monitor.ts";
export { planCheckpoint, restoreCheckpoint } from "../transcript/checkpoint.ts";
export { previewEdit } from "../transcript/projection.ts";
export { PromptCeiling } from "../wire/errors/silent-overflow.ts";
