/**
 * A response of the Responses API ⇄ the answer.
 *
 * Its items are kept in order in one assistant message, those that only OpenAI understands (encrypted
 * reasoning, its own tools, compaction) as they came.
 */

import { asString, isObject, type JsonObject } from "../../base/json/json.ts";
import { addAll } from "../../base/lists.ts";
import type { ModelAnswer, StopReason } from "../../ports/model-client.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import { failedAnswer } from "../errors/model-failure.ts";
import { composeAnswer, isRefusal, openaiUsage, unreadableAnswer } from "../shared/answer-assembly.ts";
import { type AnswerHead, contentOf, idAndModel, openaiTotals, ownValue } from "../shared/answer-writer.ts";
import { argumentsText, customInput, openaiFields, takesAnyText } from "../shared/openai-fields.ts";
import { fromOpenAIResponses } from "./from-openai-responses.ts";
import { isResponsesPart } from "./to-openai-responses.ts";

/** Reads a whole response. @throws ModelError where it is none, or failed. @internal */
export function responsesAnswer(response: unknown, requestId?: string): ModelAnswer {
  if (!isObject(response) || !Array.isArray(response["output"])) throw unreadableAnswer("openai", response);
  if (response["status"] === "failed" || isObject(response["error"])) throw failedAnswer(response["error"]);
  const content = responsesContent(response["output"]);
  return composeAnswer({
    content,
    responseId: asString(response["id"]),
    model: asString(response["model"]),
    usage: openaiUsage(response["usage"]),
    requestId,
    ...stopOf(response, content),
  });
}

