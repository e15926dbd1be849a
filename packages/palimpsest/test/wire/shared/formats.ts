/** The three formats behind one interface, and answers that each of them can say. */
import fc from "fast-check";
import type { JsonObject } from "#base/json/json.ts";
import type { ModelAnswer, ModelEvent, ModelRequest, StopReason } from "#ports/model-client.ts";
import type { ModelFailure } from "#ports/model-failure.ts";
import { call, id, text, words } from "#test/wire/anthropic/wire-arbitraries.ts";
import type { ContentBlock, Usage } from "#transcript/blocks.ts";
import { anthropicAnswer, anthropicMessage } from "#wire/anthropic/answer.ts";
import { anthropicError, anthropicErrorEvent } from "#wire/anthropic/errors.ts";
import { anthropicBody, readAnthropicRequest } from "#wire/anthropic/request.ts";
import { AnthropicAssembly, AnthropicWriter } from "#wire/anthropic/stream.ts";
import type { WrittenError } from "#wire/errors/written-error.ts";
import { chatAnswer, chatCompletion } from "#wire/openai-chat/answer.ts";
import { openaiError } from "#wire/openai-chat/errors.ts";
import { chatBody, readChatRequest } from "#wire/openai-chat/request.ts";
import { ChatAssembly, ChatWriter } from "#wire/openai-chat/stream.ts";
import { responsesAnswer, responsesResponse } from "#wire/openai-responses/answer.ts";
import { readResponsesRequest, responsesBody } from "#wire/openai-responses/request.ts";
import { ResponsesAssembly, ResponsesWriter } from "#wire/openai-responses/stream.ts";
import type { AnswerAssembly } from "#wire/shared/answer-assembly.ts";
import type { AnswerWriter } from "#wire/shared/answer-writer.ts";
import type { ReadRequest } from "#wire/shared/read-request.ts";
import { dataEvent } from "#wire/shared/sse.ts";

export interface Format {
  readonly name: "anthropic" | "openai-chat" | "openai-responses";
  readonly writeAnswer: (answer: ModelAnswer) => JsonObject;
  readonly readAnswer: (body: unknown) => ModelAnswer;
  readonly writer: (pieceLength: number) => AnswerWriter;
  readonly assembly: (tell?: (event: ModelEvent) => void) => AnswerAssembly;
  readonly readRequest: (body: unknown) => ReadRequest;
  /** The body of a request, as the client of this format would write it. */
  readonly writeRequest: (request: ModelRequest) => JsonObject;
  /** A request that was read, written again. */
  readonly rewrite: (body: unknown) => JsonObject;
  readonly writeError: (failure: ModelFailure) => WrittenError;
  /** The event that ends a stream with an error. */
  readonly errorEvent: (error: WrittenError) => string;
  /** Contents of answers that survive the round trip. */
  readonly content: fc.Arbitrary<readonly ContentBlock[]>;
  /** The provider's words for why it stopped, with their meaning. */
  readonly stops: readonly { readonly raw: string; readonly stopReason: StopReason }[];
}

const HEAD = { id: "made_up", model: "made-up", createdSeconds: 1_767_225_600 };
const newId = (prefix: string): string => `${prefix}new`;
const ERROR_HEAD = { requestId: "req_1", model: "model-1" };

const signed = fc.record({ type: fc.constant("thinking" as const), thinking: words, signature: id });
const cited = words.map((cited_text) => ({
  type: "text" as const,
  text: "It says so.",
  citations: [{ type: "char_location", cited_text, document_index: 0 }],
}));
const foreign = words.map(
  (value): ContentBlock => ({ type: "opaque", provider: "anthropic", value: { type: "new_thing", value } }),
);
const redacted = id.map((data): ContentBlock => ({ type: "redacted_thinking", data }));
const searched = fc.record({
  type: fc.constant("server_tool_use" as const),
  id,
  name: id,
  input: fc.constant({ query: "x" }),
});
const found = id.map(
  (tool_use_id): ContentBlock => ({ type: "web_search_tool_result", tool_use_id, content: [{ url: "u" }] }),
);

