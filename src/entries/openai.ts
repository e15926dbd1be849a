/** `palimpsest/openai`: OpenAI's models, and all that speak like them, through a client of `openai`. */
export { type OpenaiChatModelOptions, openaiChatModel } from "../adapters/models/openai/chat-model.ts";
export { openaiInputTokensCounter } from "../adapters/models/openai/input-tokens-counter.ts";
export type { OpenaiChatClient, OpenaiResponsesClient } from "../adapters/models/openai/openai-client.ts";
export {
  type OpenaiResponsesModelOptions,
  openaiResponsesModel,
} from "../adapters/models/openai/responses-model.ts";
