/**
 * Recorded Anthropic Messages conversations: a list of messages, a request with `system` and
 * `tools`, and Cline's `api_conversation_history.json`, whose messages carry what they cost.
 */
import { asNumber, asString, isObject, type JsonValue } from "../../base/json/json.ts";
import type { Usage } from "../../transcript/messages.ts";
import { anthropicContent, recordedMessage } from "../../wire/anthropic/from-anthropic.ts";
import { ConversationBuilder } from "../shared/conversation-builder.ts";
import { type Conversation, conversationId, findConversations } from "../shared/conversations.ts";
import { parseTime } from "../shared/fields-of.ts";
import type { ImportedSession } from "../shared/imported-session.ts";
import type { SourceRecord } from "../shared/read-records.ts";
import { anthropicUsage } from "../shared/recorded-usage.ts";
import { RepairLog } from "../shared/repair-log.ts";

/** Imports every conversation of the file. @internal */
export function importAnthropicMessages(
  records: readonly SourceRecord[],
  repairs: RepairLog,
): readonly ImportedSession[] {
  return findConversations(records, repairs).map(importOne);
}

function importOne({ messages, lines, holder }: Conversation): ImportedSession {
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
    const at = parseTime(wire["ts"]);
    const isAnswer = message.role === "assistant";
    builder.addMessage({
      message: {
        ...rest,
        ...(isAnswer && model !== undefined ? { model } : {}),
        ...(at === undefined ? {} : { at }),
      },
      content: [...content],
      usage: isAnswer ? (anthropicUsage(wire["usage"]) ?? clineUsage(wire["metrics"])) : undefined,
      stopReason: isAnswer ? asString(wire["stop_reason"]) : undefined,
      line,
    });
  });
  const id = conversationId(holder);
  const system = systemText(holder["system"]);
  const { items, leftOut } = builder.finish();
  return {
    format: "anthropic-messages",
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

/** Cline adds what was read from the cache and what was written to it into one figure. */
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
