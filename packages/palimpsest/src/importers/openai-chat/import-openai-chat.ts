/**
 * Recorded Chat Completions conversations: a list of messages, a request, JSON Lines of either, or
 * trajectories of an evaluation, of which one file holds many.
 */

import { isObject, type JsonValue } from "../../base/json/json.ts";
import { chatMessage, fromOpenAIChat, LegacyCallIds } from "../../wire/openai-chat/from-openai-chat.ts";
import { ConversationBuilder } from "../shared/conversation-builder.ts";
import { type Conversation, conversationId, findConversations, messagesIn } from "../shared/conversations.ts";
import type { RecordedSession } from "../shared/imported-session.ts";
import type { Importer } from "../shared/importer.ts";
import type { SourceRecord } from "../shared/read-records.ts";
import { recordedChatUsage } from "../shared/recorded-usage.ts";
import { RepairLog } from "../shared/repair-log.ts";

/** @internal */
export const openaiChat = {
  format: "openai-chat",
  recognises: (sample) => messagesIn(sample) !== undefined,
  read: importOpenAIChat,
} as const satisfies Importer;

/** Imports every conversation of the file. */
function importOpenAIChat(records: readonly SourceRecord[], repairs: RepairLog): readonly RecordedSession[] {
  return findConversations(records, repairs).map(importOne);
}

function importOne({ messages, lines, holder }: Conversation): RecordedSession {
  const repairs = new RepairLog();
  const { system } = fromOpenAIChat(messages.slice(0, 1));
  const builder = new ConversationBuilder(repairs);
  const legacyIds = new LegacyCallIds();
  messages.forEach((wire, index) => {
    if (index === 0 && system !== undefined) return;
    const line = lines[index];
    const message = chatMessage(wire, legacyIds, repairs.blockDamage(line));
    if (message === undefined) {
      repairs.add("bad-record", `element ${index} of the messages is no message; left out`, line);
      return;
    }
    const { content, ...rest } = message;
    builder.addMessage({
      message: rest,
      content: [...content],
      usage: isObject(wire) ? recordedChatUsage(wire["usage"]) : undefined,
      line,
    });
  });
  const id = conversationId(holder);
  const { items, leftOut } = builder.finish();
  return {
    sessionId: id,
    system,
    ...(Array.isArray(holder["tools"]) ? { tools: holder["tools"] as readonly JsonValue[] } : {}),
    items,
    leftOut,
    skipped: [],
    repairs: repairs.list(),
    recordCount: messages.length,
  };
}