/** Reads a conversation as a summary: what the user said, and one item. @throws ModelError where it is none. @internal */
export function responsesCompaction(response: unknown, requestId?: string): ModelAnswer {
  if (!isObject(response) || !Array.isArray(response["output"])) throw unreadableAnswer("openai", response);
  const usage = openaiUsage(response["usage"]);
  return {
    messages: fromOpenAIResponses(response["output"]).messages,
    stopReason: "end",
    ...(usage === undefined ? {} : { usage }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

/** Items of an answer, also outputs of OpenAI's own tools, which are in it. @internal */
export function responsesContent(items: readonly unknown[]): readonly ContentBlock[] {
  return fromOpenAIResponses(items).messages.flatMap(({ content }) => content);
}

function stopOf(
  response: Readonly<Record<string, unknown>>,
  content: readonly ContentBlock[],
): { readonly stopReason: StopReason; readonly rawStopReason?: string } {
  const details = response["incomplete_details"];
  const reason = isObject(details) ? asString(details["reason"]) : undefined;
  const raw = reason ?? asString(response["status"]);
  const rawStopReason = raw === undefined ? {} : { rawStopReason: raw };
  if (reason === "max_output_tokens") return { stopReason: "output-limit", ...rawStopReason };
  if (reason === "content_filter") return { stopReason: "refusal", ...rawStopReason };
  if (response["status"] !== "completed") return { stopReason: "other", ...rawStopReason };
  if (content.some(({ type }) => type === "tool_use")) return { stopReason: "tool-use", ...rawStopReason };
  return { stopReason: content.some(isRefusal) ? "refusal" : "end", ...rawStopReason };
}

/** Facts of a written response. @internal */
export interface ResponsesHead extends AnswerHead {
  /** When it was made, in seconds since the epoch. */
  readonly createdSeconds: number;
  /** Makes an id for an item without one; the prefix is of its type: `msg_`. */
  readonly newId: (prefix: string) => string;
}

/** Writes a whole response. @internal */
export function responsesResponse(answer: ModelAnswer, head: ResponsesHead): JsonObject {
  const content = contentOf(answer);
  const { id, model } = idAndModel(answer, head);
  const totals = openaiTotals(answer);
  return {
    id,
    object: "response",
    created_at: head.createdSeconds,
    ...statusOf(answer, content),
    error: null,
    model,
    output: responsesOutput(content, head),
    usage:
      totals === undefined
        ? null
        : {
            input_tokens: totals.prompt,
            input_tokens_details: totals.details,
            output_tokens: totals.output,
            total_tokens: totals.total,
          },
  };
}

/** Statuses of a response that is neither complete nor cut. */
const OTHER_STATUSES: ReadonlySet<unknown> = new Set(["cancelled", "queued", "in_progress", "incomplete"]);

/** The status that reads as the reason to have stopped. */
function statusOf({ stopReason, rawStopReason }: ModelAnswer, content: readonly ContentBlock[]): JsonObject {
  const incomplete = (reason: string): JsonObject => ({
    status: "incomplete",
    incomplete_details: { reason },
  });
  if (stopReason === "output-limit" || stopReason === "window-full") return incomplete("max_output_tokens");
  const isFiltered = rawStopReason === "content_filter" || !content.some(isRefusal);
  if (stopReason === "refusal" && isFiltered) return incomplete("content_filter");
  const isUsual = stopReason !== "other" || rawStopReason === undefined || rawStopReason === "completed";
  if (isUsual) return { status: "completed", incomplete_details: null };
  if (OTHER_STATUSES.has(rawStopReason)) return { status: rawStopReason, incomplete_details: null };
  return incomplete(rawStopReason);
}

type NewId = Pick<ResponsesHead, "newId">;

/** The items of an answer. Neighbouring texts are parts of one message, unless one begins another. */
function responsesOutput(content: readonly ContentBlock[], ids: NewId): readonly JsonObject[] {
  const items: JsonObject[] = [];
  let open: JsonObject[] | undefined;
  for (const block of content) {
    const part = writtenPart(block);
    if (part === undefined) {
      open = undefined;
      addAll(items, writtenItem(block, ids));
      continue;
    }
    if (open === undefined || beginsMessage(block)) {
      open = [];
      items.push(writtenMessage(block, open, ids));
    }
    open.push(part);
  }
  return items;
}

/** True if a block begins a message: it keeps that message's fields. @internal */
export function beginsMessage(block: ContentBlock): boolean {
  return block.type === "text" && openaiFields(block).extra !== undefined;
}

/** A message with the fields that its first block keeps. @internal */
export function writtenMessage(
  first: ContentBlock,
  content: readonly JsonObject[],
  { newId }: NewId,
): JsonObject {
  const extra = first.type === "text" ? (openaiFields(first).extra ?? {}) : {};
  const id = asString(extra["id"]) ?? newId("msg_");
  // In the order of the API, because what returns is kept and sent again in this order.
  return { id, type: "message", role: "assistant", status: "completed", ...extra, content };
}

/** A text as a part of a message. @internal */
export function textPart(text: string): JsonObject {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

/** A part of a message; `undefined` for a block that is an item. @internal */
export function writtenPart(block: ContentBlock): JsonObject | undefined {
  if (block.type === "text") return textPart(block.text);
  const value = ownValue(block, "openai-responses") as JsonObject | undefined;
  return value !== undefined && isResponsesPart(value) ? value : undefined;
}

/** A block as an item; nothing where another provider alone understands it. @internal */
export function writtenItem(block: ContentBlock, { newId }: NewId): readonly JsonObject[] {
  if (block.type === "thinking")
    return [
      { type: "reasoning", id: newId("rs_"), summary: [{ type: "summary_text", text: block.thinking }] },
    ];
  if (block.type !== "tool_use") {
    const value = ownValue(block, "openai-responses") as JsonObject | undefined;
    return value === undefined ? [] : [value];
  }
  const { arguments: recorded, extra: { type, ...extra } = {} } = openaiFields(block);
  const { input, name } = block;
  const isCustom = takesAnyText(type);
  const called = isCustom
    ? { type: "custom_tool_call", input: customInput(input) }
    : { type: "function_call", arguments: argumentsText(input, recorded) };
  const id = asString(extra["id"]) ?? newId(isCustom ? "ctc_" : "fc_");
  return [{ id, status: "completed", ...extra, call_id: block.id, name, ...called }];
}
