/** `palimpsest/compaction`: the policies by name, and the history: tools by which a model reads what its window hides, and readers of stored sessions. */
export { DEFAULT_POLICY, POLICY_NAMES, type PolicyName } from "../compaction/planner/cost-policy.ts";
export { CLASSIC_FILE_BUDGET, type FileBudget } from "../compaction/restore/restore-files.ts";
export { formatPointer, type Pointer, parsePointer } from "../compaction/shared/pointer.ts";
export { HISTORY_TOOLS, type HistoryTool } from "../session/history/history-tools.ts";
export { PIN_TOOL, type PinTool } from "../session/history/pin-tool.ts";
export { searchSessions } from "../session/history/search-sessions.ts";
export { openHistory } from "../session/history/stored-history.ts";
export type { WindowLimits } from "../session/options/window-limits.ts";
