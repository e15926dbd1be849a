/** `palimpsest/anthropic`: Claude as a model of a session, through a client of `@anthropic-ai/sdk`, and a client with a session's window. */
export {
  anthropicHistoryTools as historyTools,
  withAnthropicWindow as withPalimpsest,
} from "../integrations/anthropic/with-anthropic.ts";
export {
  type AnthropicModelOptions,
  anthropicCounter,
  anthropicModel,
} from "../models/anthropic/anthropic-model.ts";
