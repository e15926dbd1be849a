/**
 * A request ⇄ the body of a Responses call.
 *
 * The request keeps no state on the server: everything that the model shall see is in it, its own reasoning in the
 * encrypted form in which it came.
 */
import { asNumber, asString, type JsonObject, type JsonValue, wellFormedJson } from "../../base/json/json.ts";
import { toWellFormed } from "../../base/text/text.ts";
import type { ModelRequest } from "../../ports/model-client.ts";
import { commonFields, type ReadRequest, requestBody, withParameters } from "../shared/read-request.ts";
import { fromOpenAIResponses } from "./from-openai-responses.ts";
import { toOpenAIResponses } from "./to-openai-responses.ts";

const ENCRYPTED_REASONING = "reasoning.encrypted_content";

/** Options of request bodies. @internal */
interface ResponsesBodyOptions {
  readonly maxOutputTokens: number | undefined;
  /** True if reasoning is asked for in a form that can be sent back. */
  readonly includesReasoning: boolean;
}

/** The body without `stream`. `parameters` win over everything but the conversation. @internal */
export function responsesBody(
  request: ModelRequest,
  { maxOutputTokens, includesReasoning }: ResponsesBodyOptions,
): JsonObject {
  const { model, system, tools = [], parameters = {}, providerEdits } = request;
  return {
    model,
    ...(system === undefined || system === "" ? {} : { instructions: toWellFormed(system) }),
    ...(tools.length === 0 ? {} : { tools: wellFormedJson(tools as JsonValue) }),
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    store: false,
    ...compactionField(providerEdits),
    ...parameters,
    ...(includesReasoning ? { include: withReasoning(parameters["include"]) } : {}),
    input: toOpenAIResponses<JsonObject>(request.messages),
  } as JsonObject;
}

/** The field that asks for a summary from a size on. Source: OpenAI docs, "Compaction". @internal */
export function compactionField(edits: ModelRequest["providerEdits"]): JsonObject {
  const tokens = edits?.compactAtTokens;
  if (tokens === undefined) return {};
  return { context_management: [{ type: "compaction", compact_threshold: tokens }] };
}

/** The host's inclusions, and the reasoning: without it the model could not go on from its own thoughts. */
function withReasoning(include: unknown): readonly string[] {
  const wanted = Array.isArray(include) ? (include as readonly string[]) : [];
  return wanted.includes(ENCRYPTED_REASONING) ? wanted : [...wanted, ENCRYPTED_REASONING];
}

/** A request, and if it asks for its reasoning. @internal */
interface ReadResponsesRequest extends ReadRequest, Omit<ResponsesBodyOptions, "maxOutputTokens"> {}

/** Reads the body of a Responses call, so that `responsesBody` gives it back. @throws ModelError where it is not an object. @internal */
export function readResponsesRequest(sent: unknown): ReadResponsesRequest {
  const body = requestBody(sent);
  const { input } = body;
  const items: readonly unknown[] =
    typeof input === "string" ? [{ role: "user", content: input }] : Array.isArray(input) ? input : [];
  const { messages, unreadable } = fromOpenAIResponses(items);
  const maxOutputTokens = asNumber(body["max_output_tokens"]);
  const system = asString(body["instructions"]);
  const known = [
    "input",
    "include",
    ...(system === undefined ? [] : ["instructions"]),
    ...(maxOutputTokens === undefined ? [] : ["max_output_tokens"]),
    ...(body["store"] === false ? ["store"] : []),
  ];
  const { parameters, ...common } = commonFields(body, known);
  const { include } = body;
  const wanted = Array.isArray(include) ? include.filter((one) => one !== ENCRYPTED_REASONING) : include;
  const isWanted = Array.isArray(wanted) ? wanted.length > 0 : wanted !== undefined;
  return {
    request: {
      ...common,
      ...(system === undefined ? {} : { system }),
      messages,
      ...withParameters({
        // The server keeps what a client does not ask it to forget.
        ...(body["store"] === undefined ? { store: true } : {}),
        ...parameters,
        ...(isWanted ? { include: wanted as JsonObject[string] } : {}),
      }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    },
    isStreaming: body["stream"] === true,
    includesReasoning: Array.isArray(include) && include.includes(ENCRYPTED_REASONING),
    unreadable,
  };
}
