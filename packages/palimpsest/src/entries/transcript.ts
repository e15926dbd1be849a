/** `palimpsest/transcript`: the log, its entries and its window, as pure values and functions. */
export {
  type BlobRef,
  blockText,
  type CompactionBlock,
  type ContentBlock,
  type DocumentBlock,
  type ImageBlock,
  type OpaqueBlock,
  type RedactedThinkingBlock,
  type ServerToolResultBlock,
  type ServerToolUseBlock,
  type TextBlock,
  type ThinkingBlock,
  type ToolResultBlock,
  type ToolResultPart,
  type ToolUseBlock,
  toolResultText,
} from "../transcript/blocks.ts";
export { planCheckpoint, restoreCheckpoint } from "../transcript/checkpoint.ts";
export type {
  BlockForm,
  Edit,
  EditEffect,
  EffectEdit,
  HostEdit,
  Insertion,
  LayerEdit,
  LayerName,
  LossReport,
  PinEdit,
  ProviderClearEdit,
  RepairEdit,
  RepairReason,
  RewindEdit,
  SeqRange,
  UndoEdit,
} from "../transcript/edits.ts";
export type {
  AnswerEntry,
  BlobBlock,
  CallEntry,
  CheckpointEntry,
  CheckpointRun,
  EditEntry,
  Entry,
  HeaderEntry,
  MessageEntry,
  MetadataEntry,
  Scope,
  StoredBlock,
} from "../transcript/entries.ts";
export { formatEntry, parseEntry } from "../transcript/entry-line.ts";
export {
  type BrokenInvariant,
  checkRequest,
  type InvariantRule,
  type Provider,
} from "../transcript/invariants.ts";
export { type Message, type Origin, promptTokens, type Role, type Usage } from "../transcript/messages.ts";
export { type Projection, previewEdit, project, type SeqPin } from "../transcript/projection.ts";
export { planRepair } from "../transcript/repair.ts";
export { assembleRequest } from "../transcript/request.ts";
export { groupRounds, type Round } from "../transcript/rounds.ts";
export type { CacheMark, RequestMessage, VisibleBlock, VisibleMessage } from "../transcript/window.ts";
