/**
 * Recorded Anthropic Messages conversations: a list of messages, a request with `system` and
 * `tools`, and Cline's `api_conversation_history.json`, whose messages carry what they cost.
 */

import { asString, isObject, type JsonValue } from "../../base/json/json.ts";
import type { Usage } from "../../transcript/blocks.ts";
import { anthropicContent, recordedMessage } from "../../wire/anthropic/from-anthropic.ts";
import { ConversationBuilder } from "../shared/conversation-builder.ts";
import {
  conversationId,
  findConversations,
  type HeldElements,
  messageList,
  messagesIn,
} from "../shared/conversations.ts";
import { type Fields, fieldsOf, listOf, parseTimestamp, usageOf } from "../shared/fields.ts";
import type { RecordedSession } from "../shared/imported-session.ts";
import { type Importer, readingAll } from "../shared/importer.ts";
import type { SourceRecord } from "../shared/read-records.ts";
import { recordedAnthropicUsage } from "../shared/recorded-usage.ts";
import { RepairLog } from "../shared/repair-log.ts";

/** @internal */
export const anthropicMessages = {
  format: "anthropic-messages",
  recognises: isAnthropic,
  begin: readingAll(importAnthropicMessages),
} as const satisfies Importer;

const ANTHROPIC_BLOCKS: ReadonlySet<unknown> = new Set([
  "tool_use",
  "tool_result",
  "thinking",
  "redacted_thinking",
  "server_tool_use",
  "image",
  "document",
]);

/** True if a message or a request has a field that only Anthropic knows, and no message one that only OpenAI knows. */
function isAnthropic(sample: readonly Fields[]): boolean {
  const messages = messagesIn(sample);
  if (messages === undefined || messages.some(isOpenAIOnly)) return false;
  return messages.some(hasAnthropicBlock) || sample.some(isAnthropicRequest);
}

function hasAnthropicBlock(message: unknown): boolean {
  return listOf(fieldsOf(message)["content"]).some((block) => ANTHROPIC_BLOCKS.has(fieldsOf(block)["type"]));
}

function isOpenAIOnly(message: unknown): boolean {
  if (!isObject(message)) return false;
  return (
    message["role"] === "tool" || Array.isArray(message["tool_calls"]) || isObject(message["function_call"])
  );
}

/** A request has its system prompt beside the messages, or tools with an `input_schema`. */
function isAnthropicRequest(value: Fields): boolean {
  return (
    (value["system"] !== undefined && messageList(value) !== undefined) ||
    listOf(value["tools"]).some((tool) => isObject(fieldsOf(tool)["input_schema"]))
  );
}

/** Imports every conversation of the file. */
function importAnthropicMessages(
  records: readonly SourceRecord[],
  repairs: RepairLog,
): readonly RecordedSession[] {
  return findConversations(records, repairs).map(importOne);
}

function importOne({ elements, holder }: HeldElements): RecordedSession {
  const repairs = new RepairLog();
  const builder = new ConversationBuilder(repairs);
  for (const [index, { value: wire, line }] of elements.entries()) {
    const message = recordedMessage(wire, repairs.blockDamage(line));
    if (message === undefined || !isObject(wire)) {
      repairs.leftOutElement("messages", "message", { index, line });
      continue;
    }
    const { content, ...rest } = message;
    const isAnswer = message.role === "assistant";
    const model = asString(wire["model"]) ?? asString(fieldsOf(wire["modelInfo"])["modelId"]);
    builder.addMessage({
      message: {
        ...rest,
        model: (isAnswer ? model : undefined) ?? rest.model,
        at: parseTimestamp(wire["ts"]) ?? rest.at,
      },
      content: [...content],
      usage: isAnswer ? (recordedAnthropicUsage(wire["usage"]) ?? clineUsage(wire["metrics"])) : undefined,
      stopReason: isAnswer ? asString(wire["stop_reason"]) : undefined,
      line,
    });
  }
  const { tools } = holder;
  return {
    sessionId: conversationId(holder),
    system: systemText(holder["system"]) || undefined,
    tools: Array.isArray(tools) ? (tools as readonly JsonValue[]) : undefined,
    ...builder.finish(),
    repairs: repairs.list(),
    recordCount: elements.length,
  };
}

function systemText(system: unknown): string {
  return anthropicContent(system)
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n");
}

/** Cline adds cache reads and cache writes into one figure. */
function clineUsage(metrics: unknown): Usage | undefined {
  const { prompt, cached, completion } = fieldsOf(fieldsOf(metrics)["tokens"]);
  return usageOf({ input: prompt, cacheRead: cached, output: completion });
}
