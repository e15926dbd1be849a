/**
 * `palimpsest/ai-sdk`: a session's window in the loop of the AI SDK 5, 6 and 7; any of its language models as a model of
 * a session, any embedding model for memories.
 */
export { aiSdkMiddleware } from "../integrations/ai-sdk/ai-sdk-middleware.ts";
export {
  type AiSdkTool,
  aiSdkTools,
} from "../integrations/ai-sdk/ai-sdk-tools.ts";
export {
  type AiSdkWindow,
  type AiSdkWindowOptions,
  aiSdkWindow,
} from "../integrations/ai-sdk/ai-sdk-window.ts";
export { type AiSdkEmbeddingModel, aiSdkEmbeddings } from "../models/ai-sdk/ai-sdk-embeddings.ts";
export {
  type AiSdkLanguageModel,
  type AiSdkModelOptions,
  aiSdkModel,
} from "../models/ai-sdk/ai-sdk-model.ts";
export { fromModelMessages, toModelMessages } from "../wire/ai-sdk/model-messages.ts";
export { fromUiMessages, toUiMessages } from "../wire/ai-sdk/ui-messages.ts";
