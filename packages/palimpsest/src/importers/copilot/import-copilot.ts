/**
 * Sessions of the GitHub Copilot CLI (`~/.copilot/session-state/<session>/events.jsonl`).
 *
 * DESIGN. One event a line, chained by `parentId` in the order in which they happened. Few of the
 * many types are the conversation: what the user and the model said, and what tools answered. A
 * response may be written in several chunks, which share `apiCallId`; ids can have been redacted to
 * one and the same text, so only neighbours are taken as chunks. The tool's own screen, hooks and
 * permissions are counted. Source of the types: github/copilot-sdk, `session-events`.
 */

import { asString, isObject } from "../../base/json/json.ts";
import { addAll } from "../../base/lists.ts";
import { withOpenAIFields } from "../../wire/shared/openai-fields.ts";
import { ConversationBuilder, type ParsedMessage } from "../shared/conversation-builder.ts";
import { type Fields, HOST, TOOL } from "../shared/fields.ts";
import type { LeftOutReason, RecordedSession } from "../shared/imported-session.ts";
import { type Importer, readingAll } from "../shared/importer.ts";
import type { SourceRecord } from "../shared/read-records.ts";
import type { RepairLog } from "../shared/repair-log.ts";
import { liveRecords, withoutCopies } from "../shared/walk-line.ts";
import {
  CopilotMedia,
  copilotAnswer,
  copilotResult,
  copilotUsage,
  copilotUserMessage,
  copilotUserRun,
  isCustomCall,
} from "./copilot-message.ts";
import { CopilotMetadata, isKnownType } from "./copilot-metadata.ts";
import { type CopilotRecord, copilotBoundary, copilotRecord } from "./copilot-record.ts";

/** @internal */
export const copilot = {
  format: "copilot",
  recognises: (sample) => sample.some(isCopilotEvent),
  begin: readingAll((records, repairs) => [importCopilot(records, repairs)]),
} as const satisfies Importer;

/** Copilot names its events by their subject. */
const COPILOT_TYPE = /^(?:session|user|assistant|tool|system|hook|permission)\./;

function isCopilotEvent({ type, data }: Fields): boolean {
  return typeof type === "string" && COPILOT_TYPE.test(type) && isObject(data);
}

/** Imports one session. */
function importCopilot(source: readonly SourceRecord[], repairs: RepairLog): RecordedSession {
  const records = withoutCopies(source.map(copilotRecord), repairs);
  // A session that is resumed may begin a new chain in the same file.
  const isLive = liveRecords(records, repairs, true);
  const reader = new CopilotReader(new CopilotMedia(records), repairs);
  records.forEach((record, index) => {
    reader.read(record, isLive(index));
  });
  return { ...reader.finish(), recordCount: source.length };
}

const BOUNDARIES: ReadonlySet<string> = new Set([
  "session.compaction_complete",
  "session.truncation",
  "session.context_cleared",
]);
/** After these the model answers again. An answer is written when it is whole: one that was cut off is not in the file. */
const ENDS_OF_ANSWERS: ReadonlySet<string> = new Set(["assistant.turn_end", "abort"]);

interface OpenAnswer {
  readonly callId: string | undefined;
  readonly parsed: ParsedMessage;
}

class CopilotReader {
  readonly #media: CopilotMedia;
  readonly #repairs: RepairLog;
  readonly #conversation: ConversationBuilder;
  readonly #metadata: CopilotMetadata;
  readonly #callIds = new Set<string>();
  readonly #customIds = new Set<string>();
  readonly #userRuns = new Map<string, CopilotRecord["data"]>();
  #open: OpenAnswer | undefined;

  constructor(media: CopilotMedia, repairs: RepairLog) {
    this.#media = media;
    this.#repairs = repairs;
    this.#conversation = new ConversationBuilder(repairs);
    this.#metadata = new CopilotMetadata(this.#conversation);
  }

  read(record: CopilotRecord, isLive: boolean): void {
    const leftOut = record.isSidechain ? "side-chain" : isLive ? undefined : "abandoned-branch";
    const { type } = record;
    if (type === "user.message") this.#readUser(record, leftOut);
    else if (type === "assistant.message") this.#readAnswer(record, leftOut);
    else if (type === "tool.execution_complete") this.#readResult(record, leftOut);
    else if (type === "tool.user_requested") this.#readUserRun(record);
    else if (type === "system.message") this.#readSystem(record, leftOut);
    else if (type === "system.notification") this.#readNotification(record, leftOut);
    else if (BOUNDARIES.has(type)) this.#readBoundary(record);
    else this.#readOther(record);
  }

