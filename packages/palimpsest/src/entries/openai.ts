/** `palimpsest/openai`: OpenAI's models, and all that speak like them, through a client of `openai`. */
export { type OpenaiChatModelOptions, openaiChatModel } from "../models/openai/chat-model.ts";
export { openaiInputTokensCounter } from "../models/openai/input-tokens-counter.ts";
export type { OpenaiChatClient, OpenaiResponsesClient } from "../models/openai/openai-client.ts";
export {
  type OpenaiResponsesModelOptions,
  openaiResponsesModel,
} from "../models/openai/responses-model.ts";