const oneOrNone = <T extends ContentBlock>(block: fc.Arbitrary<T>) => fc.array(block, { maxLength: 1 });
const withExtra = (block: ContentBlock, itemId: string): ContentBlock =>
  ({ ...block, ...{ openai: { extra: { id: itemId, status: "completed" } } } }) as ContentBlock;
const responsesOpaque = (value: JsonObject): ContentBlock => ({
  type: "opaque",
  provider: "openai-responses",
  value,
});

export const FORMATS: readonly Format[] = [
  {
    name: "anthropic",
    writeAnswer: (answer) => anthropicMessage(answer, HEAD),
    readAnswer: (body) => anthropicAnswer(body),
    writer: (pieceLength) => new AnthropicWriter({ pieceLength }),
    assembly: (tell) => new AnthropicAssembly({ tell }),
    readRequest: readAnthropicRequest,
    writeRequest: (request) => anthropicBody(request, request.maxOutputTokens ?? 1_000),
    rewrite: (body) => {
      const { request } = readAnthropicRequest(body);
      return anthropicBody(request, request.maxOutputTokens ?? 1_000);
    },
    writeError: (failure) => anthropicError(failure, ERROR_HEAD),
    errorEvent: anthropicErrorEvent,
    content: fc.array(fc.oneof(text, cited, call, signed, foreign, redacted, searched, found), {
      minLength: 1,
      maxLength: 5,
    }),
    stops: [
      { raw: "end_turn", stopReason: "end" },
      { raw: "stop_sequence", stopReason: "end" },
      { raw: "tool_use", stopReason: "tool-use" },
      { raw: "max_tokens", stopReason: "output-limit" },
      { raw: "model_context_window_exceeded", stopReason: "window-full" },
      { raw: "refusal", stopReason: "refusal" },
      { raw: "pause_turn", stopReason: "paused" },
      { raw: "compaction", stopReason: "paused" },
      { raw: "a_new_reason", stopReason: "other" },
    ],
  },
  {
    name: "openai-chat",
    writeAnswer: (answer) => chatCompletion(answer, HEAD),
    readAnswer: (body) => chatAnswer(body),
    writer: (pieceLength) => new ChatWriter({ pieceLength, includesUsage: true }),
    assembly: (tell) => new ChatAssembly({ tell }),
    readRequest: readChatRequest,
    writeRequest: (request) =>
      chatBody(request, {
        maxOutputTokens: request.maxOutputTokens,
        outputLimitField: "max_completion_tokens",
        systemRole: "system",
      }),
    rewrite: (body) => {
      const { request, ...options } = readChatRequest(body);
      return chatBody(request, { ...options, maxOutputTokens: request.maxOutputTokens });
    },
    writeError: (failure) => openaiError(failure, { ...ERROR_HEAD, promptField: "messages" }),
    errorEvent: ({ body }) => dataEvent(body),
    content: fc
      .tuple(
        oneOrNone(words.map((thinking) => ({ type: "thinking" as const, thinking }))),
        oneOrNone(text),
        oneOrNone(
          words.map(
            (refusal): ContentBlock => ({
              type: "opaque",
              provider: "openai-chat",
              value: { type: "refusal", refusal },
            }),
          ),
        ),
        fc.array(
          fc.oneof(
            call,
            fc.record({ id, input: words }).map(
              (custom): ContentBlock =>
                ({
                  type: "tool_use",
                  name: "run",
                  ...custom,
                  openai: { extra: { type: "custom" } },
                }) as never,
            ),
            fc.record({ id }).map(
              (odd): ContentBlock =>
                ({
                  ...{ type: "tool_use", name: "run", input: { a: 1 }, ...odd },
                  openai: { arguments: '{ "a": 1 }', extra: { extra_content: { signature: "s" } } },
                }) as never,
            ),
          ),
          { maxLength: 3 },
        ),
      )
      .map((blocks) => blocks.flat() as readonly ContentBlock[])
      .filter(({ length }) => length > 0),
    stops: [
      { raw: "stop", stopReason: "end" },
      { raw: "length", stopReason: "output-limit" },
      { raw: "content_filter", stopReason: "refusal" },
      { raw: "model_context_window_exceeded", stopReason: "window-full" },
      { raw: "a_new_reason", stopReason: "other" },
    ],
  },
  {
    name: "openai-responses",
    writeAnswer: (answer) => responsesResponse(answer, { ...HEAD, newId }),
    readAnswer: (body) => responsesAnswer(body),
    writer: (pieceLength) => new ResponsesWriter({ pieceLength, newId }),
    assembly: (tell) => new ResponsesAssembly({ tell }),
    readRequest: readResponsesRequest,
    writeRequest: (request) =>
      responsesBody(request, { maxOutputTokens: request.maxOutputTokens, includesReasoning: true }),
    rewrite: (body) => {
      const { request, ...options } = readResponsesRequest(body);
      return responsesBody(request, { ...options, maxOutputTokens: request.maxOutputTokens });
    },
    writeError: (failure) => openaiError(failure, { ...ERROR_HEAD, promptField: "input" }),
    errorEvent: ({ body }) => new ResponsesWriter({ newId }).fail(body.error)[0]!,
    content: fc.array(
      fc.oneof(
        fc.tuple(text, id).map(([block, itemId]) => withExtra(block, `msg_${itemId}`)),
        fc.tuple(call, id).map(([block, itemId]) => withExtra(block, `fc_${itemId}`)),
        fc.tuple(words, id).map(([summary, itemId]) =>
          responsesOpaque({
            ...{ type: "reasoning", id: `rs_${itemId}`, encrypted_content: "gAAAA" },
            summary: [{ type: "summary_text", text: summary }],
          }),
        ),
        id.map((itemId) => responsesOpaque({ type: "web_search_call", id: itemId, status: "completed" })),
        id.map((itemId) => responsesOpaque({ type: "new_thing", id: itemId })),
        words.map((refusal) => responsesOpaque({ type: "refusal", refusal })),
      ),
      { minLength: 1, maxLength: 5 },
    ),
    stops: [
      { raw: "completed", stopReason: "end" },
      { raw: "max_output_tokens", stopReason: "output-limit" },
      { raw: "content_filter", stopReason: "refusal" },
      { raw: "cancelled", stopReason: "other" },
      { raw: "a_new_reason", stopReason: "other" },
    ],
  },
];