  finish(): RecordedSession {
    return { ...this.#metadata.finish(), ...this.#conversation.finish() };
  }

  #readUser(record: CopilotRecord, leftOut: LeftOutReason | undefined): void {
    const { content, origin, unattached } = copilotUserMessage(
      record.data,
      this.#media,
      this.#repairs.blockDamage(record.line),
    );
    for (const kind of unattached) this.#conversation.skip(`user.message attachment/${kind}`);
    this.#add(record, leftOut, {
      message: { role: "user", origin },
      content: [...content],
      ...(origin === "host" ? { isAttachment: true } : {}),
    });
  }

  #readAnswer(record: CopilotRecord, leftOut: LeftOutReason | undefined): void {
    const { data, line } = record;
    const content = copilotAnswer(data, this.#repairs.blockDamage(line));
    for (const block of content)
      if (block.type === "tool_use" && isCustomCall(block)) this.#customIds.add(block.id);
    const callId = asString(data["apiCallId"]);
    const usage = copilotUsage(data);
    const open = this.#open;
    if (leftOut === undefined && open !== undefined && callId !== undefined && open.callId === callId) {
      addAll(open.parsed.content, content);
      open.parsed.usage = usage ?? open.parsed.usage;
      return;
    }
    // An id that several responses have tells the first one only.
    const isNew = callId !== undefined && callId !== "" && !this.#callIds.has(callId);
    if (isNew) this.#callIds.add(callId);
    const parsed = this.#add(record, leftOut, {
      message: {
        role: "assistant",
        origin: "assistant",
        responseId: isNew ? callId : undefined,
        model: asString(data["model"]),
      },
      content: [...content],
      usage,
    });
    if (leftOut === undefined) this.#open = { callId, parsed };
  }

  #readResult(record: CopilotRecord, leftOut: LeftOutReason | undefined): void {
    const { data, line } = record;
    const id = asString(data["toolCallId"]) ?? "";
    const request = this.#userRuns.get(id);
    if (request !== undefined || data["isUserRequested"] === true) {
      this.#addPutIn(record, leftOut, copilotUserRun(request, data, this.#media));
      return;
    }
    const onDamage = this.#repairs.blockDamage(line);
    const block = copilotResult(data, { media: this.#media, isCustom: this.#customIds.has(id), onDamage });
    this.#add(record, leftOut, { message: TOOL, content: [block] });
  }

  /** A command of the user is reported with its answer. */
  #readUserRun(record: CopilotRecord): void {
    const id = asString(record.data["toolCallId"]);
    if (id !== undefined) this.#userRuns.set(id, record.data);
    this.#conversation.skip(record.type);
  }

  /** The system prompt is written again with every message of the user; instructions of developers are in the conversation. */
  #readSystem(record: CopilotRecord, leftOut: LeftOutReason | undefined): void {
    const text = asString(record.data["content"]);
    if (text === undefined) {
      this.#repairs.add("bad-record", "instructions without a text; left out", record.line);
      return;
    }
    if (record.isSidechain || this.#metadata.isKnownInstruction(record.data, text)) {
      this.#conversation.skip(record.type);
      return;
    }
    if (record.data["role"] !== "developer") {
      if (this.#metadata.replaceSystem(text)) this.#conversation.skip("system.message (replaced later)");
      return;
    }
    this.#add(record, leftOut, {
      message: { role: "system", origin: "host" },
      content:
        text === "" ? [] : [withOpenAIFields({ type: "text", text }, { extra: { role: "developer" } })],
      isAttachment: true,
    });
  }

  /** Notices in tags are for the model, the others for the screen. */
  #readNotification(record: CopilotRecord, leftOut: LeftOutReason | undefined): void {
    const text = asString(record.data["content"]);
    if (text?.includes("<system_notification") === true) this.#addPutIn(record, leftOut, text);
    else this.#conversation.skip(record.type);
  }

  #addPutIn(record: CopilotRecord, leftOut: LeftOutReason | undefined, text: string): void {
    this.#add(record, leftOut, { message: HOST, content: [{ type: "text", text }], isAttachment: true });
  }

  #readBoundary(record: CopilotRecord): void {
    const boundary = record.isSidechain ? undefined : copilotBoundary(record);
    if (boundary === undefined) {
      this.#conversation.skip(record.type);
      return;
    }
    this.#open = undefined;
    this.#conversation.addItem(boundary);
  }

  #readOther(record: CopilotRecord): void {
    if (ENDS_OF_ANSWERS.has(record.type) && !record.isSidechain) this.#open = undefined;
    if (!record.isSidechain && this.#metadata.take(record)) return;
    if (isKnownType(record.type)) this.#conversation.skip(record.type);
    else this.#conversation.unknown(record.type, record.line);
  }

  #add(record: CopilotRecord, leftOut: LeftOutReason | undefined, parsed: ParsedMessage): ParsedMessage {
    if (leftOut === undefined) this.#open = undefined;
    const { id, isIdTaken, at, line, isSidechain } = record;
    const whole: ParsedMessage = {
      ...parsed,
      message: {
        ...parsed.message,
        hostId: isIdTaken === true ? undefined : id,
        at,
      },
      ...(isSidechain ? { isSidechain: true } : {}),
      line,
    };
    this.#conversation.addMessage(whole, leftOut);
    return whole;
  }
}
