/**
 * Claude Code transcripts (`~/.claude/projects/…/*.jsonl`), all versions, and those of its
 * sub-agents; also the output of its runs (`claude -p --output-format stream-json`).
 *
 * DESIGN. One line per *content block*: the lines of one response share `message.id` and repeat its
 * usage; results of parallel calls are written between them. Lines form a tree (`parentUuid`);
 * abandoned branches are left out (`live-records.ts`). After a compaction the file goes
 * on with a boundary and a summary; messages that the tool preserved stand before the boundary and
 * are not written again, so reading the file in order gives every message once. The summary is part
 * of its boundary, not of the conversation.
 */

import { asString } from "../../base/json/json.ts";
import { defaultOrigin, type Role } from "../../transcript/blocks.ts";
import { anthropicContent, recordedContent } from "../../wire/anthropic/from-anthropic.ts";
import { ConversationBuilder, type ParsedMessage } from "../shared/conversation-builder.ts";
import { type Fields, fieldsOf, HOST } from "../shared/fields.ts";
import type { ImportedBoundary, LeftOutReason, RecordedSession } from "../shared/imported-session.ts";
import type { Importer, SessionReader } from "../shared/importer.ts";
import { recordedAnthropicUsage } from "../shared/recorded-usage.ts";
import type { RepairLog } from "../shared/repair-log.ts";
import { withoutCopies } from "../shared/walk-line.ts";
import { attachmentMessage } from "./attachment-text.ts";
import {
  type ClaudeRecord,
  claudeBoundary,
  claudeMicrocompact,
  claudeRecord,
  isWithoutEffect,
  takeMetadata,
  titleOf,
} from "./claude-record.ts";
import { findLiveRecords, type LiveRecords } from "./live-records.ts";

/** @internal */
export const claudeCode = {
  format: "claude-code",
  recognises: (sample) => sample.some(isClaudeRecord),
  begin,
} as const satisfies Importer;

/** Record types that only Claude Code writes, with a field that goes with them. */
const CLAUDE_TYPES: Readonly<Record<string, readonly string[]>> = {
  user: ["uuid", "sessionId", "parentUuid", "parent_tool_use_id"],
  assistant: ["uuid", "sessionId", "parentUuid", "requestId", "parent_tool_use_id"],
  system: ["uuid", "sessionId", "parentUuid", "session_id"],
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

/** Which record is in the conversation shows at the end; until then only what may be needed of each is kept. */
function begin(repairs: RepairLog): SessionReader {
  const records: ClaudeRecord[] = [];
  return {
    take: (record) => void records.push(claudeRecord(record, records.at(-1))),
    finish: () => [importClaudeCode(records, repairs)],
  };
}

/** Imports one transcript. */
function importClaudeCode(source: readonly ClaudeRecord[], repairs: RepairLog): RecordedSession {
  const records = withoutCopies(source, repairs, comparedParts);
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

/** What makes a copy of a record: an older version wrote the same message with other surroundings. */
function comparedParts({ kind, message, raw }: ClaudeRecord): unknown {
  return [kind, message, raw["content"], raw["attachment"]];
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
      const { at, line } = record;
      this.#conversation.addItem({ type: "boundary", trigger: "clear", at, line });
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
    return {
      sessionId:
        lastText(records, this.#isSidechain ? "agentId" : "sessionId") ?? lastText(records, "sessionId"),
      title: titleOf(this.#conversation),
      workingCopy: lastText(records, "cwd"),
      ...(this.#isSidechain ? { isSidechain: true } : {}),
      ...this.#conversation.finish(),
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
      const { at, line } = record;
      if (this.#summaries.has(index))
        this.#addBoundary({ type: "boundary", trigger: "unknown", at, line }, index);
      return;
    }
    this.#conversation.addMessage(this.#parse(record), this.#leftOut(record, index));
  }

  #parse({ kind, raw, message = {}, line, ...record }: ClaudeRecord): ParsedMessage {
    const isAnswer = kind === "assistant";
    const role: Role = isAnswer ? "assistant" : "user";
    const content = [...recordedContent(message["content"], role, this.#repairs.blockDamage(line))];
    const origin = !isAnswer && raw["isMeta"] === true ? "host" : defaultOrigin({ role, content });
    return {
      message: {
        role,
        origin,
        responseId: isAnswer ? asString(message["id"]) : undefined,
        model: isAnswer ? asString(message["model"]) : undefined,
        ...place(record),
      },
      content,
      ...(this.#isSidechain ? { isSidechain: true } : {}),
      line,
      usage: isAnswer ? recordedAnthropicUsage(message["usage"]) : undefined,
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
    const { kind, raw, line } = record;
    const output = kind === "system/local_command" ? asString(raw["content"]) : undefined;
    const inserted =
      kind === "attachment"
        ? attachmentMessage(raw, this.#repairs.blockDamage(line))
        : output && { ...HOST, content: anthropicContent(output) };
    if (!inserted || inserted.content.length === 0) return false;
    const { role, origin, content } = inserted;
    const parsed: ParsedMessage = {
      message: { role, origin, ...place(record) },
      content: [...content],
      isAttachment: true,
      ...(this.#isSidechain ? { isSidechain: true } : {}),
      line,
    };
    this.#conversation.addMessage(parsed, this.#leftOut(record, index));
    return true;
  }

  #readOther(record: ClaudeRecord): void {
    if (takeMetadata(record, this.#conversation)) return;
    if (isWithoutEffect(record.kind)) {
      const detail = asString(fieldsOf(record.raw["attachment"])["type"]);
      this.#conversation.skip(detail === undefined ? record.kind : `${record.kind}/${detail}`);
      return;
    }
    const seen = this.#unknown.get(record.kind);
    if (seen === undefined) this.#unknown.set(record.kind, { count: 1, line: record.line });
    else seen.count++;
  }
}

function place({ id, isIdTaken, at }: Pick<ClaudeRecord, "id" | "isIdTaken" | "at">) {
  return { hostId: isIdTaken === true ? undefined : id, at };
}

function plainText(content: unknown): string {
  return anthropicContent(content)
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n");
}

function lastText(records: readonly ClaudeRecord[], field: string): string | undefined {
  return asString(records.findLast((record) => typeof record.raw[field] === "string")?.raw[field]);
}
