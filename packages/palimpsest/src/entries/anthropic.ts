/** `palimpsest/anthropic`: Claude as a model of a session, through a client of `@anthropic-ai/sdk`. */
export type { AnthropicClient, AnthropicMessagesApi } from "../models/anthropic/anthropic-client.ts";
export { anthropicCounter } from "../models/anthropic/anthropic-counter.ts";
export { type AnthropicModelOptions, anthropicModel } from "../models/anthropic/anthropic-model.ts";
