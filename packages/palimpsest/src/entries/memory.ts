/** `palimpsest/memory`: long-term memory: facts that outlive a session, kept as Markdown files that people read. */
export type { DreamRecord } from "../agent/memory/consolidation/dream-journal.ts";
export { storedSessions } from "../agent/memory/consolidation/dream-sessions.ts";
export type { DreamOptions, DreamReport, DreamSessions } from "../agent/memory/consolidation/run-dream.ts";
export type { ListOptions, PersistentMemory } from "../agent/memory/persistent-memory.ts";
export type { Recall, RecalledMemory } from "../agent/memory/recall/recall-memories.ts";
export type { RecallOptions } from "../agent/memory/recall/recall-options.ts";
export type { RememberOptions } from "../agent/memory/store/fresh-memory.ts";
export type { FoundMemory, ListedMemory } from "../agent/memory/store/listed-memory.ts";
export type { AnsweredOptions } from "../agent/memory/store/use-log.ts";
export type { MemoryToolHandlers } from "../agent/memory/tool/memory-tool.ts";
export type { MemoryImportReport } from "../agent/memory/transfer/import-into-memory.ts";
export { createMemory, type MemoryOptions, memoryFolder } from "../host/create-memory.ts";
export {
  functionEmbeddings,
  type LocalEmbeddingsPackages,
  localEmbeddings,
  type OpenAIEmbeddingsClient,
  openaiEmbeddings,
} from "../integrations/embeddings/embedding-clients.ts";
export type { Memory, MemorySource, MemoryType } from "../memory/files/memory.ts";
export type { MemoryHealth } from "../memory/health/health.ts";
export type { ForeignFile } from "../memory/transfer/from-claude-code.ts";
export { cleanMemoryText } from "../memory/trust/clean-memory.ts";
export type { MemoryReceipt } from "../memory/write/memory-receipt.ts";
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
export type { EmbeddingClient } from "../ports/model-client.ts";
export { inMemoryMemoryStore } from "../stores/in-memory/in-memory-memory-store.ts";
