/** `palimpsest/internal`: for the sibling packages of exactly this version. It is not documented and may change with any release. */
export type { DreamPlaceOptions } from "../agent/memory/consolidation/run-dream.ts";
export { notesLimits, sizeOfNotes } from "../agent/notes/notes-store.ts";
export type { Tasks } from "../agent/tasks/task-options.ts";
export { AssertionError, assert } from "../base/assert.ts";
export { COMPACTION_DEFAULTS } from "../base/defaults/compaction/compaction.ts";
export { DEFAULTS } from "../base/defaults/compaction/window.ts";
export { HOME_DEFAULTS } from "../base/defaults/home.ts";
export { MEMORY_RECALL_DEFAULTS } from "../base/defaults/memory/recall.ts";
export { MEMORY_STORE_DEFAULTS } from "../base/defaults/memory/store.ts";
export { MEMORY_WRITE_DEFAULTS } from "../base/defaults/memory/write.ts";
export { NOTES_DEFAULTS } from "../base/defaults/notes.ts";
export { ERROR_CODES, errorMessage, TaskError } from "../base/errors.ts";
export {
  asNumber,
  asString,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from "../base/json/json.ts";
export { parseBounded } from "../base/json/parse-bounded.ts";
export { addAll } from "../base/lists.ts";
export { redactBroken } from "../base/redaction/broken-secrets.ts";
export { showHidden, showOnOneLine } from "../base/text/hidden-characters.ts";
export { cutHead, cutTail, firstLine, shorten } from "../base/text/text.ts";
export { factsOfDigest } from "../compaction/digest/saved-digest.ts";
export { type Clearable, countToClear } from "../compaction/layers/microcompact/rent.ts";
export type { ArrivalPolicy } from "../compaction/layers/offload/offload-at-arrival.ts";
export { clearedTokens, planProviderClear } from "../compaction/layers/provider-side/plan-provider-edits.ts";
export { findLayer, LAYERS, type Layer } from "../compaction/layers/registry.ts";
export type {
  SessionMemoryRefusal,
  SessionNotes,
} from "../compaction/layers/session-memory/session-memory-compact.ts";
export { chooseSource, type SummarySource } from "../compaction/planner/choose-source.ts";
export { type CostPolicy, isSummaryFromLog, policyLimits } from "../compaction/planner/cost-policy.ts";
export { firstSummaryTokens } from "../compaction/planner/early-summary.ts";
export { planFromNotes } from "../compaction/planner/plan-from-notes.ts";
export { clearableToolsOf } from "../compaction/planner/policies.ts";
export { isSummaryDue, type SummaryReason, type SummarySources } from "../compaction/planner/window-plan.ts";
export {
  asCandidate,
  type RankedCandidate,
  rankCandidates,
  withLogged,
} from "../compaction/restore/restore-candidates.ts";
export { type FileContent, foldContent } from "../compaction/restore/restore-content.ts";
export {
  type FileCandidate,
  fileBudget,
  planFiles,
  restoredFileText,
} from "../compaction/restore/restore-files.ts";
export { filesAfter, restoreFilesFromLog } from "../compaction/restore/restore-from-log.ts";
export type { RankWeights } from "../compaction/restore/restore-rank.ts";
export { type FileUse, findFileUses, type UsedMessage } from "../compaction/restore/restore-uses.ts";
export { reasonWords } from "../compaction/shared/edit-reason.ts";
export { LAYER_LIMITS, type LayerLimits, thinkingBudget } from "../compaction/shared/layer-limits.ts";
export type { Measure } from "../compaction/shared/measure.ts";
export { scaleTokens } from "../compaction/shared/measure.ts";
export { situationOf } from "../compaction/shared/window-state.ts";
export type { WrittenSummary } from "../compaction/summary/summary-prompt.ts";
export {
  type ExportedHead,
  type ExportedItem,
  type ExportedMessage,
  isoTime,
  SessionPresenter,
  speakerOf,
} from "../exporters/exported-session.ts";
export { htmlEnd, htmlHead, htmlItem } from "../exporters/html.ts";
export { markdownHead, markdownItem } from "../exporters/markdown.ts";
export { isSessionExport } from "../exporters/session-lines.ts";
export { teamFolder } from "../host/create-memory.ts";
export { folderStore } from "../host/folder-store.ts";
export { environmentSwitch, unclearSwitch } from "../host/home/environment.ts";
export { findSession, findTrashed } from "../host/home/find-session.ts";
export type {
  FoundSession,
  HomeForkOptions,
  HomeImport,
  HomeProblem,
  HomeProject,
  PalimpsestHome,
} from "../host/home/home-types.ts";
export { importRecording } from "../host/home/import-recording.ts";
export { readNotesConfig } from "../host/home/notes-config.ts";
export { isRetentionKnown } from "../host/home/persistence.ts";
export { isProjectName } from "../host/home/project-place.ts";
export { changedTags, checkName } from "../host/home/title-and-tags.ts";
export type { NodeSessionOptions } from "../host/node-sessions.ts";
export type { ImportedBoundary } from "../importers/shared/imported-session.ts";
export { MEMORY_SOURCES, MEMORY_TYPES } from "../memory/files/memory.ts";
export type { HealthKind } from "../memory/health/health.ts";
export type { NotCarried } from "../memory/transfer/imported-memory.ts";
export { parseMemoryBundle } from "../memory/transfer/memory-bundle.ts";
export { withoutMark } from "../notes/body-entries.ts";
export { extractNotes } from "../notes/extractive-notes.ts";
export {
  findOverLimit,
  findSection,
  formatNotes,
  isEmptyTemplate,
  measureNotes,
  type NotesDocument,
  type NotesLimits,
  type NotesPart,
  type OverLimit,
  parseNotes,
} from "../notes/notes-document.ts";
export {
  NOTES_TEMPLATE,
  NOTES_TEMPLATE_TEXT,
  type NotesSection,
  type NotesTemplate,
  readTemplate,
} from "../notes/template.ts";
export {
  judgeNotesGate,
  leastWindowForNotes,
  type NotesGatePolicy,
  type NotesGateState,
  type NotesGateVerdict,
} from "../notes/update-gate.ts";
export { composeUpdatePrompt } from "../notes/update-prompt.ts";
export type { ModelAnswer, StopReason } from "../ports/model-client.ts";
export type { ModelFailure } from "../ports/model-failure.ts";
export type { ProcessIdentity, Timer } from "../ports/runtime.ts";
export type { NotesFile, SessionInfo, SessionPage, TrashedSession } from "../ports/session-store.ts";
export type { TaskFiles } from "../ports/tasks.ts";
export { openInput } from "../runtime/input-files/input-bytes.ts";
export { peekFirstLine, readInputLines } from "../runtime/input-files/input-lines.ts";
export { NodeTaskProcesses } from "../runtime/processes/node-task-processes.ts";
export { EventLoopYielder } from "../runtime/yield-to-event-loop.ts";
export {
  learnedWindows,
  NOTES_MARK,
  type NotesState,
  parseNotesState,
  WINDOWS_MARK,
} from "../session/append/carried-marks.ts";
export type { SessionObserver } from "../session/events/events.ts";
export { hydrate } from "../session/history/hydrate.ts";
export { LogReader } from "../session/history/message-reader.ts";
export {
  addToHistory,
  countTerms,
  createHistoryIndex,
  type HistoryIndex,
  type TermCounts,
} from "../session/history/search/history-index.ts";
export { searchHistory } from "../session/history/search/history-search.ts";
export type { SessionSearchHit } from "../session/history/search-sessions.ts";
export { KnownDamage, WatchedLog } from "../session/history/watched-log.ts";
export type { CleanUpReport } from "../session/lifecycle/clean-up-run.ts";
export { exportLines } from "../session/lifecycle/export-session-lines.ts";
export { type FoldedLog, foldStoredLog } from "../session/lifecycle/fold-stored-log.ts";
export { importLines } from "../session/lifecycle/import-session-lines.ts";
export type { KeptReason, RetentionSettings } from "../session/lifecycle/plan-clean-up.ts";
export type { CallRequest, PreparedCall } from "../session/options/prepared-call.ts";
export { resolveLimits, type WindowLimits } from "../session/options/window-limits.ts";
export { internalsOf } from "../session/session.ts";
export { type ContextCategory, type ContextUse, contextUse } from "../session/window/context-use.ts";
export { figuresOf } from "../session/window/window-tracker.ts";
export { inspectSession } from "../stores/files/doctor/session-doctor.ts";
export type { DoctorOptions, SessionFinding } from "../stores/files/doctor/session-findings.ts";
export { repairSession } from "../stores/files/doctor/session-repair.ts";
export { isIndexOfOtherVersion, parseSessionIndex } from "../stores/files/list/index-lines.ts";
export { isConflictName } from "../stores/files/notes/notes-names.ts";
export { outputsIn, purgeOutputs } from "../stores/files/tasks/trashed-outputs.ts";
export { findNetworkFileSystem } from "../stores/platform/network-file-system.ts";
export type { PostgresQueryable } from "../stores/postgres/database/postgres-pool.ts";
export { TABLES_VERSION } from "../stores/postgres/database/tables.ts";
export type { DoctorSessionRow } from "../stores/postgres/doctor/doctor-rows.ts";
export {
  type FoundDamage,
  type PostgresCheckup,
  PostgresDoctor,
} from "../stores/postgres/doctor/postgres-doctor.ts";
export { isConversation, isLost } from "../stores/shared/session-info.ts";
export { isSessionId, sessionPaths } from "../stores/shared/session-paths.ts";
export { foldTasks, statusOf, type TaskState } from "../tasks/fold-tasks.ts";
export { LINE_LIMIT_BYTES, readIncrement } from "../tasks/output-text.ts";
export {
  parseRemoteRequest,
  REMOTE_LIMITS,
  type RemoteRequest,
  writeRemoteView,
} from "../tasks/remote-protocol.ts";
export { answerTo, processMarks, type TaskRequest } from "../tasks/task-request.ts";
export { type EstimableMessage, estimateVisibleMessage } from "../tokens/estimate/estimate-block.ts";
export { holdsBoundReasoning, isSealedReasoning } from "../tokens/models/edit-safety.ts";
export { findClaudeVersion, parseModelId } from "../tokens/models/model-id.ts";
export { usageCostUsd } from "../tokens/price/usage-cost.ts";
export { HeadLifetime } from "../tokens/prompt-cache/head-lifetime.ts";
export { defaultOrigin, isMedia, isServerToolResult, isThinking } from "../transcript/blocks.ts";
export { MetadataFold, type StoredBlock } from "../transcript/entries.ts";
export { isWithin, Line } from "../transcript/line.ts";
export { Projection } from "../transcript/projection.ts";
export { asProviderShows } from "../transcript/provider-view.ts";
export { RepairScan } from "../transcript/repair.ts";
export { visibleMessage } from "../transcript/shown-block.ts";
export type { VisibleBlock } from "../transcript/window.ts";
export { redactJson, withoutSecrets } from "../transcript/without-secrets.ts";
export { anthropicMessage } from "../wire/anthropic/answer.ts";
export { anthropicError, anthropicErrorEvent } from "../wire/anthropic/errors.ts";
export { readAnthropicRequest } from "../wire/anthropic/request.ts";
export { AnthropicWriter } from "../wire/anthropic/stream.ts";
export type { WrittenError } from "../wire/errors/written-error.ts";
export { chatCompletion } from "../wire/openai-chat/answer.ts";
export { type OpenAIErrorHead, openaiError } from "../wire/openai-chat/errors.ts";
export { readChatRequest } from "../wire/openai-chat/request.ts";
export { ChatWriter } from "../wire/openai-chat/stream.ts";
export { responsesResponse } from "../wire/openai-responses/answer.ts";
export { readResponsesRequest } from "../wire/openai-responses/request.ts";
export { ResponsesWriter } from "../wire/openai-responses/stream.ts";
export type { AnswerWriter } from "../wire/shared/answer-writer.ts";
export type { ReadRequest } from "../wire/shared/read-request.ts";
export { dataEvent, namedEvent } from "../wire/shared/sse.ts";
