/** `palimpsest/ai-sdk`: any language model of the AI SDK as a model of a session. */
export { type AiSdkModelOptions, aiSdkModel } from "../adapters/models/ai-sdk/ai-sdk-model.ts";
export type { AiSdkCallOptions, AiSdkLanguageModel } from "../adapters/models/ai-sdk/ai-sdk-types.ts";
