/** `palimpsest/anthropic`: Claude as a model of a session, through a client of `@anthropic-ai/sdk`. */
export { anthropicCounter } from "../models/anthropic/anthropic-counter.ts";
export { type AnthropicModelOptions, anthropicModel } from "../models/anthropic/anthropic-model.ts";
