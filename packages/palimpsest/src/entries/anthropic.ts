/** `palimpsest/anthropic`: Claude as a model of a session, through a client of `@anthropic-ai/sdk`. */
export {
  type AnthropicModelOptions,
  anthropicCounter,
  anthropicModel,
} from "../models/anthropic/anthropic-model.ts";
