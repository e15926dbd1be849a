/**
 * A request → the body of a Responses call, without state on the server: everything that the model shall see
 * is in it, its own reasoning in the encrypted form in which it came.
 */
import type { JsonObject } from "../../base/json/json.ts";
import { toWellFormed } from "../../base/text/text.ts";
import type { ModelRequest } from "../../ports/model-client.ts";
import { toOpenAIResponses } from "./to-openai-responses.ts";

const ENCRYPTED_REASONING = "reasoning.encrypted_content";

/** How bodies are made. @internal */
interface ResponsesBodyOptions {
  readonly maxOutputTokens: number | undefined;
  /** Whether reasoning is asked for in a form that can be sent back. */
  readonly includesReasoning: boolean;
}

/** The body without `stream`. `parameters` win over everything but the conversation. @internal */
export function responsesBody(
  request: ModelRequest,
  { maxOutputTokens, includesReasoning }: ResponsesBodyOptions,
): JsonObject {
  const { model, system, tools = [], parameters = {} } = request;
  return {
    model,
    ...(system === undefined || system === "" ? {} : { instructions: toWellFormed(system) }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    store: false,
    ...parameters,
    ...(includesReasoning ? { include: withReasoning(parameters["include"]) } : {}),
    input: toOpenAIResponses<JsonObject>(request.messages),
  } as JsonObject;
}

/** What a host wants included, and the reasoning: without it the model could not go on from its own thoughts. */
function withReasoning(include: unknown): readonly string[] {
  const wanted = Array.isArray(include) ? (include as readonly string[]) : [];
  return wanted.includes(ENCRYPTED_REASONING) ? wanted : [...wanted, ENCRYPTED_REASONING];
}
