/** `palimpsest/openai`: OpenAI's models, and all that speak like them, through a client of `openai`, and a client with a session's window. */
export {
  openaiHistoryTools as historyTools,
  responsesHistoryTools,
  withOpenAIWindow as withPalimpsest,
} from "../integrations/openai/with-openai.ts";
export { type OpenAIChatModelOptions, openaiChatModel } from "../models/openai/chat-model.ts";
export { openaiInputTokensCounter } from "../models/openai/openai-client.ts";
export { type OpenAIResponsesModelOptions, openaiResponsesModel } from "../models/openai/responses-model.ts";
