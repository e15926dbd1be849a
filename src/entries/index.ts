/** `palimpsest`: sessions that live inside a finite window. */

export { FileSessionStore, type FileSessionStoreOptions } from "../adapters/files/file-session-store.ts";
export type { LeaseOptions } from "../adapters/files/session-lease.ts";
export { InMemorySessionStore } from "../adapters/in-memory/in-memory-session-store.ts";
export {
  type FunctionAnswer,
  type FunctionModelOptions,
  functionModel,
  type ModelFunction,
} from "../adapters/models/function-model.ts";
export { folderFileReader } from "../adapters/node/folder-file-reader.ts";
export { nodeFileSystem } from "../adapters/node/node-file-system.ts";
export { nodeHasher } from "../adapters/node/node-hasher.ts";
export { nodeProcess } from "../adapters/node/node-process.ts";
export { randomIds } from "../adapters/node/random-ids.ts";
export { systemClock } from "../adapters/node/system-clock.ts";
export { systemTimer } from "../adapters/node/system-timer.ts";
export { pageOf as pageOfSessions, SessionGist } from "../adapters/shared/session-info.ts";
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
export type { MemoryConfig } from "../compaction/conversation/memory-config.ts";
export type {
  MemoryContext,
  MemoryEntry,
  MemoryEntryType,
  MemoryRole,
  MemorySessionState,
  MemoryStats,
  MemorySummary,
} from "../compaction/conversation/memory-entry.ts";
export type { CompressionTrigger } from "../compaction/conversation/plan-compression.ts";
export type { PolicyName } from "../compaction/cost-policy.ts";
export type { AgentRequest, CompactOptions, CompactResult, PrepareOptions } from "../engine/agent-calls.ts";
export type { ReadNotes } from "../engine/agent-notes.ts";
export type { AgentModels, AgentOptions } from "../engine/agent-options.ts";
export type { AgentSession } from "../engine/agent-session.ts";
export type { SummarizeCallback, SummarizeProblem } from "../engine/ask-for-summary.ts";
export { cleanUp } from "../engine/clean-up.ts";
export type { CleanUpFailure, CleanUpOptions, CleanUpReport } from "../engine/clean-up-run.ts";
export type { CompressionRefused } from "../engine/compress-memory.ts";
export { ConversationMemory } from "../engine/conversation-memory.ts";
export type { ConversationMemoryOptions } from "../engine/conversation-memory-options.ts";
export type {
  MendReason,
  NotesUpdate,
  SessionEvent,
  SessionObserver,
  SummaryCall,
} from "../engine/events.ts";
export { forkSession } from "../engine/fork-session.ts";
export type { CompressionReport, MemoryEvents } from "../engine/memory-events.ts";
export type { NotesOptions } from "../engine/notes-options.ts";
export type { ClockVerdict } from "../engine/observed-clock.ts";
export { createSession, openSession } from "../engine/open-session.ts";
export type { CleanUpAction, KeptReason, RetentionSettings } from "../engine/plan-clean-up.ts";
export type { CallAnswer, CallRequest, CallTokens, PreparedCall } from "../engine/prepared-call.ts";
export type { RestorationEvent, RestoreSkipReason } from "../engine/restoration-events.ts";
export { type PlanHost, sessionStartRestorer } from "../engine/restored-context.ts";
export { type ListedThing, type ListRestorerOptions, listRestorer } from "../engine/restored-lists.ts";
export type { Session } from "../engine/session.ts";
export type { ReadOptions, SearchOptions, SessionHistory } from "../engine/session-history.ts";
export type {
  ForkOptions,
  NewSessionOptions,
  SessionOptions,
  SwitchedLayer,
  WindowOptions,
} from "../engine/session-options.ts";
export type { AgentTool, ToolOutput, TurnEvent, TurnOptions, TurnResult } from "../engine/turn-options.ts";
export { createPalimpsest, type Palimpsest, type PalimpsestOptions } from "../hosts/create-palimpsest.ts";
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
} from "../hosts/home/home-types.ts";
export { MemoryManager, type MemoryManagerOptions } from "../hosts/memory-manager.ts";
export { type NodeSessions, nodeSessions } from "../hosts/node-sessions.ts";
export { openHome } from "../hosts/palimpsest-home.ts";
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
export type { ContentBlock } from "../transcript/blocks.ts";
export type { Scope } from "../transcript/entries.ts";
export type { Message, Origin, Role, Usage } from "../transcript/messages.ts";
export type { CacheMark, RequestMessage, VisibleMessage } from "../transcript/window.ts";
