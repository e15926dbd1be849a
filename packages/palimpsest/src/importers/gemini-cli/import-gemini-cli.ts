/**
 * Imports sessions of gemini-cli (`~/.gemini/tmp/<project>/chats/session-*.json` and `.jsonl`).
 *
 * `gemini-log.ts` rebuilds the list of messages; this file converts them one by one. Notices of the tool and commands to
 * it are recorded among the messages but were never sent, so they are left out. System prompt, tools and
 * working copy are not recorded.
 */

import { asString, isObject } from "../../base/json/json.ts";
import { ConversationBuilder, type ParsedMessage } from "../shared/conversation-builder.ts";
import type { Fields } from "../shared/fields.ts";
import type { RecordedSession } from "../shared/imported-session.ts";
import { type Importer, readingAll } from "../shared/importer.ts";
import type { SourceRecord } from "../shared/read-records.ts";
import type { RepairLog } from "../shared/repair-log.ts";
import { GeminiLog, type GeminiSlot } from "./gemini-log.ts";
import { GeminiCalls, geminiMessages } from "./gemini-message.ts";

/** @internal */
export const geminiCli = {
  format: "gemini-cli",
  recognises: (sample) => sample.some(isGeminiRecord),
  begin: readingAll((records, repairs) => [importGeminiCli(records, repairs)]),
} as const satisfies Importer;

/** A whole session or its first line, a line of the model's, or a patch. */
function isGeminiRecord(value: Fields): boolean {
  if (typeof value["projectHash"] === "string")
    return typeof value["sessionId"] === "string" || Array.isArray(value["messages"]);
  if (value["type"] === "gemini") return typeof value["id"] === "string" && Object.hasOwn(value, "content");
  return isObject(value["$set"]) || typeof value["$rewindTo"] === "string";
}

/** Imports one session. */
function importGeminiCli(records: readonly SourceRecord[], repairs: RepairLog): RecordedSession {
  const log = new GeminiLog(repairs);
  for (const record of records) log.add(record);
  const builder = new ConversationBuilder(repairs);
  const calls = new GeminiCalls();
  for (const slot of log.slots) addSlot(slot, { builder, calls, repairs });
  const { fields } = log;
  return {
    sessionId: asString(fields.get("sessionId")),
    title: asString(fields.get("summary")),
    ...(fields.get("kind") === "subagent" ? { isSidechain: true } : {}),
    ...builder.finish(),
    // A document is one record with a list in it.
    recordCount: Math.max(records.length, log.slots.filter((slot) => slot.type === "message").length),
  };
}

interface Reading {
  readonly builder: ConversationBuilder;
  readonly calls: GeminiCalls;
  readonly repairs: RepairLog;
}

function addSlot(slot: GeminiSlot, { builder, calls, repairs }: Reading): void {
  if (slot.type === "edit") {
    if (slot.isLive) builder.addItem(slot.item);
    return;
  }
  const { line, isLive, putIn } = slot;
  const raw = slot.finish();
  const messages = geminiMessages(raw, { calls, onDamage: repairs.blockDamage(line), line });
  if (messages === undefined) {
    const type = JSON.stringify(raw["type"] ?? null);
    repairs.add("unknown-record", `unknown message type ${type}; ignored`, line);
    return;
  }
  for (const { parsed, leftOut } of messages) {
    // The boundary has the text that the tool put in the place of the conversation.
    const reason = putIn === "instead" ? "transcript-only" : isLive ? leftOut : "abandoned-branch";
    builder.addMessage(putIn === "no" ? parsed : byTheTool(parsed), reason);
  }
}

function byTheTool(parsed: ParsedMessage): ParsedMessage {
  const { message } = parsed;
  if (message.origin !== "user") return parsed;
  return { ...parsed, message: { ...message, origin: "host" }, isAttachment: true };
}
