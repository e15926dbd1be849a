/**
 * Writes an answer as the OpenAI Responses API does: one response, or its numbered events.
 */
import { asString, type JsonObject, type JsonValue } from "palimpsest/internal";
import type { AnswerTurn, AnswerUsage, Reply } from "../dialect/dialect.ts";
import { PROVIDER_FACTS } from "../dialect/provider-facts.ts";
import { inPieces, jsonReply, namedEvent, streamReply } from "../dialect/reply.ts";
import { listOf } from "./openai-content.ts";
import { type OpenAiError, OVERLOADED } from "./openai-failures.ts";

type Item = JsonObject & { readonly id: string; readonly type: string };
type EventBody = Readonly<Record<string, unknown>> & { readonly type: string };

/** The answer to a request, in the form that it asked for. */
export function writeResponsesAnswer(turn: AnswerTurn): Reply {
  const output = outputOf(turn);
  const response = responseOf(turn, output);
  const headers = { "x-request-id": turn.newId("req_") };
  return turn.incoming.isStreaming
    ? streamReply(numbered(eventsOf(response, output)), headers)
    : jsonReply(response, 200, headers);
}

/** A stream that begins and then fails, which is how the API tells a streaming client of a prompt too long. */
export function failedStream(error: OpenAiError, model: string): Reply {
  const response = {
    id: "resp_failed",
    object: "response",
    model,
    status: "in_progress",
    output: [],
    error: null,
  };
  return streamReply(
    numbered([
      { type: "response.created", response },
      { type: "response.in_progress", response },
      { type: "error", error },
      { type: "response.failed", response: { ...response, status: "failed", error } },
    ]),
  );
}

/** The event that breaks a stream off. */
export function responsesStreamError(): string {
  return namedEvent({ type: "error", sequence_number: 0, error: OVERLOADED });
}

function outputOf({ answer, incoming, reading, newId }: AnswerTurn): readonly Item[] {
  const includesEncrypted = listOf(incoming.body["include"]).includes("reasoning.encrypted_content");
  const items = answer.parts.flatMap((part): Item[] => {
    if (part.type === "thinking") {
      const seal = reading.seal.sealThinking(part.text);
      return [
        {
          id: newId("rs_"),
          type: "reasoning",
          summary: part.text === "" ? [] : [{ type: "summary_text", text: part.text }],
          ...(includesEncrypted ? { encrypted_content: seal } : {}),
        },
      ];
    }
    if (part.type === "text" && part.text === "") return [];
    const item: Item =
      part.type === "text"
        ? messageItem(newId("msg_"), part.text, answer.stopReason === "refusal")
        : {
            id: newId("fc_"),
            type: "function_call",
            call_id: part.id ?? newId("call_"),
            name: part.name,
            arguments: JSON.stringify(part.input),
            status: "completed",
          };
    reading.seal.addBlock(item);
    return [item];
  });
  return answer.stopReason === "refusal" && items.length === 0
    ? [messageItem(newId("msg_"), "I'm sorry, but I can't help with that.", true)]
    : items;
}

function messageItem(id: string, text: string, isRefusal: boolean): Item {
  const part = isRefusal
    ? { type: "refusal", refusal: text }
    : { type: "output_text", text, annotations: [], logprobs: [] };
  return { id, type: "message", role: "assistant", status: "completed", content: [part] };
}

function responseOf(turn: AnswerTurn, output: readonly Item[]): JsonObject {
  const { incoming, answer, newId, nowSeconds } = turn;
  const isCut = answer.stopReason === "output-limit" || answer.stopReason === "window-full";
  const { body } = incoming;
  return {
    id: newId("resp_"),
    object: "response",
    created_at: nowSeconds,
    status: isCut ? "incomplete" : "completed",
    error: null,
    incomplete_details: isCut ? { reason: "max_output_tokens" } : null,
    instructions: asString(body["instructions"]) ?? null,
    max_output_tokens: (body["max_output_tokens"] as JsonValue | undefined) ?? null,
    metadata: {},
    model: incoming.model,
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    store: body["store"] !== false,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    truncation: "disabled",
    usage: usageOf(turn.usage),
  };
}

function usageOf(usage: AnswerUsage | undefined): JsonObject | null {
  if (usage === undefined) return null;
  const { cache, reported } = usage;
  const written = cache.writtenTokens["5m"] + cache.writtenTokens["1h"];
  const input = reported.promptTokens ?? cache.readTokens + written + cache.plainTokens;
  const output = reported.outputTokens ?? usage.outputTokens;
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: reported.cacheReadTokens ?? cache.readTokens,
      cache_write_tokens: reported.cacheWriteTokens ?? written,
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.thinkingTokens },
    total_tokens: input + output,
  };
}

function eventsOf(response: JsonObject, output: readonly Item[]): readonly EventBody[] {
  const begun = { ...response, status: "in_progress", incomplete_details: null, output: [], usage: null };
  return [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...output.flatMap((item, index) => itemEvents(item, index)),
    { type: `response.${String(response["status"])}`, response },
  ];
}

function itemEvents(item: Item, output_index: number): readonly EventBody[] {
  const at = { item_id: item.id, output_index };
  const inner =
    item.type === "function_call"
      ? callEvents(item, at)
      : item.type === "reasoning"
        ? listOf(item["summary"]).flatMap((part, summary_index) =>
            partEvents("reasoning_summary", part as JsonObject, { ...at, summary_index }),
          )
        : listOf(item["content"]).flatMap((part, content_index) =>
            partEvents("content", part as JsonObject, { ...at, content_index }),
          );
  return [
    { type: "response.output_item.added", output_index, item: emptied(item) },
    ...inner,
    { type: "response.output_item.done", output_index, item },
  ];
}

/** An item as it begins: its text is still to come. */
function emptied(item: Item): JsonObject {
  if (item.type === "function_call") return { ...item, arguments: "", status: "in_progress" };
  if (item.type === "reasoning") return { ...item, summary: [] };
  return { ...item, content: [], status: "in_progress" };
}

function callEvents(item: Item, at: JsonObject): readonly EventBody[] {
  const text = asString(item["arguments"]) ?? "";
  return [
    ...inPieces(text, PROVIDER_FACTS.deltaLength).map((delta) => ({
      type: "response.function_call_arguments.delta",
      ...at,
      delta,
    })),
    { type: "response.function_call_arguments.done", ...at, name: item["name"], arguments: text },
  ];
}

/** Events of a part of a message or of a summary, which differ in their names only. */
function partEvents(
  kind: "content" | "reasoning_summary",
  part: JsonObject,
  at: JsonObject,
): readonly EventBody[] {
  const field = part["type"] === "refusal" ? "refusal" : "text";
  const text = asString(part[field]) ?? "";
  const textName =
    kind === "reasoning_summary" ? "reasoning_summary_text" : field === "refusal" ? "refusal" : "output_text";
  const more = textName === "output_text" ? { logprobs: [] } : {};
  return [
    { type: `response.${kind}_part.added`, ...at, part: { ...part, [field]: "" } },
    ...inPieces(text, PROVIDER_FACTS.deltaLength).map((delta) => ({
      type: `response.${textName}.delta`,
      ...at,
      delta,
      ...more,
    })),
    { type: `response.${textName}.done`, ...at, [field]: text, ...more },
    { type: `response.${kind}_part.done`, ...at, part },
  ];
}

function numbered(events: readonly EventBody[]): readonly string[] {
  return events.map((event, sequence_number) => namedEvent({ ...event, sequence_number }));
}
