/**
 * Imports sessions of the pi coding agent (`~/.pi/agent/sessions/…/*.jsonl`), versions 1 to 3.
 *
 * DESIGN. A header line, then one record per line. Version 1 is a plain list; from version 2 on
 * records have `id` and `parentId` and form a tree whose newest record is the head. A compaction
 * names the first record that stays in the window: by id (`firstKeptEntryId`), in older files by index. The kept messages
 * are not written again.
 */

import { asNumber, asString, isObject } from "../../base/json/json.ts";
import type { OnDamage } from "../../wire/shared/well-formed-block.ts";
import { ConversationBuilder } from "../shared/conversation-builder.ts";
import { type Fields, fieldsOf, HOST, parseTimestamp } from "../shared/fields.ts";
import type { ImportedBoundary, RecordedSession } from "../shared/imported-session.ts";
import { type Importer, readingAll } from "../shared/importer.ts";
import type { SourceRecord } from "../shared/read-records.ts";
import type { RepairLog } from "../shared/repair-log.ts";
import { liveRecords, type TreeRecord, withoutCopies } from "../shared/walk-line.ts";
import { type PiMessage, piContent, piMessage } from "./pi-message.ts";

interface PiRecord extends TreeRecord {
  readonly type: string;
  readonly at?: number | undefined;
}

/** Known types of records that are not part of the conversation. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set(["session", "label", "custom"]);

/** @internal */
export const pi = {
  format: "pi",
  recognises: (sample) => sample.some(isPiRecord),
  begin: readingAll((records, repairs) => [importPi(records, repairs)]),
} as const satisfies Importer;

function isPiRecord(value: Fields): boolean {
  if (value["type"] === "session")
    return typeof value["id"] === "string" && Object.hasOwn(value, "timestamp");
  return value["type"] === "message" && isObject(value["message"]) && Object.hasOwn(value["message"], "role");
}

/** Imports one session. */
function importPi(source: readonly SourceRecord[], repairs: RepairLog): RecordedSession {
  const records = withoutCopies(source.map(piRecord), repairs);
  const reader = new PiReader(records, repairs);
  const isLive = liveRecords(records, repairs, false);
  records.forEach((record, index) => {
    reader.read(record, isLive(index));
  });
  return { ...reader.finish(), recordCount: source.length };
}

function piRecord({ value: raw, line }: SourceRecord): PiRecord {
  const type = asString(raw["type"]) ?? "(no type)";
  return {
    raw,
    type,
    line,
    // The header's id is the session's, not a record's.
    id: type === "session" ? undefined : asString(raw["id"]),
    parentId: asString(raw["parentId"]),
    at: parseTimestamp(raw["timestamp"]) ?? parseTimestamp(fieldsOf(raw["message"])["timestamp"]),
  };
}

class PiReader {
  readonly #records: readonly PiRecord[];
  readonly #repairs: RepairLog;
  readonly #conversation: ConversationBuilder;

  constructor(records: readonly PiRecord[], repairs: RepairLog) {
    this.#records = records;
    this.#repairs = repairs;
    this.#conversation = new ConversationBuilder(repairs);
  }

  read(record: PiRecord, isLive: boolean): void {
    const { raw, type, line } = record;
    const onDamage = this.#repairs.blockDamage(line);
    if (type === "message")
      this.#readMessage(
        record,
        isObject(raw["message"]) ? piMessage(raw["message"], onDamage) : undefined,
        isLive,
      );
    else if (type === "compaction") this.#conversation.addItem(this.#boundary(record));
    else if (type === "custom_message") this.#readMessage(record, inserted(raw["content"], onDamage), isLive);
    else if (type === "branch_summary") this.#readMessage(record, inserted(raw["summary"], onDamage), isLive);
    else if (type === "model_change") this.#conversation.setMetadata("model", raw["modelId"], line);
    else if (type === "thinking_level_change")
      this.#conversation.setMetadata("thinking-level", raw["thinkingLevel"], line);
    else if (type === "session_info") this.#conversation.setMetadata("title", raw["name"], line);
    else if (WITHOUT_EFFECT.has(type)) this.#conversation.skip(type);
    else this.#conversation.unknown(type, line);
  }

  finish(): RecordedSession {
    const header = this.#records.find((record) => record.type === "session")?.raw ?? {};
    return {
      sessionId: asString(header["id"]),
      title: this.#conversation.metadataText("title"),
      workingCopy: asString(header["cwd"]),
      ...this.#conversation.finish(),
    };
  }

  #readMessage(record: PiRecord, read: PiMessage | undefined, isLive: boolean): void {
    if (read === undefined) {
      this.#repairs.add(
        "bad-record",
        "a message record without a message that can be read; left out",
        record.line,
      );
      return;
    }
    const { message, content, isHidden, ...rest } = read;
    const { id, isIdTaken, at, line } = record;
    const hostId = isIdTaken === true ? undefined : id;
    this.#conversation.addMessage(
      { message: { ...message, hostId, at }, content: [...content], ...rest, line },
      isHidden === true ? "transcript-only" : isLive ? undefined : "abandoned-branch",
    );
  }

  #boundary({ raw, id, at, line }: PiRecord): ImportedBoundary {
    const index = asNumber(raw["firstKeptEntryIndex"]);
    return {
      type: "boundary",
      trigger: "unknown",
      preTokens: asNumber(raw["tokensBefore"]),
      summary: asString(raw["summary"]),
      firstPreserved:
        asString(raw["firstKeptEntryId"]) ?? (index === undefined ? undefined : this.#records[index]?.id),
      hostId: id,
      at,
      line,
    };
  }
}

function inserted(content: unknown, onDamage: OnDamage): PiMessage {
  return { message: HOST, content: piContent(content, { role: "user", onDamage }), isAttachment: true };
}
