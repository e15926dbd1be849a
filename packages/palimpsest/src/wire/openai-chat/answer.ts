/**
 * A chat completion ⇄ the answer.
 *
 * Servers that speak this format add their models' reasoning as a field of the message; it becomes thinking
 * without a signature, which is kept in the log and never sent back.
 */
import { asString, isObject, type JsonObject } from "../../base/json/json.ts";
import type { ModelAnswer, StopReason } from "../../ports/model-client.ts";
import type { ContentBlock, ToolUseBlock } from "../../transcript/blocks.ts";
import { composeAnswer, isRefusal, openaiUsage, unreadableAnswer } from "../shared/answer-assembly.ts";
import {
  type AnswerHead,
  contentOf,
  idAndModel,
  openaiTotals,
  ownValue,
  writtenStop,
} from "../shared/answer-writer.ts";
import { argumentsText, customInput, openaiFields, takesAnyText } from "../shared/openai-fields.ts";
import { chatMessageFields } from "./chat-fields.ts";
import { chatMessage, LegacyCallIds } from "./from-openai-chat.ts";

/** Source: OpenAI SDK 6.49 (`ChatCompletion.Choice`); the last three are of compatible servers. */
const STOP_REASONS: ReadonlyMap<unknown, StopReason> = new Map<string, StopReason>([
  ["stop", "end"],
  ["tool_calls", "tool-use"],
  ["function_call", "tool-use"],
  ["length", "output-limit"],
  ["content_filter", "refusal"],
  ["model_context_window_exceeded", "window-full"],
  ["max_tokens", "output-limit"],
  ["eos", "end"],
]);

/** Names under which servers send reasoning. @internal */
export const REASONING_FIELDS = ["reasoning_content", "reasoning"] as const;
/** Fields of an answer that belong to no block of the conversation. */
const LEFT_OUT: ReadonlySet<string> = new Set([...REASONING_FIELDS, "reasoning_details", "annotations"]);

/** Reads a whole completion. @throws ModelError where it is none. @internal */
export function chatAnswer(completion: unknown, requestId?: string): ModelAnswer {
  if (!isObject(completion) || !Array.isArray(completion["choices"]))
    throw unreadableAnswer("openai-chat", completion);
  const choice: unknown = completion["choices"][0];
  const message = isObject(choice) ? choice["message"] : undefined;
  const content = isObject(message) ? chatContent(message) : [];
  const raw = isObject(choice) ? asString(choice["finish_reason"]) : undefined;
  return composeAnswer({
    content,
    responseId: asString(completion["id"]) || undefined,
    model: asString(completion["model"]),
    usage: openaiUsage(completion["usage"]),
    requestId,
    stopReason: stopOf(raw, content),
    rawStopReason: raw,
  });
}

/** The blocks of a message of an answer. @internal */
export function chatContent(answer: Readonly<Record<string, unknown>>): readonly ContentBlock[] {
  const reasoning = REASONING_FIELDS.map((field) => asString(answer[field])).find((text) => text);
  const plain = Object.entries(answer).filter(([field, value]) => !LEFT_OUT.has(field) && value !== null);
  const message = chatMessage({ ...Object.fromEntries(plain), role: "assistant" }, new LegacyCallIds());
  const thinking: readonly ContentBlock[] =
    reasoning === undefined ? [] : [{ type: "thinking", thinking: reasoning }];
  return [...thinking, ...(message?.content ?? [])];
}

/** Some servers say that they stopped where they called a tool. */
function stopOf(raw: string | undefined, content: readonly ContentBlock[]): StopReason {
  const reason = STOP_REASONS.get(raw) ?? "other";
  if (reason !== "end") return reason;
  if (content.some(({ type }) => type === "tool_use")) return "tool-use";
  return content.some(isRefusal) ? "refusal" : "end";
}

const FINISH_REASONS: Readonly<Record<StopReason, string>> = {
  end: "stop",
  "tool-use": "tool_calls",
  "output-limit": "length",
  "window-full": "length",
  refusal: "content_filter",
  paused: "stop",
  other: "stop",
};

/** Facts of a written completion. @internal */
interface ChatHead extends AnswerHead {
  /** When it was made, in seconds since the epoch. */
  readonly createdSeconds: number;
}

/** Writes a whole completion. Its texts are one, because a message has one content. @internal */
export function chatCompletion(answer: ModelAnswer, head: ChatHead): JsonObject {
  const content = contentOf(answer);
  const { id, model } = idAndModel(answer, head);
  const text = joined(content.map((block) => (block.type === "text" ? block.text : "")));
  const reasoning = joined(content.map((block) => (block.type === "thinking" ? block.thinking : "")));
  const refusal = joined(content.map(refusalText));
  const calls = content.filter((block) => block.type === "tool_use").map(writtenCall);
  const isSilent = text === "" && (calls.length > 0 || refusal !== "");
  const message = {
    ...messageFields(content),
    role: "assistant",
    content: isSilent ? null : text,
    refusal: refusal === "" ? null : refusal,
    annotations: [],
    ...(reasoning === "" ? {} : { [REASONING_FIELDS[0]]: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  const usual = refusal === "" ? FINISH_REASONS[answer.stopReason] : "stop";
  const finish_reason = writtenStop(answer, usual, (raw) => stopOf(raw, content));
  const totals = openaiTotals(answer);
  return {
    id,
    object: "chat.completion",
    created: head.createdSeconds,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason }],
    ...(totals === undefined
      ? {}
      : {
          usage: {
            prompt_tokens: totals.prompt,
            completion_tokens: totals.output,
            total_tokens: totals.total,
            prompt_tokens_details: totals.details,
          },
        }),
  };
}

/** The words of a refusal; empty for any other block. @internal */
export function refusalText(block: ContentBlock): string {
  const value = ownValue(block, "openai-chat");
  return value?.["type"] === "refusal" ? (asString(value["refusal"]) ?? "") : "";
}

/** A call as an answer holds it: id, name and arguments as the model wrote them. @internal */
export function writtenCall(block: ToolUseBlock): JsonObject {
  const { id, name, input } = block;
  const { arguments: recorded, extra: { type, status: _status, index: _index, ...extra } = {} } =
    openaiFields(block);
  if (!takesAnyText(type))
    return { ...extra, id, type: "function", function: { name, arguments: argumentsText(input, recorded) } };
  return { ...extra, id, type: "custom", custom: { name, input: customInput(input) } };
}

/** Further fields of the message, which its first text keeps. */
function messageFields(content: readonly ContentBlock[]): JsonObject {
  const first = content.find(({ type }) => type !== "thinking");
  return first?.type === "text" ? chatMessageFields(openaiFields(first).extra, "assistant") : {};
}

function joined(texts: readonly string[]): string {
  return texts.join("");
}
