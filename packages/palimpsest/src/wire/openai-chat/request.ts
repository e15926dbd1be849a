/**
 * A request → the body of a Chat Completions call.
 */
import type { JsonObject } from "../../base/json/json.ts";
import type { ModelRequest } from "../../ports/model-client.ts";
import { toOpenAIChat } from "./to-openai-chat.ts";

/** How bodies are made. @internal */
interface ChatBodyOptions {
  readonly maxOutputTokens: number | undefined;
  readonly outputLimitField: "max_completion_tokens" | "max_tokens";
  readonly systemRole: "system" | "developer";
}

/** The body without `stream`. `parameters` win over everything but the conversation. @internal */
export function chatBody(
  request: ModelRequest,
  { maxOutputTokens, outputLimitField, systemRole }: ChatBodyOptions,
): JsonObject {
  const { model, system, tools = [], parameters = {} } = request;
  const messages = toOpenAIChat<JsonObject>(request.messages, {
    systemRole,
    ...(system === undefined || system === "" ? {} : { system }),
  });
  return {
    model,
    ...(tools.length === 0 ? {} : { tools }),
    ...(maxOutputTokens === undefined ? {} : { [outputLimitField]: maxOutputTokens }),
    ...parameters,
    messages,
  } as JsonObject;
}
