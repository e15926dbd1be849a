/**
 * Claude Code transcripts (`~/.claude/projects/…/*.jsonl`), all versions, and those of its
 * sub-agents.
 *
 * DESIGN. One line per *content block*: the lines of one response share `message.id` and repeat its
 * usage; results of parallel calls are written between them. Lines form a tree (`parentUuid`);
 * abandoned branches are left out (`live-records.ts`). After a compaction the file goes
 * on with a boundary and a summary; messages that the tool preserved stand before the boundary and
 * are not written again, so reading the file in order gives every message once. The summary is part
 * of its boundary, not of the conversation.
 */

import { asString, isObject } from "../../base/json/json.ts";
import { defaultOrigin, type Origin, type Role } from "../../transcript/blocks.ts";
import { anthropicContent, recordedContent } from "../../wire/anthropic/from-anthropic.ts";
import { ConversationBuilder, type ParsedMessage } from "../shared/conversation-builder.ts";
import type { Fields } from "../shared/fields.ts";
import type { ImportedBoundary, LeftOutReason, RecordedSession } from "../shared/imported-session.ts";
import type { Importer } from "../shared/importer.ts";
import type { SourceRecord } from "../shared/read-records.ts";
import { recordedAnthropicUsage } from "../shared/recorded-usage.ts";
import { type RepairLog, SkippedLog } from "../shared/repair-log.ts";
import { attachmentMessage } from "./attachment-text.ts";
import {
  ClaudeMetadata,
  type ClaudeRecord,
  claudeBoundary,
  claudeMicrocompact,
  claudeRecord,
  isWithoutEffect,
} from "./claude-record.ts";
import { findLiveRecords, type LiveRecords } from "./live-records.ts";

/** @internal */
export const claudeCode = {
  format: "claude-code",
  recognises: (sample) => sample.some(isClaudeRecord),
  read: (records, repairs) => [importClaudeCode(records, repairs)],
} as const satisfies Importer;

/** Record types that only Claude Code writes, with a field that goes with them. */
const CLAUDE_TYPES: Readonly<Record<string, readonly string[]>> = {
  user: ["uuid", "sessionId", "parentUuid"],
  assistant: ["uuid", "sessionId", "parentUuid", "requestId"],
  system: ["uuid", "sessionId", "parentUuid"],
  attachment: ["uuid", "attachment"],
  progress: ["uuid", "sessionId", "parentUuid"],
  summary: ["leafUuid"],
  "file-history-snapshot": ["snapshot", "messageId"],
  "queue-operation": ["operation"],
};

function isClaudeRecord(value: Fields): boolean {
  const type = value["type"];
  if (typeof type !== "string" || !Object.hasOwn(CLAUDE_TYPES, type)) return false;
  return CLAUDE_TYPES[type]!.some((field) => Object.hasOwn(value, field));
}

/** Imports one transcript. */
function importClaudeCode(source: readonly SourceRecord[], repairs: RepairLog): RecordedSession {
  const records = withoutCopies(source.map(claudeRecord), repairs);
  // The transcript of a sub-agent is marked as a side chain from beginning to end.
  const messages = records.filter((record) => record.isMessage);
  const isSidechain = messages.length > 0 && messages.every((record) => record.isSidechain);
  const isOwn = (record: ClaudeRecord): boolean => isSidechain || !record.isSidechain;
  const live = findLiveRecords(records, isOwn, repairs);
  const reader = new ClaudeReader({ repairs, isSidechain, live, summaries: findSummaries(records) });
  records.forEach((record, index) => {
    reader.read(record, index);
  });
  return { ...reader.finish(records), recordCount: source.length };
}

