/**
 * Imports an export of a session of this library (`palimpsest sessions export -f jsonl`) as a recording: the messages as
 * they were written, with their usage, and without what was rewound. So a policy can be tried on it. (`sessions import`
 * restores the session itself, edits included.)
 *
 * The log file itself is refused: its large texts lie beside it, and a replay would take their previews for the texts.
 */
import { InputError } from "../../base/errors.ts";
import { asString, type JsonValue, parseJson } from "../../base/json/json.ts";
import type { BlobRef, ContentBlock } from "../../transcript/blocks.ts";
import type { Edit } from "../../transcript/edits.ts";
import type { AnswerEntry, CallEntry, Entry, MessageEntry, StoredBlock } from "../../transcript/entries.ts";
import { parseEntry } from "../../transcript/entry-line.ts";
import { ConversationBuilder, type ParsedMessage } from "../shared/conversation-builder.ts";
import type { Fields } from "../shared/fields.ts";
import type { RecordedSession } from "../shared/imported-session.ts";
import { type Importer, readingAll } from "../shared/importer.ts";
import type { SourceRecord } from "../shared/read-records.ts";
import type { RepairLog } from "../shared/repair-log.ts";

/** @internal */
export const palimpsest = {
  format: "palimpsest",
  recognises: ([first = {}]) => isExport(first) || isLog(first),
  begin: readingAll((records, repairs) => [importPalimpsest(records, repairs)]),
} as const satisfies Importer;

const isExport = ({ type }: Fields): boolean => type === "palimpsest-session";
const isLog = ({ type, createdBy }: Fields): boolean => type === "header" && createdBy === "palimpsest";

function importPalimpsest(records: readonly SourceRecord[], repairs: RepairLog): RecordedSession {
  const [first] = records;
  if (first !== undefined && isLog(first.value))
    throw new InputError("FORMAT_UNKNOWN", {
      message: "This is the log of a Palimpsest session, whose large texts lie beside it.",
      hint: "Give an export of it: palimpsest sessions export ID --output session.jsonl",
    });
  const reader = new ExportReader(repairs);
  for (const record of records) reader.read(record);
  return { ...reader.finish(), sessionId: asString(first?.value["sessionId"]), recordCount: records.length };
}

/** A message, and the one before it in the conversation. */
interface LoggedMessage {
  readonly seq: number;
  readonly parsed: ParsedMessage;
  readonly previous: LoggedMessage | undefined;
}

class ExportReader {
  readonly #repairs: RepairLog;
  readonly #conversation: ConversationBuilder;
  readonly #blobs = new Map<string, string>();
  readonly #messages: LoggedMessage[] = [];
  /** The newest message of the conversation as it was after each entry, by the number of the entry. */
  readonly #heads = new Map<number, LoggedMessage | undefined>();
  /** Messages that their host took out. */
  readonly #removed = new Set<number>();
  #head: LoggedMessage | undefined;
  #header: { readonly workingCopy?: string } = {};
  #fixed: Pick<CallEntry, "system" | "tools"> = {};

  constructor(repairs: RepairLog) {
    this.#repairs = repairs;
    this.#conversation = new ConversationBuilder(repairs);
  }

  read({ value, line }: SourceRecord): void {
    const { type, hash, text } = value;
    if (isExport(value) || type === "end") return;
    if (type === "blob" && typeof hash === "string" && typeof text === "string") {
      this.#blobs.set(hash, text);
      return;
    }
    const parsed = parseEntry(JSON.stringify(value));
    if (parsed.ok) this.#readEntry(parsed.entry, line);
    else this.#repairs.add("bad-record", `${parsed.detail}; left out`, line);
  }

  finish(): RecordedSession {
    const line = new Set<LoggedMessage>();
    for (let message = this.#head; message !== undefined; message = message.previous) line.add(message);
    for (const message of this.#messages)
      this.#conversation.addMessage(
        message.parsed,
        line.has(message) && !this.#removed.has(message.seq) ? undefined : "abandoned-branch",
      );
    const { system, tools } = this.#fixed;
    const listed = parseJson(this.#textOf(tools) ?? "");
    return {
      title: this.#conversation.metadataText("title"),
      workingCopy: this.#header.workingCopy,
      system: this.#textOf(system),
      tools: listed.ok && Array.isArray(listed.value) ? (listed.value as readonly JsonValue[]) : undefined,
      ...this.#conversation.finish(),
    };
  }

  #readEntry(entry: Entry, line: number | undefined): void {
    if (entry.type === "message") this.#readMessage(entry, line);
    else if (entry.type === "edit") this.#readEdit(entry.edit);
    else if (entry.type === "answer") this.#readAnswer(entry);
    else if (entry.type === "header") this.#header = entry;
    else if (entry.type === "call") {
      if (entry.system !== undefined || entry.tools !== undefined) this.#fixed = entry;
    } else if (entry.type === "metadata" && entry.key === "title")
      this.#conversation.setMetadata("title", entry.value, line);
    else this.#conversation.skip(entry.type);
    this.#heads.set(entry.seq, this.#head);
  }

  #readMessage(entry: MessageEntry, line: number | undefined): void {
    const { role, origin, responseId, model, interrupted, saidAt, at, seq } = entry;
    const message = { role, origin, responseId, model, interrupted, at: saidAt ?? at, hostId: `m${seq}` };
    const content = entry.content.map((block) => this.#whole(block, line));
    const isAttachment = origin !== "user" && origin !== "assistant" && origin !== "tool";
    const parsed = { message, content, isAttachment, ...(line === undefined ? {} : { line }) };
    this.#head = { seq, parsed, previous: this.#head };
    this.#messages.push(this.#head);
  }

  /** Compactions are left out, as the messages are all here. A message that its host changed stays as it was at first. */
  #readEdit(edit: Edit): void {
    if (edit.kind === "rewind" && this.#heads.has(edit.toSeq)) this.#head = this.#heads.get(edit.toSeq);
    if (edit.kind !== "host" || (edit.effect.insert ?? []).length > 0) return;
    for (const { from, to } of edit.effect.hide ?? [])
      for (const { seq } of this.#messages) if (seq >= from && seq <= to) this.#removed.add(seq);
  }

  /** An answer follows its messages; the usage belongs to the newest. */
  #readAnswer({ usage, stopReason }: AnswerEntry): void {
    if (this.#head?.parsed.message.role !== "assistant") return;
    this.#head.parsed.usage = usage;
    this.#head.parsed.stopReason = stopReason;
  }

  #whole(block: StoredBlock, line: number | undefined): ContentBlock {
    if (block.type !== "blob") return block;
    const { blob, shown } = block;
    const parsed = parseJson(this.#textOf(blob) ?? "");
    if (parsed.ok) return parsed.value as unknown as ContentBlock;
    this.#repairs.add(
      "bad-record",
      `the text ${blob.hash.slice(0, 8)} is missing; its preview is used`,
      line,
    );
    return shown;
  }

  #textOf(blob: BlobRef | undefined): string | undefined {
    return blob === undefined ? undefined : this.#blobs.get(blob.hash);
  }
}
