/** `palimpsest/ai-sdk`: any language model of the AI SDK as a model of a session, any embedding model for memories. */
export { type AiSdkEmbeddingModel, aiSdkEmbeddings } from "../models/ai-sdk/ai-sdk-embeddings.ts";
export { type AiSdkModelOptions, aiSdkModel } from "../models/ai-sdk/ai-sdk-model.ts";
export type { AiSdkLanguageModel } from "../models/ai-sdk/ai-sdk-types.ts";
