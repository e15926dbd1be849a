/** `palimpsest/formats`: recorded sessions in, requests of three wires out and in. */
export {
  type InputFile,
  type InputLimits,
  type ReadInputOptions,
  type ReadProgress,
  readInputFile,
} from "../adapters/node/input-file.ts";
export { countSession, type SessionCounts } from "../formats/count-session.ts";
export { fromAnthropic } from "../formats/from-anthropic.ts";
export { fromOpenaiChat } from "../formats/from-openai-chat.ts";
export { fromOpenaiResponses } from "../formats/from-openai-responses.ts";
export { type ImportResult, importSessions } from "../formats/import-session.ts";
export {
  FORMAT_NAMES,
  type FormatName,
  type ImportedBoundary,
  type ImportedItem,
  type ImportedMessage,
  type ImportedMetadata,
  type ImportedMicrocompact,
  type ImportedSession,
  type ImportRepair,
  type ImportRepairKind,
  type LeftOutMessage,
  type LeftOutReason,
  type NotRead,
  type SkippedRecords,
} from "../formats/imported-session.ts";
export { type AnthropicMessage, type ToAnthropicOptions, toAnthropic } from "../formats/to-anthropic.ts";
export { type ToOpenaiChatOptions, toOpenaiChat } from "../formats/to-openai-chat.ts";
export { toOpenaiResponses } from "../formats/to-openai-responses.ts";
