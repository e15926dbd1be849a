/**
 * Recorded Anthropic Messages conversations: a list of messages, a request with `system` and
 * `tools`, and Cline's `api_conversation_history.json`, whose messages carry what they cost.
 */

import { asNumber, asString, isObject, type JsonValue } from "../../base/json/json.ts";
import type { Usage } from "../../transcript/blocks.ts";
import { anthropicContent, recordedMessage } from "../../wire/anthropic/from-anthropic.ts";
import { ConversationBuilder } from "../shared/conversation-builder.ts";
import {
  type Conversation,
  conversationId,
  findConversations,
  messageList,
  messagesIn,
} from "../shared/conversations.ts";
import { type Fields, parseTimestamp } from "../shared/fields.ts";
import type { RecordedSession } from "../shared/imported-session.ts";
import type { Importer } from "../shared/importer.ts";
import type { SourceRecord } from "../shared/read-records.ts";
import { recordedAnthropicUsage } from "../shared/recorded-usage.ts";
import { RepairLog } from "../shared/repair-log.ts";

/** @internal */
export const anthropicMessages = {
  format: "anthropic-messages",
  recognises: isAnthropic,
  read: importAnthropicMessages,
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
  const content = isObject(message) ? message["content"] : undefined;
  return (
    Array.isArray(content) &&
    content.some((block: unknown) => isObject(block) && ANTHROPIC_BLOCKS.has(block["type"]))
  );
}

function isOpenAIOnly(message: unknown): boolean {
  if (!isObject(message)) return false;
  return (
    message["role"] === "tool" || Array.isArray(message["tool_calls"]) || isObject(message["function_call"])
  );
}

/** A request has its system prompt beside the messages, or tools with an `input_schema`. */
function isAnthropicRequest(value: Fields): boolean {
  const tools = Array.isArray(value["tools"]) ? value["tools"] : [];
  return (
    (value["system"] !== undefined && messageList(value) !== undefined) ||
    tools.some((tool: unknown) => isObject(tool) && isObject(tool["input_schema"]))
  );
}

/** Imports every conversation of the file. */
function importAnthropicMessages(
  records: readonly SourceRecord[],
  repairs: RepairLog,
): readonly RecordedSession[] {
  return findConversations(records, repairs).map(importOne);
}

function importOne({ messages, lines, holder }: Conversation): RecordedSession {
  const repairs = new RepairLog();
  const builder = new ConversationBuilder(repairs);
  messages.forEach((wire, index) => {
    const line = lines[index];
    const message = recordedMessage(wire, repairs.blockDamage(line));
    if (message === undefined || !isObject(wire)) {
      repairs.add("bad-record", `element ${index} of the messages is no message; left out`, line);
      return;
    }
    const { content, ...rest } = message;
    const model = asString(wire["model"]) ?? clineModel(wire["modelInfo"]);
    const at = parseTimestamp(wire["ts"]);
    const isAnswer = message.role === "assistant";
    builder.addMessage({
      message: {
        ...rest,
        ...(isAnswer && model !== undefined ? { model } : {}),
        ...(at === undefined ? {} : { at }),
      },
      content: [...content],
      usage: isAnswer ? (recordedAnthropicUsage(wire["usage"]) ?? clineUsage(wire["metrics"])) : undefined,
      stopReason: isAnswer ? asString(wire["stop_reason"]) : undefined,
      line,
    });
  });
  const id = conversationId(holder);
  const system = systemText(holder["system"]);
  const { items, leftOut } = builder.finish();
  return {
    sessionId: id,
    ...(system === "" ? {} : { system }),
    ...(Array.isArray(holder["tools"]) ? { tools: holder["tools"] as readonly JsonValue[] } : {}),
    items,
    leftOut,
    skipped: [],
    repairs: repairs.list(),
    recordCount: messages.length,
  };
}

function systemText(system: unknown): string {
  return anthropicContent(system)
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n");
}

function clineModel(modelInfo: unknown): string | undefined {
  return isObject(modelInfo) ? asString(modelInfo["modelId"]) : undefined;
}

/** Cline adds cache reads and cache writes into one figure. */
function clineUsage(metrics: unknown): Usage | undefined {
  const tokens = isObject(metrics) ? metrics["tokens"] : undefined;
  if (!isObject(tokens)) return undefined;
  const usage: Usage = {
    inputTokens: asNumber(tokens["prompt"]) ?? 0,
    cacheReadTokens: asNumber(tokens["cached"]) ?? 0,
    cacheWriteTokens: 0,
    outputTokens: asNumber(tokens["completion"]) ?? 0,
  };
  return usage.inputTokens + usage.cacheReadTokens + usage.outputTokens > 0 ? usage : undefined;
}