/** A record whose id was there before is a copy if it says the same; otherwise it is kept, without the id. */
function withoutCopies(records: readonly ClaudeRecord[], repairs: RepairLog): readonly ClaudeRecord[] {
  const firstOf = new Map<string, ClaudeRecord>();
  return records.flatMap((record): readonly ClaudeRecord[] => {
    const first = record.id === undefined ? undefined : firstOf.get(record.id);
    if (record.id === undefined || first === undefined) {
      if (record.id !== undefined) firstOf.set(record.id, record);
      return [record];
    }
    const isCopy =
      first.kind === record.kind &&
      JSON.stringify([first.message, first.raw["content"], first.raw["attachment"]]) ===
        JSON.stringify([record.message, record.raw["content"], record.raw["attachment"]]);
    repairs.add(
      "duplicate-id",
      `the id ${record.id} was used before; ${isCopy ? "the copy is left out" : "the record is kept without it"}`,
      record.line,
    );
    if (isCopy) return [];
    return [{ ...record, isIdTaken: true }];
  });
}

/** Summaries by the index of their boundary, or by their own where no boundary stands before them. */
function findSummaries(records: readonly ClaudeRecord[]): ReadonlyMap<number, string> {
  const summaries = new Map<number, string>();
  let boundary: number | undefined;
  records.forEach((record, index) => {
    if (record.kind === "system/compact_boundary") boundary = index;
    if (!record.isMessage || record.raw["isCompactSummary"] !== true) return;
    summaries.set(boundary ?? index, plainText(record.message?.["content"]));
    boundary = undefined;
  });
  return summaries;
}

class ClaudeReader {
  readonly #conversation: ConversationBuilder;
  readonly #metadata = new ClaudeMetadata();
  readonly #skipped = new SkippedLog();
  readonly #unknown = new Map<string, { count: number; line: number | undefined }>();
  readonly #repairs: RepairLog;
  readonly #live: LiveRecords;
  readonly #isSidechain: boolean;
  readonly #summaries: ReadonlyMap<number, string>;

  constructor(options: {
    readonly repairs: RepairLog;
    readonly live: LiveRecords;
    readonly isSidechain: boolean;
    readonly summaries: ReadonlyMap<number, string>;
  }) {
    this.#repairs = options.repairs;
    this.#live = options.live;
    this.#isSidechain = options.isSidechain;
    this.#summaries = options.summaries;
    this.#conversation = new ConversationBuilder(options.repairs);
  }

