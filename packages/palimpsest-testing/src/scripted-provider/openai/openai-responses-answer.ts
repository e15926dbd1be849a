/**
 * Writes an answer as the OpenAI Responses API does: one response, or its numbered events.
 */
import type { ContentBlock } from "palimpsest";
import {
  asString,
  isObject,
  type JsonObject,
  type JsonValue,
  ResponsesWriter,
  readResponsesRequest,
  responsesResponse,
} from "palimpsest/internal";
import { answerOf, answerReply, PIECES } from "../dialect/answer-reply.ts";
import type { AnswerTurn, Reply, TurnCompaction } from "../dialect/dialect.ts";
import { jsonReply, streamReply } from "../dialect/reply.ts";

/** The answer to a request, in the form that it asked for. */
export function writeResponsesAnswer(turn: AnswerTurn): Reply {
  const { newId, incoming, usage, nowSeconds: createdSeconds } = turn;
  const { compaction } = turn;
  if (compaction !== undefined) turn.reading.seal.compacted(compaction.block);
  const summary = compaction === undefined ? [] : [own(compaction.block)];
  const content = [...summary, ...blocksOf(turn)];
  // Every item has its id already, except the message of a refusal.
  const messageId = turn.answer.stopReason === "refusal" ? newId("msg_") : "";
  const head = { id: newId("resp_"), model: incoming.model, createdSeconds, newId: () => messageId };
  const response = responsesResponse(answerOf(turn, content), head);
  const details = { output_tokens_details: { reasoning_tokens: usage?.thinkingTokens ?? 0 } };
  return answerReply(turn, {
    body: {
      ...response,
      ...repeatedFields(incoming.body),
      usage:
        usage === undefined ? null : { ...withSummary(response["usage"] as JsonObject, turn), ...details },
    },
    content,
    writer: new ResponsesWriter({ ...PIECES, newId: () => messageId }),
    headers: { "x-request-id": newId("req_") },
  });
}

/** A stream that begins and then fails, which is how the API tells a streaming client of a prompt too long. */
export function failedStream(error: JsonObject, model: string): Reply {
  const writer = new ResponsesWriter({ newId: (prefix) => prefix });
  const begun = writer.begin({ id: "resp_failed", object: "response", model, error: null });
  return streamReply([...begun, ...writer.fail(error)]);
}

function blocksOf({ answer, incoming, reading, newId }: AnswerTurn): readonly ContentBlock[] {
  const { includesReasoning } = readResponsesRequest(incoming.body);
  const isRefused = answer.stopReason === "refusal";
  const refusal = (text: string): ContentBlock => own({ type: "refusal", refusal: text });
  const blocks = answer.parts.flatMap((part): ContentBlock[] => {
    if (part.type === "thinking") {
      const seal = reading.seal.sealThinking(part.text);
      const summary = part.text === "" ? [] : [{ type: "summary_text", text: part.text }];
      const encrypted = includesReasoning ? { encrypted_content: seal } : {};
      return [own({ id: newId("rs_"), type: "reasoning", summary, ...encrypted })];
    }
    if (part.type === "text") {
      if (part.text === "") return [];
      reading.seal.addBlock({ role: "assistant", content: part.text });
      return [isRefused ? refusal(part.text) : kept({ type: "text", text: part.text }, newId("msg_"))];
    }
    const { name, input } = part;
    const id = newId("fc_");
    const call = { type: "function_call", call_id: part.id ?? newId("call_"), name };
    reading.seal.addBlock({ ...call, arguments: JSON.stringify(input) });
    return [kept({ type: "tool_use", id: call.call_id, name, input }, id)];
  });
  return isRefused && blocks.length === 0 ? [refusal("I'm sorry, but I can't help with that.")] : blocks;
}

/** One figure for all passes: the API has no others. */
function withSummary(usage: JsonObject, { compaction }: AnswerTurn): JsonObject {
  if (compaction === undefined) return usage;
  const { cache, outputTokens } = compaction;
  const input = cache.plainTokens + cache.readTokens + cache.writtenTokens["5m"];
  const details = usage["input_tokens_details"] as JsonObject;
  const plus = (value: unknown, more: number): number => Number(value ?? 0) + more;
  return {
    ...usage,
    input_tokens: plus(usage["input_tokens"], input),
    input_tokens_details: { ...details, cached_tokens: plus(details["cached_tokens"], cache.readTokens) },
    output_tokens: plus(usage["output_tokens"], outputTokens),
    total_tokens: plus(usage["total_tokens"], input + outputTokens),
  };
}

function own(value: JsonObject): ContentBlock {
  return { type: "opaque", provider: "openai-responses", value };
}

/** The conversation as a summary: what the user said, and one item. */
export function writeCompaction(turn: AnswerTurn & { readonly compaction: TurnCompaction }): Reply {
  const { incoming, compaction, newId, nowSeconds } = turn;
  const { cache, outputTokens } = compaction;
  const input = Array.isArray(incoming.body["input"]) ? incoming.body["input"] : [];
  const userItems = input.filter(
    (item: unknown) => isObject(item) && item["role"] === "user",
  ) as JsonObject[];
  const inputTokens = cache.plainTokens + cache.readTokens + cache.writtenTokens["5m"];
  return jsonReply(
    {
      id: newId("resp_"),
      object: "response.compaction",
      created_at: nowSeconds,
      output: [...userItems, compaction.block],
      usage: {
        input_tokens: inputTokens,
        input_tokens_details: { cached_tokens: cache.readTokens },
        output_tokens: outputTokens,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: inputTokens + outputTokens,
      },
    },
    200,
    { "x-request-id": newId("req_") },
  );
}

/** A block with the fields of its item. */
function kept(block: ContentBlock, id: string): ContentBlock {
  const openai = { extra: { id, status: "completed" } };
  return { ...block, ...{ openai } };
}

/** Fields in which a response repeats its request, or tells the defaults. */
function repeatedFields(body: Readonly<Record<string, unknown>>): JsonObject {
  return {
    instructions: asString(body["instructions"]) ?? null,
    max_output_tokens: (body["max_output_tokens"] as JsonValue | undefined) ?? null,
    metadata: {},
    parallel_tool_calls: true,
    previous_response_id: null,
    store: body["store"] !== false,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    truncation: "disabled",
  };
}
