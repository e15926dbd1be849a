/** `palimpsest/ai-sdk`: any language model of the AI SDK as a model of a session, any embedding model for memories. */
export { type AiSdkEmbeddingModel, aiSdkEmbeddings } from "../models/ai-sdk/ai-sdk-embeddings.ts";
export {
  type AiSdkLanguageModel,
  type AiSdkModelOptions,
  aiSdkModel,
} from "../models/ai-sdk/ai-sdk-model.ts";
