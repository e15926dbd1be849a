/**
 * Sessions of the pi coding agent (`~/.pi/agent/sessions/…/*.jsonl`), versions 1 to 3.
 *
 * DESIGN. A header line, then one record per line. Version 1 is a plain list; from version 2 on
 * records have `id` and `parentId` and form a tree whose newest record is the head. A compaction
 * names the first record that stays in the window (`firstKeptEntryId`, before that by index); the
 * messages themselves stand where they were written.
 */

import { asNumber, asString, isObject, type JsonValue } from "../../base/json/json.ts";
import type { OnDamage } from "../../wire/shared/well-formed-block.ts";
import { ConversationBuilder } from "../shared/conversation-builder.ts";
import { type Fields, parseTimestamp } from "../shared/fields.ts";
import type { ImportedBoundary, ImportedMetadata, RecordedSession } from "../shared/imported-session.ts";
import type { Importer } from "../shared/importer.ts";
import type { SourceRecord } from "../shared/read-records.ts";
import { type RepairLog, SkippedLog } from "../shared/repair-log.ts";
import { walkLine } from "../shared/walk-line.ts";
import { type PiMessage, piContent, piMessage } from "./pi-message.ts";

interface PiRecord {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly type: string;
  readonly line?: number;
  readonly id?: string;
  readonly parentId?: string;
  readonly at?: number;
}

/** Types that are known and have no part in the conversation. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set(["session", "label", "custom"]);

/** @internal */
export const pi = {
  format: "pi",
  recognises: (sample) => sample.some(isPiRecord),
  read: (records, repairs) => [importPi(records, repairs)],
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
  const isLive = liveRecords(records, repairs);
  records.forEach((record, index) => {
    reader.read(record, isLive(index));
  });
  return { ...reader.finish(), recordCount: source.length };
}

function piRecord({ value: raw, line }: SourceRecord): PiRecord {
  const type = asString(raw["type"]) ?? "(no type)";
  // The header's id is the session's, not a record's.
  const id = type === "session" ? undefined : asString(raw["id"]);
  const parentId = asString(raw["parentId"]);
  const message = isObject(raw["message"]) ? raw["message"] : {};
  const at = parseTimestamp(raw["timestamp"]) ?? parseTimestamp(message["timestamp"]);
  return {
    raw,
    type,
    line,
    id,
    parentId,
    at,
  };
}

function withoutCopies(records: readonly PiRecord[], repairs: RepairLog): readonly PiRecord[] {
  const seen = new Map<string, PiRecord>();
  return records.filter((record) => {
    if (record.id === undefined) return true;
    const first = seen.get(record.id);
    if (first === undefined) {
      seen.set(record.id, record);
      return true;
    }
    const isCopy = JSON.stringify(first.raw) === JSON.stringify(record.raw);
    repairs.add(
      "duplicate-id",
      `the id ${record.id} was used before; ${isCopy ? "the copy is left out" : "both are kept"}`,
      record.line,
    );
    return !isCopy;
  });
}

/** Which records are on the line of the newest one; all of them where records have no ids. */
function liveRecords(records: readonly PiRecord[], repairs: RepairLog): (index: number) => boolean {
  const leaf = records.findLastIndex((record) => record.id !== undefined);
  if (leaf === -1) return () => true;
  const line = walkLine({
    nodes: records,
    leaf,
    isStep: (index) => records[index]!.id !== undefined,
    continuesBefore: () => false,
    report: (problem, index) => {
      repairs.add(
        problem,
        "the parent of this record cannot be followed; it is taken to follow the record before it",
        records[index]!.line,
      );
    },
  });
  const liveIds = new Set([...line].map((index) => records[index]!.id));
  return (index) => records[index]!.id === undefined || liveIds.has(records[index]!.id);
}

class PiReader {
  readonly #records: readonly PiRecord[];
  readonly #repairs: RepairLog;
  readonly #conversation: ConversationBuilder;
  readonly #metadata = new Map<string, ImportedMetadata>();
  readonly #skipped = new SkippedLog();

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
    else if (type === "model_change") this.#setMetadata("model", raw["modelId"], line);
    else if (type === "thinking_level_change")
      this.#setMetadata("thinking-level", raw["thinkingLevel"], line);
    else if (type === "session_info") this.#setMetadata("title", raw["name"], line);
    else if (WITHOUT_EFFECT.has(type)) this.#skipped.add(type);
    else this.#repairs.add("unknown-record", `unknown record type ${JSON.stringify(type)}; ignored`, line);
  }

  finish(): RecordedSession {
    const header = this.#records.find((record) => record.type === "session")?.raw ?? {};
    const sessionId = asString(header["id"]);
    const workingCopy = asString(header["cwd"]);
    const title = asString(this.#metadata.get("title")?.value);
    const { items, leftOut } = this.#conversation.finish();
    return {
      sessionId,
      title,
      workingCopy,
      items: [...items, ...this.#metadata.values()],
      leftOut,
      skipped: this.#skipped.list(),
      repairs: [],
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
    const { message, content, usage, stopReason, isAttachment, isHidden } = read;
    this.#conversation.addMessage(
      {
        message: {
          ...message,
          ...(record.id === undefined ? {} : { hostId: record.id }),
          ...(record.at === undefined ? {} : { at: record.at }),
        },
        content: [...content],
        usage,
        stopReason,
        isAttachment,
        line: record.line,
      },
      isHidden === true ? "transcript-only" : isLive ? undefined : "abandoned-branch",
    );
  }

  #boundary({ raw, id, at, line }: PiRecord): ImportedBoundary {
    const preTokens = asNumber(raw["tokensBefore"]);
    const summary = asString(raw["summary"]);
    const index = asNumber(raw["firstKeptEntryIndex"]);
    const firstPreserved =
      asString(raw["firstKeptEntryId"]) ?? (index === undefined ? undefined : this.#records[index]?.id);
    return {
      type: "boundary",
      trigger: "unknown",
      preTokens,
      summary,
      firstPreserved,
      hostId: id,
      at,
      line,
    };
  }

  #setMetadata(key: string, value: unknown, line: number | undefined): void {
    if (value === undefined) return;
    this.#metadata.set(key, {
      type: "metadata",
      key,
      value: value as JsonValue,
      line,
    });
  }
}

function inserted(content: unknown, onDamage: OnDamage): PiMessage {
  const message = { role: "user", origin: "host" } as const;
  return { message, content: piContent(content, { role: "user", onDamage }), isAttachment: true };
}