const usage: fc.Arbitrary<Usage> = fc.record({
  inputTokens: fc.nat(200_000),
  cacheReadTokens: fc.nat(200_000),
  cacheWriteTokens: fc.nat(200_000),
  outputTokens: fc.nat(64_000),
});

/** Whole answers that a format can say. */
export function answersOf({ content, stops }: Format): fc.Arbitrary<ModelAnswer> {
  return fc
    .record({ content, stop: fc.constantFrom(...stops), usage, responseId: id, model: id })
    .map(({ content: blocks, stop, model, responseId, ...rest }) => ({
      messages: [{ role: "assistant", content: blocks, origin: "assistant", responseId, model }],
      stopReason: stopOf(stop, blocks),
      rawStopReason: stop.raw,
      usage: rest.usage,
      model,
    }));
}

/** A server that says that it is done where it called a tool waits for the tool; its refusal is an answer, too. */
function stopOf({ raw, stopReason }: Format["stops"][number], content: readonly ContentBlock[]): StopReason {
  if (raw !== "stop" && raw !== "completed") return stopReason;
  if (content.some(({ type }) => type === "tool_use")) return "tool-use";
  const isRefused = content.some((block) => JSON.stringify(block).includes('"type":"refusal"'));
  return isRefused ? "refusal" : stopReason;
}

/** All frames of an answer, each block at once. */
export function framesOf(format: Format, answer: ModelAnswer, pieceLength = 5): readonly string[] {
  const writer = format.writer(pieceLength);
  const body = format.writeAnswer(answer);
  const begun = writer.begin(body);
  const content = answer.messages.flatMap((message) => message.content);
  const frames = content.flatMap((block) => writer.take({ type: "block", block }));
  return [...begun, ...frames, ...writer.end(body)];
}
