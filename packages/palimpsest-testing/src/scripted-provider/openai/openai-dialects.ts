/**
 * The OpenAI APIs: `POST /v1/chat/completions`, `POST /v1/responses`, `POST /v1/responses/input_tokens`.
 */
import { asString, isObject } from "palimpsest/internal";
import {
  judgeOpenAIChatRequest,
  judgeOpenAIResponsesRequest,
  type Violation,
} from "../../wire-oracle/wire-oracle.ts";
import type { Dialect, IncomingRequest } from "../dialect/dialect.ts";
import { PROVIDER_FACTS } from "../dialect/provider-facts.ts";
import { jsonReply } from "../dialect/reply.ts";
import { chatStreamError, writeChatAnswer } from "./openai-chat-answer.ts";
import { readChatPrompt } from "./openai-chat-prompt.ts";
import { listOf, reportsCacheWrites } from "./openai-content.ts";
import { openAiError, tooLongError } from "./openai-failures.ts";
import { failedStream, responsesStreamError, writeResponsesAnswer } from "./openai-responses-answer.ts";
import { readResponsesPrompt } from "./openai-responses-prompt.ts";

const SHARED: Pick<Dialect, "useCache" | "writeCount" | "writeModel" | "writeWrongShape"> = {
  useCache: (cache, { incoming, reading, nowMs }) =>
    cache.usePrefix({
      positions: reading.positions,
      // Requests with another key go to another machine, which knows nothing of these.
      salts: {
        tools: JSON.stringify([incoming.model, incoming.body["prompt_cache_key"]]),
        system: "",
        messages: "",
      },
      minimumTokens: PROVIDER_FACTS.automaticCacheTokens.minimum,
      reportsWrites: reportsCacheWrites(incoming.model),
      nowMs,
    }),
  writeCount: (promptTokens) => jsonReply({ object: "response.input_tokens", input_tokens: promptTokens }),
  writeModel: ({ model }) =>
    jsonReply({ id: model, object: "model", created: 1_767_225_600, owned_by: "system" }),
  writeWrongShape: () => jsonReply({ result: "ok" }),
};

export const CHAT_DIALECT: Dialect = {
  ...SHARED,
  api: "openai-chat",
  judge: (incoming) => [
    ...judgeChatParameters(incoming),
    ...judgeOpenAIChatRequest(incoming.body, { kind: "request" }),
  ],
  read: readChatPrompt,
  refusesLongOutput: () => true,
  writeAnswer: writeChatAnswer,
  writeError: (problem, { model }) => openAiError(problem, model, "messages"),
  writeStreamError: chatStreamError,
};

export const RESPONSES_DIALECT: Dialect = {
  ...SHARED,
  api: "openai-responses",
  judge: (incoming) => [
    ...judgeResponsesParameters(incoming),
    ...judgeOpenAIResponsesRequest(incoming.body, {
      kind: incoming.purpose === "count" ? "count" : "request",
    }),
  ],
  read: readResponsesPrompt,
  refusesLongOutput: () => false,
  writeAnswer: writeResponsesAnswer,
  writeError: (problem, { model, isStreaming }) =>
    isStreaming && problem.kind === "too-long"
      ? failedStream(tooLongError(problem, "input"), model)
      : openAiError(problem, model, "input"),
  writeStreamError: responsesStreamError,
};

/** Models that reason take no `max_tokens`. */
const REASONING_MODEL = /^(?:o\d|gpt-(?:[5-9]|\d\d))/;

function judgeChatParameters({ body, model }: IncomingRequest): readonly Violation[] {
  const found: Violation[] = [];
  if (body["stream"] !== true && isObject(body["stream_options"]))
    found.push({
      rule: "stream-options",
      path: "stream_options",
      message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    });
  if (typeof body["max_tokens"] === "number" && REASONING_MODEL.test(model))
    found.push({
      rule: "unsupported-parameter",
      path: "max_tokens",
      message:
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    });
  return found;
}

function judgeResponsesParameters({ body }: IncomingRequest): readonly Violation[] {
  const found: Violation[] = [];
  const previous = asString(body["previous_response_id"]);
  if (previous !== undefined)
    found.push({
      rule: "previous-response",
      path: "previous_response_id",
      message: `Previous response with id '${previous}' not found.`,
    });
  if (body["store"] !== false) return found;
  for (const [index, item] of listOf(body["input"]).entries()) {
    if (!isObject(item)) continue;
    const isUnstored =
      item["type"] === "item_reference" ||
      (item["type"] === "reasoning" && typeof item["encrypted_content"] !== "string");
    if (isUnstored)
      found.push({
        rule: "item-not-found",
        path: `input[${index}]`,
        message: `Item with id '${asString(item["id"]) ?? ""}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
      });
  }
  return found;
}
