/**
 * The OpenAI APIs of the scripted provider: `POST /v1/chat/completions`, `POST /v1/responses` and
 * `POST /v1/responses/input_tokens`. Each dialect judges and reads requests, and writes answers and errors.
 */
import {
  asString,
  dataEvent,
  isObject,
  namedEvent,
  type OpenAIErrorHead,
  openaiError,
  type WrittenError,
} from "palimpsest/internal";
import {
  judgeOpenAIChatRequest,
  judgeOpenAIResponsesRequest,
  type Violation,
} from "../../wire-oracle/wire-oracle.ts";
import type { Dialect, ErrorCase, IncomingRequest, Reply } from "../dialect/dialect.ts";
import { PROVIDER_FACTS } from "../dialect/provider-facts.ts";
import { jsonReply } from "../dialect/reply.ts";
import { writeChatAnswer } from "./openai-chat-answer.ts";
import { readChatPrompt } from "./openai-chat-prompt.ts";
import { listOf, reportsCacheWrites } from "./openai-content.ts";
import { compactResponses, judgeCompaction } from "./openai-context.ts";
import { failedStream, writeCompaction, writeResponsesAnswer } from "./openai-responses-answer.ts";
import { readResponsesPrompt } from "./openai-responses-prompt.ts";

const SHARED: Pick<Dialect, "words" | "useCache" | "writeCount" | "writeModel" | "writeWrongShape"> = {
  words: {
    notJson:
      "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. " +
      "The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
    notFound: (path) => `Invalid URL (POST ${path})`,
  },
  useCache: (cache, { incoming, reading, nowMs }) =>
    cache.usePrefix({
      positions: reading.positions,
      // Requests with another key go to another machine, which has another cache.
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
  tellsFigures: true,
  writeError: (problem, { model }) => errorReply(errorOf(problem, { model, promptField: "messages" })),
  writeStreamError: () =>
    dataEvent(errorOf({ kind: "overloaded" }, { model: "", promptField: "messages" }).body),
};

export const RESPONSES_DIALECT: Dialect = {
  ...SHARED,
  api: "openai-responses",
  judge: (incoming) => [
    ...judgeResponsesParameters(incoming),
    ...judgeCompaction(incoming),
    ...judgeOpenAIResponsesRequest(incoming.body, {
      kind: incoming.purpose === "count" ? "count" : "request",
    }),
  ],
  read: readResponsesPrompt,
  refusesLongOutput: () => false,
  compact: ({ body }, summary, key) => compactResponses(body, summary, key),
  writeSummary: writeCompaction,
  writeAnswer: writeResponsesAnswer,
  tellsFigures: false,
  writeError: (problem, { model, isStreaming }) => {
    const error = errorOf(problem, { model, promptField: "input" });
    const isInStream = isStreaming && problem.kind === "prompt-too-long";
    return isInStream ? failedStream(error.body.error, model) : errorReply(error);
  },
  writeStreamError: () => {
    const { error } = errorOf({ kind: "overloaded" }, { model: "", promptField: "input" }).body;
    return namedEvent({ type: "error", sequence_number: 0, error });
  },
};

/** The API's error codes, by broken rule. Most rules have none. */
const CODES: ReadonlyMap<string, string> = new Map([
  ["field-missing", "missing_required_parameter"],
  ["extra-field", "unknown_parameter"],
  ["field-type", "invalid_type"],
  ["unsupported-parameter", "unsupported_parameter"],
  ["encrypted-content", "invalid_encrypted_content"],
  ["previous-response", "previous_response_not_found"],
]);

function errorOf(
  { message = "", violation, ...failure }: ErrorCase,
  head: Pick<OpenAIErrorHead, "model" | "promptField">,
): WrittenError {
  const refused =
    violation === undefined
      ? {}
      : { status: violation.rule === "item-not-found" ? 404 : 400, providerCode: CODES.get(violation.rule) };
  const param = violation?.path === "body" ? undefined : violation?.path;
  return openaiError(
    { ...failure, ...refused, message },
    { ...head, requestId: "req_scripted_provider", organization: "org-scripted", param },
  );
}

function errorReply({ status, headers, body }: WrittenError): Reply {
  return jsonReply(body, status, headers);
}

/** Models that reason. They refuse `max_tokens`. */
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
