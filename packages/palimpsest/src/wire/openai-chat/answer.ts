/**
 * A chat completion → the answer.
 *
 * Servers that speak this format add their models' reasoning as a field of the message; it becomes thinking
 * without a signature, which is kept in the log and never sent back.
 */
import { asString, isObject } from "../../base/json/json.ts";
import type { ModelAnswer, StopReason } from "../../ports/model-client.ts";
import type { ContentBlock, Message } from "../../transcript/blocks.ts";
import { openaiUsage, unreadableAnswer } from "../shared/answer-assembly.ts";
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
export function chatAnswer(completion: unknown, requestId: string | undefined): ModelAnswer {
  if (!isObject(completion) || !Array.isArray(completion["choices"]))
    throw unreadableAnswer("openai-chat", completion);
  const choice: unknown = completion["choices"][0];
  const message = isObject(choice) ? choice["message"] : undefined;
  const content = isObject(message) ? chatContent(message) : [];
  const model = asString(completion["model"]);
  const responseId = asString(completion["id"]);
  const usage = openaiUsage(completion["usage"]);
  const raw = isObject(choice) ? asString(choice["finish_reason"]) : undefined;
  const answer: Message = {
    role: "assistant",
    content,
    origin: "assistant",
    ...(responseId === undefined || responseId === "" ? {} : { responseId }),
    ...(model === undefined ? {} : { model }),
  };
  return {
    messages: content.length === 0 ? [] : [answer],
    stopReason: stopOf(raw, content),
    ...(raw === undefined ? {} : { rawStopReason: raw }),
    ...(usage === undefined ? {} : { usage }),
    ...(model === undefined ? {} : { model }),
    ...(requestId === undefined ? {} : { requestId }),
  };
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

function isRefusal(block: ContentBlock): boolean {
  return block.type === "opaque" && isObject(block.value) && block.value["type"] === "refusal";
}
