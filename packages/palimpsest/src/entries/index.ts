/** `palimpsest`: sessions that live inside a finite window. */

export type { AgentSession } from "../agent/agent-session.ts";
export type { ReadNotes } from "../agent/notes/agent-notes.ts";
export type {
  AgentRequest,
  CompactOptions,
  CompactResult,
  PrepareOptions,
} from "../agent/options/agent-calls.ts";
export type { AgentModels, AgentOptions } from "../agent/options/agent-options.ts";
export type { NotesOptions } from "../agent/options/notes-options.ts";
export type {
  AgentTool,
  ToolOutput,
  TurnEvent,
  TurnOptions,
  TurnResult,
} from "../agent/options/turn-options.ts";
export {
  AmbiguousSessionError,
  CompactionError,
  type ErrorCode,
  InputError,
  MemoryError,
  ModelError,
  OptionError,
  PalimpsestError,
  PromptTooLongError,
  SessionError,
  StoreError,
  WindowTooSmallError,
} from "../base/errors.ts";
export type { PolicyName } from "../compaction/planner/cost-policy.ts";
export type { SummarizeCallback, SummarizeProblem } from "../conversation/ask-for-summary.ts";
export type { CompressionRefused } from "../conversation/compress-conversation.ts";
export type { MemoryConfig } from "../conversation/compression/compression-config.ts";
export type { CompressionTrigger } from "../conversation/compression/plan-compression.ts";
export type { CompressionReport, MemoryEvents } from "../conversation/conversation-events.ts";
export { ConversationMemory } from "../conversation/conversation-manager.ts";
export type { ConversationMemoryOptions } from "../conversation/conversation-options.ts";
export type {
  ConversationEntry as MemoryEntry,
  ConversationEntryType as MemoryEntryType,
  ConversationStats as MemoryStats,
  MemoryContext,
  MemoryRole,
  MemorySessionState,
  MemorySummary,
} from "../conversation/entries/conversation-entry.ts";
export { createPalimpsest, type Palimpsest, type PalimpsestOptions } from "../host/create-palimpsest.ts";
export type {
  FoundSession,
  HomeCleanUp,
  HomeCleanUpOptions,
  HomeForkOptions,
  HomeImport,
  HomeOptions,
  HomeProblem,
  HomeProject,
  HomeSessionOptions,
  HomeSettings,
  NotesConfig,
  PalimpsestHome,
  Persistence,
  ResumeOptions,
  StartContext,
  StartContextChange,
} from "../host/home/home-types.ts";
export { openHome } from "../host/home/open-home.ts";
export { MemoryManager, type MemoryManagerOptions } from "../host/memory-manager.ts";
export { type NodeSessions, nodeSessions } from "../host/node-sessions.ts";
export {
  type FunctionAnswer,
  type FunctionModelOptions,
  functionModel,
  type ModelFunction,
} from "../models/function/function-model.ts";
export type { CleanUpLedger } from "../ports/clean-up-ledger.ts";
export type { Clock } from "../ports/clock.ts";
export type { Deadline } from "../ports/deadline.ts";
export type { FileStat, FileSystem, OpenFile } from "../ports/file-system.ts";
export type { Hasher } from "../ports/hasher.ts";
export type { IdSource } from "../ports/id-source.ts";
export type {
  ModelAnswer,
  ModelCallOptions,
  ModelClient,
  ModelEvent,
  ModelRequest,
  ModelStreamOptions,
  ReportedLimits,
  StopReason,
  StreamingModelClient,
  ToolDefinition,
} from "../ports/model-client.ts";
export type { ModelFailure, ModelFailureKind } from "../ports/model-failure.ts";
export type { ProcessIdentity } from "../ports/process-identity.ts";
export type {
  ContextProblem,
  InstructionFile,
  ProjectContext,
} from "../ports/project-context.ts";
export type { CurrentFile, FileRestorer, RestoreContext, RestoredItem, Restorer } from "../ports/restorer.ts";
export type {
  CompactionTrigger,
  FailedContext,
  HookFailure,
  PostCompactContext,
  PostSamplingContext,
  PreCompactAnswer,
  PreCompactContext,
  SessionHooks,
  SessionStartContext,
} from "../ports/session-hooks.ts";
export type {
  LogContents,
  LogDamage,
  NotesFile,
  SessionLog,
  SessionStore,
  StoredEntry,
} from "../ports/session-store.ts";
export type { Timer } from "../ports/timer.ts";
export type { CountableRequest, TokenCounter } from "../ports/token-counter.ts";
export { folderFileReader } from "../runtime/working-copy/folder-file-reader.ts";
export { type PlanHost, sessionStartRestorer } from "../session/compact/restored-context.ts";
export {
  type ListedThing,
  type ListRestorerOptions,
  listRestorer,
} from "../session/compact/restored-lists.ts";
export type {
  ContentRepairReason,
  NotesUpdate,
  SessionEvent,
  SessionObserver,
  SummaryCall,
} from "../session/events/events.ts";
export type { RestorationEvent, RestoreSkipReason } from "../session/events/restoration-events.ts";
export type { ReadOptions, SearchOptions, SessionHistory } from "../session/history/session-history.ts";
export { cleanUp } from "../session/lifecycle/clean-up.ts";
export type { CleanUpFailure, CleanUpOptions, CleanUpReport } from "../session/lifecycle/clean-up-run.ts";
export { forkSession } from "../session/lifecycle/fork-session.ts";
export type { ClockVerdict } from "../session/lifecycle/observed-clock.ts";
export { createSession, openSession } from "../session/lifecycle/open-session.ts";
export type { CleanUpAction, KeptReason, RetentionSettings } from "../session/lifecycle/plan-clean-up.ts";
export type { CallAnswer, CallRequest, CallTokens, PreparedCall } from "../session/options/prepared-call.ts";
export type {
  ForkOptions,
  NewSessionOptions,
  SessionOptions,
  SwitchedLayer,
  WindowOptions,
} from "../session/options/session-options.ts";
export type { Session } from "../session/session.ts";
export { FileSessionStore, type FileSessionStoreOptions } from "../stores/files/file-session-store.ts";
export type { LeaseOptions } from "../stores/files/lease/session-lease.ts";
export { InMemorySessionStore } from "../stores/in-memory/in-memory-session-store.ts";
export { nodeFileSystem } from "../stores/platform/node-file-system.ts";
export { nodeHasher, randomIds, systemClock, systemTimer } from "../stores/platform/node-ports.ts";
export { nodeProcess } from "../stores/platform/node-process.ts";
export { pageOf as pageOfSessions, SessionInfoBuilder } from "../stores/shared/session-info.ts";
export type { ContentBlock } from "../transcript/blocks.ts";
export type { Scope } from "../transcript/entries.ts";
export type { Message, Origin, Role, Usage } from "../transcript/messages.ts";
export type { CacheMark, RequestMessage, VisibleMessage } from "../transcript/window.ts";
