/** `palimpsest/formats`: recorded sessions in, requests of three vendors out and in. */
export { countSession, type SessionCounts } from "../importers/count-session.ts";
export {
  FORMAT_NAMES,
  type FormatName,
  type ImportedSession,
  type ImportResult,
  importSessions,
} from "../importers/registry.ts";
export type {
  ImportedItem,
  ImportedMessage,
  ImportRepair,
  NotRead,
} from "../importers/shared/imported-session.ts";
export { importFile, type ReadInputOptions } from "../runtime/input-files/input-file.ts";
export { fromAnthropic } from "../wire/anthropic/from-anthropic.ts";
export {
  type AnthropicMessage,
  type ToAnthropicOptions,
  toAnthropic,
} from "../wire/anthropic/to-anthropic.ts";
export { fromOpenAIChat } from "../wire/openai-chat/from-openai-chat.ts";
export { type ToOpenAIChatOptions, toOpenAIChat } from "../wire/openai-chat/to-openai-chat.ts";
export { fromOpenAIResponses } from "../wire/openai-responses/from-openai-responses.ts";
export { toOpenAIResponses } from "../wire/openai-responses/to-openai-responses.ts";
