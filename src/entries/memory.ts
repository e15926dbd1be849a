/** `palimpsest/memory`: long-term memory, facts that outlive a session, kept as Markdown files that people read. */

export { inMemoryMemoryStore } from "../adapters/in-memory/in-memory-memory-store.ts";
export type { ArchivedMemory, ShownArchivedMemory } from "../engine/memory/archived-memories.ts";
export type {
  DreamOptions,
  DreamPlaceOptions,
  DreamReport,
  DreamSessions,
} from "../engine/memory/dream.ts";
export type { DreamChange, DreamRecord } from "../engine/memory/dream-journal.ts";
export type { DreamTalk } from "../engine/memory/dream-model.ts";
export { storedSessions } from "../engine/memory/dream-sessions.ts";
export type { RememberOptions } from "../engine/memory/fresh-memory.ts";
export type { MemoryImportReport } from "../engine/memory/import-memories.ts";
export type { Injection } from "../engine/memory/injection-log.ts";
export type { FoundMemory, ListedMemory, ShownMemoryFile } from "../engine/memory/listed-memory.ts";
export type { Recall, RecalledMemory, RecallOptions } from "../engine/memory/memory-recall.ts";
export type { MemoryToolHandlers } from "../engine/memory/memory-tool.ts";
export type {
  ListOptions,
  MemoryList,
  PersistentMemory,
} from "../engine/memory/persistent-memory.ts";
export type { MemoryIndexText } from "../engine/memory/shown-index.ts";
export type { AnsweredOptions } from "../engine/memory/use-log.ts";
export { createMemory, type MemoryOptions, memoryFolder } from "../hosts/create-memory.ts";
export type { DreamAction } from "../memory/dream-hands.ts";
export type { HealthCounts, HealthFinding, HealthKind, MemoryHealth } from "../memory/health.ts";
export type { Memory, MemorySource, MemoryType } from "../memory/memory.ts";
export type { MemoryReceipt, MemoryStatus } from "../memory/memory-receipt.ts";
export type { TalkMessage } from "../memory/spoken-pieces.ts";
export type { ForeignFile } from "../memory/transfer/from-claude-code.ts";
export type { MemoryFormat, NotCarried } from "../memory/transfer/imported-memory.ts";
export type { EmbeddingClient } from "../ports/embedding-client.ts";
export type {
  ArchivedFile,
  MemoryApplied,
  MemoryChange,
  MemoryFile,
  MemoryFileHead,
  MemoryListing,
  MemoryLock,
  MemoryStore,
} from "../ports/memory-store.ts";
