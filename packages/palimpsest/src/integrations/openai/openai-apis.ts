/**
 * Chat Completions and Responses as requests whose conversation is managed.
 *
 * A host sends an answer back in the form in which its SDK handed it over: with fields of the SDK's helpers, without those
 * that are empty. Answers are reduced in the same way when they are recorded and when they return, so that both are equal.
 */
import { OptionError } from "../../base/errors.ts";
import { asString, isObject, type JsonObject } from "../../base/json/json.ts";
import type { ContentBlock, Message } from "../../transcript/blocks.ts";
import { chatAnswer } from "../../wire/openai-chat/answer.ts";
import { fromOpenAIChat } from "../../wire/openai-chat/from-openai-chat.ts";
import { ChatAssembly } from "../../wire/openai-chat/stream.ts";
import { toOpenAIChat } from "../../wire/openai-chat/to-openai-chat.ts";
import { responsesAnswer } from "../../wire/openai-responses/answer.ts";
import { fromOpenAIResponses } from "../../wire/openai-responses/from-openai-responses.ts";
import { compactionField } from "../../wire/openai-responses/request.ts";
import { ResponsesAssembly } from "../../wire/openai-responses/stream.ts";
import { toOpenAIResponses } from "../../wire/openai-responses/to-openai-responses.ts";
import { extraFields, openaiFields, withOpenAIFields } from "../../wire/shared/openai-fields.ts";
import type { ReadMessages } from "../../wire/shared/well-formed-block.ts";
import type { ManagedApi } from "../shared/managed-fetch.ts";
import type { HostCall } from "../shared/managed-window.ts";

const CHAT_API: ManagedApi = {
  read: (body) => {
    const { head, rest } = splitList(body["messages"]);
    return callOf(body, head, fromOpenAIChat(rest.map(asAnswered)));
  },
  write: (body, { call, request }) => ({
    ...body,
    ...request.parameters,
    messages: [...splitList(body["messages"]).head, ...toOpenAIChat<JsonObject>(call.messages)],
  }),
  answer: (body) => chatAnswer(body),
  assembly: () => new ChatAssembly(),
  plain: plainMessage,
};

const RESPONSES_API: ManagedApi = {
  read: (body) => {
    if (body["conversation"] !== undefined && body["conversation"] !== null) throw keptByServer();
    if (body["background"] === true && body["stream"] !== true) throw answeredLater();
    const { head, rest } = splitList(inputOf(body));
    const call = callOf(body, head, fromOpenAIResponses(rest));
    const previousId = asString(body["previous_response_id"]);
    return previousId === undefined || call === undefined ? call : { ...call, previousId };
  },
  write: ({ previous_response_id: _, ...body }, { call, request }) => ({
    ...compactionField(call.providerEdits),
    ...body,
    ...request.parameters,
    input: [...splitList(inputOf(body)).head, ...toOpenAIResponses<JsonObject>(call.messages)],
  }),
  answer: (body) => responsesAnswer(body),
  assembly: () => new ResponsesAssembly(),
  headEvents: new Set(["response.created", "response.queued", "response.in_progress"]),
  plain: plainMessage,
};

/** The managed APIs, by the end of their path. */
export const OPENAI_APIS: ReadonlyMap<string, ManagedApi> = new Map([
  ["/chat/completions", CHAT_API],
  ["/responses", RESPONSES_API],
]);

/** Fields of a body that a summary of the conversation has in another form, or not at all. */
const OWN_FIELDS = [
  ...["model", "messages", "input", "instructions", "tools"],
  ...["stream", "stream_options", "previous_response_id"],
];

function callOf(
  body: JsonObject,
  head: readonly JsonObject[],
  { messages, unreadable }: ReadMessages,
): HostCall | undefined {
  if (unreadable.length > 0) return undefined;
  const { model, tools, instructions } = body;
  const system = [asString(instructions), ...head.map(({ content }) => textOf(content))]
    .filter(Boolean)
    .join("\n\n");
  return {
    messages,
    request: {
      model: asString(model),
      ...(system === "" ? {} : { system }),
      ...(Array.isArray(tools) && tools.length > 0 ? { tools } : {}),
      parameters: extraFields(body, OWN_FIELDS),
    },
  };
}

/** The list without the instructions at its start, which no compaction may hide. */
function splitList(list: unknown): {
  readonly head: readonly JsonObject[];
  readonly rest: readonly unknown[];
} {
  const all: readonly unknown[] = Array.isArray(list) ? list : [];
  const isInstruction = (one: unknown): boolean =>
    isObject(one) && (one["role"] === "system" || one["role"] === "developer");
  const end = all.findIndex((one) => !isInstruction(one));
  const count = end === -1 ? all.length : end;
  return { head: all.slice(0, count) as readonly JsonObject[], rest: all.slice(count) };
}

function inputOf({ input }: JsonObject): unknown {
  return typeof input === "string" ? [{ role: "user", content: input }] : input;
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return asString(content) ?? "";
  return content.map((part) => (isObject(part) ? (asString(part["text"]) ?? "") : "")).join("");
}

/** Fields of an answer that the conversation has; the SDK's own and those that are empty are left out. */
const ANSWER_FIELDS = ["role", "content", "refusal", "tool_calls", "function_call", "name", "audio"];

function asAnswered(message: unknown): unknown {
  if (!isObject(message) || message["role"] !== "assistant") return message;
  const kept = ANSWER_FIELDS.filter((field) => (message[field] ?? null) !== null);
  return Object.fromEntries(kept.map((field) => [field, message[field]]));
}

function plainMessage(message: Message): Message {
  return message.role === "assistant" ? { ...message, content: message.content.map(plainBlock) } : message;
}

/** A block without what helpers of the SDK add, such as `parsed_arguments`, and what a host that streams collects. */
function plainBlock(block: ContentBlock): ContentBlock {
  if (!("openai" in block)) return block;
  const { arguments: text, extra = {} } = openaiFields(block);
  const plain = Object.entries(extra).filter(
    ([field, value]) => value !== null && field !== "index" && !field.startsWith("parsed"),
  );
  const { openai: _, ...bare } = block;
  const fields = { ...(text === undefined ? {} : { arguments: text }), extra: Object.fromEntries(plain) };
  return withOpenAIFields(bare as ContentBlock, fields);
}

function answeredLater(): OptionError {
  return new OptionError({
    message:
      "A client with a managed window cannot record an answer of `background: true` that is asked for later.",
    hint: "Add `stream: true`, leave `background` out, or send the request with the plain client.",
  });
}

function keptByServer(): OptionError {
  return new OptionError({
    message: "A client with a managed window keeps no `conversation` on the server.",
    hint: "Send the whole list of items as `input`, or `previous_response_id`.",
  });
}
