/**
 * Recorded Chat Completions conversations: a list of messages, a request, JSON Lines of either, or
 * trajectories of an evaluation, of which one file holds many.
 */

import type { JsonValue } from "../../base/json/json.ts";
import { chatMessage, fromOpenAIChat, LegacyCallIds } from "../../wire/openai-chat/from-openai-chat.ts";
import { ConversationBuilder } from "../shared/conversation-builder.ts";
import { conversationId, findConversations, type HeldElements, messagesIn } from "../shared/conversations.ts";
import { fieldsOf } from "../shared/fields.ts";
import type { RecordedSession } from "../shared/imported-session.ts";
import { type Importer, readingAll } from "../shared/importer.ts";
import type { SourceRecord } from "../shared/read-records.ts";
import { recordedOpenAIUsage } from "../shared/recorded-usage.ts";
import { RepairLog } from "../shared/repair-log.ts";

/** @internal */
export const openaiChat = {
  format: "openai-chat",
  recognises: (sample) => messagesIn(sample) !== undefined,
  begin: readingAll(importOpenAIChat),
} as const satisfies Importer;

/** Imports every conversation of the file. */
function importOpenAIChat(records: readonly SourceRecord[], repairs: RepairLog): readonly RecordedSession[] {
  return findConversations(records, repairs).map(importOne);
}

function importOne({ elements, holder }: HeldElements): RecordedSession {
  const repairs = new RepairLog();
  const { system } = fromOpenAIChat(elements.slice(0, 1).map(({ value }) => value));
  const builder = new ConversationBuilder(repairs);
  const legacyIds = new LegacyCallIds();
  for (const [index, { value: wire, line }] of elements.entries()) {
    if (index === 0 && system !== undefined) continue;
    const message = chatMessage(wire, legacyIds, repairs.blockDamage(line));
    if (message === undefined) {
      repairs.leftOutElement("messages", "message", { index, line });
      continue;
    }
    const { content, ...rest } = message;
    const usage = recordedOpenAIUsage(fieldsOf(wire)["usage"]);
    builder.addMessage({ message: rest, content: [...content], usage, line });
  }
  const { tools } = holder;
  return {
    sessionId: conversationId(holder),
    system,
    tools: Array.isArray(tools) ? (tools as readonly JsonValue[]) : undefined,
    ...builder.finish(),
    repairs: repairs.list(),
    recordCount: elements.length,
  };
}
