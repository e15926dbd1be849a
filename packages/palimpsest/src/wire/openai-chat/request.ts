/**
 * Writes a request as the body of an OpenAI Chat Completions call, and reads such a body back.
 */
import { asNumber, isObject, type JsonObject, type JsonValue, wellFormedJson } from "../../base/json/json.ts";
import type { ModelRequest } from "../../ports/model-client.ts";
import { commonFields, type ReadRequest, requestBody } from "../shared/read-request.ts";
import { fromOpenAIChat } from "./from-openai-chat.ts";
import { toOpenAIChat } from "./to-openai-chat.ts";

/** Options of request bodies. @internal */
interface ChatBodyOptions {
  readonly maxOutputTokens: number | undefined;
  readonly outputLimitField: "max_completion_tokens" | "max_tokens";
  readonly systemRole: "system" | "developer";
}

/** Returns the body, without `stream`. `parameters` override all fields except the messages. @internal */
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
    ...(tools.length === 0 ? {} : { tools: wellFormedJson(tools as JsonValue) }),
    ...(maxOutputTokens === undefined ? {} : { [outputLimitField]: maxOutputTokens }),
    ...parameters,
    messages,
  } as JsonObject;
}

/**
 * A request, and how its client wrote what can be written in several ways: `chatBody` needs it to write the same body.
 * @internal
 */
interface ReadChatRequest extends ReadRequest, Omit<ChatBodyOptions, "maxOutputTokens"> {
  /** True if the client asked for the usage of a streamed answer. */
  readonly includesUsage: boolean;
}

/**
 * Reads the body of a Chat Completions call; `chatBody` writes it again.
 * @throws ModelError if the body is not an object.
 * @internal
 */
export function readChatRequest(sent: unknown): ReadChatRequest {
  const body = requestBody(sent);
  const list: readonly unknown[] = Array.isArray(body["messages"]) ? body["messages"] : [];
  const { messages, unreadable, system } = fromOpenAIChat(list);
  const outputLimitField =
    asNumber(body["max_completion_tokens"]) === undefined && asNumber(body["max_tokens"]) !== undefined
      ? "max_tokens"
      : "max_completion_tokens";
  const maxOutputTokens = asNumber(body[outputLimitField]);
  const [firstMessage] = list;
  const isStreaming = body["stream"] === true;
  const known = ["messages", "stream_options", ...(maxOutputTokens === undefined ? [] : [outputLimitField])];
  const { stream_options: options } = body;
  return {
    request: {
      ...commonFields(body, known),
      ...(system === undefined ? {} : { system }),
      messages,
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    },
    isStreaming,
    includesUsage: isObject(options) && options["include_usage"] === true,
    outputLimitField,
    systemRole: isObject(firstMessage) && firstMessage["role"] === "developer" ? "developer" : "system",
    unreadable,
  };
}