  read(record: ClaudeRecord, index: number): void {
    if (this.#live.clearedAt.has(index) && this.#conversation.hasMessages()) {
      this.#conversation.addItem({ type: "boundary", trigger: "clear", ...at(record) });
    }
    if (record.isMessage) this.#readMessage(record, index);
    else if (record.kind === "system/compact_boundary") this.#addBoundary(claudeBoundary(record), index);
    else if (record.kind === "system/microcompact_boundary")
      this.#conversation.addItem(claudeMicrocompact(record));
    else if (!this.#readInsertion(record, index)) this.#readOther(record);
  }

  finish(records: readonly ClaudeRecord[]): RecordedSession {
    for (const [kind, { count, line }] of this.#unknown) {
      this.#repairs.add(
        "unknown-record",
        `${count} × unknown record type ${JSON.stringify(kind)}; ignored`,
        line,
      );
    }
    const { items, leftOut } = this.#conversation.finish();
    const sessionId =
      lastText(records, this.#isSidechain ? "agentId" : "sessionId") ?? lastText(records, "sessionId");
    const workingCopy = lastText(records, "cwd");
    const title = this.#metadata.title();
    return {
      sessionId,
      title,
      workingCopy,
      ...(this.#isSidechain ? { isSidechain: true } : {}),
      items: [...items, ...this.#metadata.list()],
      leftOut,
      skipped: this.#skipped.list(),
      repairs: [],
    };
  }

  #addBoundary(boundary: ImportedBoundary, index: number): void {
    const summary = this.#summaries.get(index);
    this.#conversation.addItem(summary === undefined ? boundary : { ...boundary, summary });
  }

  #readMessage(record: ClaudeRecord, index: number): void {
    if (record.message === undefined) {
      this.#repairs.add("bad-record", `a ${record.kind} record without a message; left out`, record.line);
      return;
    }
    if (record.raw["isCompactSummary"] === true) {
      // The summary of a boundary was added with it; a file cut at its head may begin with one alone.
      if (this.#summaries.has(index))
        this.#addBoundary({ type: "boundary", trigger: "unknown", ...at(record) }, index);
      return;
    }
    this.#conversation.addMessage(this.#parse(record), this.#leftOut(record, index));
  }

  #parse(record: ClaudeRecord): ParsedMessage {
    const message = record.message ?? {};
    const role: Role = record.kind === "assistant" ? "assistant" : "user";
    const onDamage = this.#repairs.blockDamage(record.line);
    const content = [...recordedContent(message["content"], role, onDamage)];
    const origin: Origin =
      role === "user" && record.raw["isMeta"] === true ? "host" : defaultOrigin({ role, content });
    const responseId = role === "assistant" ? asString(message["id"]) : undefined;
    const model = role === "assistant" ? asString(message["model"]) : undefined;
    const usage = role === "assistant" ? recordedAnthropicUsage(message["usage"]) : undefined;
    return {
      message: {
        role,
        origin,
        responseId,
        model,
        ...hostId(record),
        ...(record.at === undefined ? {} : { at: record.at }),
      },
      content,
      ...(this.#isSidechain ? { isSidechain: true } : {}),
      line: record.line,
      usage,
      stopReason: asString(message["stop_reason"]),
    };
  }

  #leftOut(record: ClaudeRecord, index: number): LeftOutReason | undefined {
    if (record.isSidechain && !this.#isSidechain) return "side-chain";
    if (record.raw["isVisibleInTranscriptOnly"] === true) return "transcript-only";
    if (!this.#live.isLive(index)) return "abandoned-branch";
    return record.raw["isApiErrorMessage"] === true ? "api-error" : undefined;
  }

  /** Attachments and the output of the user's own commands: sent to the model, written by no one. */
  #readInsertion(record: ClaudeRecord, index: number): boolean {
    const inserted =
      record.kind === "attachment"
        ? attachmentMessage(record.raw, this.#repairs.blockDamage(record.line))
        : record.kind === "system/local_command" && typeof record.raw["content"] === "string"
          ? {
              role: "user" as const,
              origin: "host" as const,
              content: anthropicContent(record.raw["content"]),
            }
          : undefined;
    if (inserted === undefined || inserted.content.length === 0) return false;
    const parsed: ParsedMessage = {
      message: {
        role: inserted.role,
        origin: inserted.origin,
        ...hostId(record),
        ...(record.at === undefined ? {} : { at: record.at }),
      },
      content: [...inserted.content],
      isAttachment: true,
      ...(this.#isSidechain ? { isSidechain: true } : {}),
      line: record.line,
    };
    this.#conversation.addMessage(parsed, this.#leftOut(record, index));
    return true;
  }

  #readOther(record: ClaudeRecord): void {
    if (this.#metadata.take(record)) return;
    if (isWithoutEffect(record.kind)) {
      const attachment = record.raw["attachment"];
      const detail = isObject(attachment) ? asString(attachment["type"]) : undefined;
      this.#skipped.add(detail === undefined ? record.kind : `${record.kind}/${detail}`);
      return;
    }
    const seen = this.#unknown.get(record.kind);
    if (seen === undefined) this.#unknown.set(record.kind, { count: 1, line: record.line });
    else seen.count++;
  }
}

function hostId({ id, isIdTaken }: ClaudeRecord): { readonly hostId?: string } {
  return id === undefined || isIdTaken === true ? {} : { hostId: id };
}

function at({ at: ms, line }: ClaudeRecord): { readonly at?: number; readonly line?: number } {
  return { at: ms, line };
}

function plainText(content: unknown): string {
  return anthropicContent(content)
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n");
}

function lastText(records: readonly ClaudeRecord[], field: string): string | undefined {
  return asString(records.findLast((record) => typeof record.raw[field] === "string")?.raw[field]);
}
