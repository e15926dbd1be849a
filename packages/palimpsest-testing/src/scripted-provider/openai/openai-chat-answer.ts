/**
 * Writes an answer as the OpenAI Chat Completions API does: one completion, or its chunks.
 */

import type { StopReason } from "palimpsest/internal";
import { isObject, type JsonObject } from "palimpsest/internal";
import type { AnswerTurn, AnswerUsage, Reply } from "../dialect/dialect.ts";
import { PROVIDER_FACTS } from "../dialect/provider-facts.ts";
import { dataEvent, inPieces, jsonReply, streamReply } from "../dialect/reply.ts";
import { OVERLOADED } from "./openai-failures.ts";

const FINISH_REASONS: Readonly<Record<StopReason, string>> = {
  end: "stop",
  "tool-use": "tool_calls",
  "output-limit": "length",
  "window-full": "length",
  refusal: "content_filter",
  paused: "stop",
  other: "stop",
};

interface Completion {
  readonly text: string;
  readonly refusal: string | null;
  readonly calls: readonly {
    readonly id: string;
    readonly type: "function";
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly finishReason: string;
}

/** The answer to a request, in the form that it asked for. */
export function writeChatAnswer(turn: AnswerTurn): Reply {
  const completion = completionOf(turn);
  const head = {
    id: turn.newId("chatcmpl-"),
    created: turn.nowSeconds,
    model: turn.incoming.model,
    service_tier: "default",
  };
  const headers = { "x-request-id": turn.newId("req_") };
  return turn.incoming.isStreaming
    ? streamReply(chunksOf(turn, completion, head), headers)
    : jsonReply(wholeOf(turn, completion, head), 200, headers);
}

/** The event that breaks a stream off. */
export function chatStreamError(): string {
  return dataEvent({ error: OVERLOADED });
}

/** A refusal in words has a separate field; one without words is a filter's. */
function completionOf({ answer, newId }: AnswerTurn): Completion {
  const text = answer.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const isRefusal = answer.stopReason === "refusal" && text !== "";
  return {
    text: isRefusal ? "" : text,
    refusal: isRefusal ? text : null,
    calls: answer.parts.flatMap((part) =>
      part.type === "tool-call"
        ? [
            {
              id: part.id ?? newId("call_"),
              type: "function" as const,
              function: { name: part.name, arguments: JSON.stringify(part.input) },
            },
          ]
        : [],
    ),
    finishReason: isRefusal ? "stop" : FINISH_REASONS[answer.stopReason],
  };
}

function wholeOf(
  turn: AnswerTurn,
  { text, refusal, calls, finishReason }: Completion,
  head: JsonObject,
): JsonObject {
  const usage = usageOf(turn.usage);
  return {
    ...head,
    object: "chat.completion",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text === "" && (calls.length > 0 || refusal !== null) ? null : text,
          refusal,
          annotations: [],
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
        },
        logprobs: null,
        finish_reason: finishReason,
      },
    ],
    ...(usage === undefined ? {} : { usage }),
  };
}

/** Usage comes in a separate chunk, to clients that asked for it. */
function chunksOf(
  turn: AnswerTurn,
  { text, refusal, calls, finishReason }: Completion,
  head: JsonObject,
): readonly string[] {
  const streamOptions = turn.incoming.body["stream_options"];
  const includesUsage = isObject(streamOptions) && streamOptions["include_usage"] === true;
  const usage = includesUsage ? usageOf(turn.usage) : undefined;
  const chunk = (delta: JsonObject, finish_reason: string | null = null): string =>
    dataEvent({
      ...head,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...(includesUsage ? { usage: null } : {}),
    });
  return [
    chunk({ role: "assistant", content: calls.length > 0 && text === "" ? null : "", refusal: null }),
    ...inPieces(text, PROVIDER_FACTS.deltaLength).map((content) => chunk({ content })),
    ...inPieces(refusal ?? "", PROVIDER_FACTS.deltaLength).map((piece) => chunk({ refusal: piece })),
    ...calls.flatMap((call, index) => [
      chunk({ tool_calls: [{ index, ...call, function: { name: call.function.name, arguments: "" } }] }),
      ...inPieces(call.function.arguments, PROVIDER_FACTS.deltaLength).map((piece) =>
        chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ),
    ]),
    chunk({}, finishReason),
    ...(usage === undefined
      ? []
      : [dataEvent({ ...head, object: "chat.completion.chunk", choices: [], usage })]),
    dataEvent("[DONE]"),
  ];
}

function usageOf(usage: AnswerUsage | undefined): JsonObject | undefined {
  if (usage === undefined) return undefined;
  const { cache, reported } = usage;
  const written = cache.writtenTokens["5m"] + cache.writtenTokens["1h"];
  const prompt = reported.promptTokens ?? cache.readTokens + written + cache.plainTokens;
  const completion = reported.outputTokens ?? usage.outputTokens;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: reported.cacheReadTokens ?? cache.readTokens,
      cache_write_tokens: reported.cacheWriteTokens ?? written,
      audio_tokens: 0,
    },
    completion_tokens_details: { reasoning_tokens: usage.thinkingTokens, audio_tokens: 0 },
  };
}
