/** `palimpsest`: sessions that live inside a finite window. Begin with `createPalimpsest`, with `openSession` or `createSession` for your own loop, or with `MemoryManager`. */
export type { AgentSession } from "../agent/agent-session.ts";
export type { AgentTool, TurnEvent } from "../agent/options/turn/turn-options.ts";
export { tool } from "../agent/tools/tool.ts";
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
export { DEFAULT_MEMORY_CONFIG, type MemoryConfig } from "../conversation/compression/compression-config.ts";
export type { ConversationEntry as MemoryEntry } from "../conversation/entries/conversation-entry.ts";
export { createPalimpsest, type Palimpsest, type PalimpsestOptions } from "../host/create-palimpsest.ts";
export { openHome } from "../host/home/open-home.ts";
export { MemoryManager } from "../host/memory-manager.ts";
export { nodeSessions } from "../host/node-sessions.ts";
export { functionModel } from "../models/function/function-model.ts";
export type { FileSystem } from "../ports/file-system.ts";
export type { ModelAnswer, ModelClient, ModelRequest, StreamingModelClient } from "../ports/model-client.ts";
export type { Restorer } from "../ports/restorer.ts";
export type { Clock, Hasher, IdSource } from "../ports/runtime.ts";
export type { SessionHooks } from "../ports/session-hooks.ts";
export type { SessionLog, SessionStore } from "../ports/session-store.ts";
export { listRestorer } from "../session/compact/restored-lists.ts";
export type { SessionEvent } from "../session/events/events.ts";
export { cleanUp } from "../session/lifecycle/clean-up.ts";
export { forkSession } from "../session/lifecycle/fork-session.ts";
export { createSession, openSession } from "../session/lifecycle/open-session.ts";
export type { NewSessionOptions, WindowOptions } from "../session/options/session-options.ts";
export type { Session } from "../session/session.ts";
export { FileSessionStore } from "../stores/files/file-session-store.ts";
export { InMemorySessionStore } from "../stores/in-memory/in-memory-session-store.ts";
export { nodeFileSystem } from "../stores/platform/node-file-system.ts";
export { nodeHasher, randomIds, systemClock, systemTimer } from "../stores/platform/node-ports.ts";
export { nodeProcess } from "../stores/platform/node-process.ts";
export { pageOf as pageOfSessions, SessionInfoBuilder } from "../stores/shared/session-info.ts";
export type { ContentBlock, Message } from "../transcript/blocks.ts";
export type { RequestMessage } from "../transcript/window.ts";
