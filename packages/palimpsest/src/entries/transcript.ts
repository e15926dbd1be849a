/** `palimpsest/transcript`: the log, its entries and its window, as plain values and functions. */
export type { LogContents, LogDamage, StoredEntry } from "../ports/session-store.ts";
export {
  blockText,
  type CompactionBlock,
  type DocumentBlock,
  type ImageBlock,
  type OpaqueBlock,
  type Origin,
  promptTokens,
  type RedactedThinkingBlock,
  type Role,
  type ServerToolResultBlock,
  type ServerToolUseBlock,
  type TextBlock,
  type ThinkingBlock,
  type ToolResultBlock,
  type ToolUseBlock,
  toolResultText,
  type Usage,
} from "../transcript/blocks.ts";
export type { Edit, LayerEdit, LayerName, LossReport } from "../transcript/edits.ts";
export type {
  AnswerEntry,
  BlobBlock,
  CallEntry,
  CheckpointEntry,
  EditEntry,
  Entry,
  HeaderEntry,
  MessageEntry,
  MetadataEntry,
  Scope,
} from "../transcript/entries.ts";
export { formatEntry, parseEntry } from "../transcript/entry-line.ts";
export { type BrokenInvariant, checkRequest, type Provider } from "../transcript/invariants.ts";
export { type Projection, project, type SeqPin } from "../transcript/projection.ts";
export { planRepair } from "../transcript/repair.ts";
export { assembleRequest } from "../transcript/request.ts";
export { groupRounds, type VisibleMessage } from "../transcript/window.ts";
