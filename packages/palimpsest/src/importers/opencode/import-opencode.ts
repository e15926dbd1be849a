/**
 * Exports of opencode (`opencode export <session>`): `{ info, messages: [{ info, parts }] }`, or the
 * messages alone. System prompt and tools are not recorded.
 *
 * What the user typed and what opencode put beside it (files, reminders) are in one message; they
 * become two, so that the user's words stay the user's.
 */

import { asString, isObject } from "../../base/json/json.ts";
import { addAll } from "../../base/lists.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import { wellFormedBlock } from "../../wire/shared/well-formed-block.ts";
import { ConversationBuilder } from "../shared/conversation-builder.ts";
import { findElements, type SourceElement } from "../shared/conversations.ts";
import { ASSISTANT, type Fields, fieldsOf, HOST, listOf, TOOL, USER } from "../shared/fields.ts";
import type { LeftOutReason, RecordedSession } from "../shared/imported-session.ts";
import { type Importer, readingAll } from "../shared/importer.ts";
import type { SourceRecord } from "../shared/read-records.ts";
import { RepairLog } from "../shared/repair-log.ts";
import { fileBlock, opencodeUsage, type Part } from "./opencode-part.ts";
import {
  type Clearing,
  clearings,
  compactionPart,
  errorBlock,
  isSummary,
  type OpencodeMessage,
  opencodeBoundary,
  opencodeMessage,
  parsedMessage,
  revertedFrom,
  summariesByParent,
  whyNotSent,
  wordsOf,
} from "./opencode-session.ts";
import { type OpencodeStep, opencodeSteps } from "./opencode-steps.ts";

/** @internal */
export const opencode = {
  format: "opencode",
  recognises: (sample) => sample.some(isOpencodeRecord),
  begin: readingAll(importOpencode),
} as const satisfies Importer;

function isOpencodeRecord(value: Fields): boolean {
  if (hasParts(value)) return true;
  return isObject(value["info"]) && Array.isArray(value["messages"]) && value["messages"].some(hasParts);
}

function hasParts(message: unknown): boolean {
  return isObject(message) && isObject(message["info"]) && Array.isArray(message["parts"]);
}

/** Imports every session of the file. */
function importOpencode(
  records: readonly SourceRecord[],
  fileRepairs: RepairLog,
): readonly RecordedSession[] {
  const listIn = ({ messages }: Fields) => (Array.isArray(messages) ? messages : undefined);
  const found = findElements(records, { listIn, isElement: hasParts, what: "message" }, fileRepairs);
  return found.map(({ holder, elements }) => importOne(fieldsOf(holder["info"]), elements, fileRepairs));
}

function importOne(
  info: Fields,
  elements: readonly SourceElement[],
  fileRepairs: RepairLog,
): RecordedSession {
  const repairs = new RepairLog();
  const messages = elements.flatMap(({ value, line }, index) => {
    const message = opencodeMessage(value, line);
    if (message !== undefined) return [message];
    repairs.leftOutElement("messages", "message", { index, line });
    fileRepairs.countValueNotRead(value);
    return [];
  });
  const reader = new OpencodeReader(messages, repairs);
  const reverted = revertedFrom(info, messages);
  messages.forEach((message, index) => {
    reader.read(message, index < reverted ? undefined : "abandoned-branch");
  });
  return {
    sessionId: asString(info["id"]) ?? asString(messages[0]?.info["sessionID"]),
    title: titleOf(info),
    workingCopy: asString(info["directory"]),
    ...(typeof info["parentID"] === "string" ? { isSidechain: true } : {}),
    ...reader.finish(),
    repairs: repairs.list(),
    recordCount: elements.length,
  };
}

/** The title that a session has until a model gives it one. */
const PLACEHOLDER = /^(?:New|Child) session - \d{4}-\d{2}-\d{2}T/;

function titleOf(info: Fields): string | undefined {
  const title = asString(info["title"]);
  return title === undefined || PLACEHOLDER.test(title) ? undefined : title;
}

class OpencodeReader {
  readonly #builder: ConversationBuilder;
  readonly #repairs: RepairLog;
  readonly #summaries: ReadonlyMap<string, OpencodeMessage>;
  readonly #compactions: ReadonlySet<string>;
  readonly #clearings: readonly Clearing[];
  readonly #hostIds = new Set<string>();
  #cleared = 0;
  #system: string | undefined;
  #lastWords = "";
  #isReplayExpected = false;

  constructor(messages: readonly OpencodeMessage[], repairs: RepairLog) {
    this.#repairs = repairs;
    this.#builder = new ConversationBuilder(repairs);
    this.#summaries = summariesByParent(messages);
    this.#compactions = new Set(
      messages.flatMap((message) => (compactionPart(message) === undefined ? [] : [message.id ?? ""])),
    );
    this.#clearings = clearings(messages);
  }

  read(stored: OpencodeMessage, leftOut: LeftOutReason | undefined): void {
    const message = this.#withOwnId(stored);
    this.#addClearings(message.at);
    const { role } = message.info;
    if (isSummary(message)) this.#readSummary(message, leftOut);
    else if (role === "user") this.#readUser(message, leftOut);
    else if (role === "assistant") this.#readAnswer(message, leftOut);
    else
      this.#repairs.add(
        "bad-record",
        `a message of the unknown role ${JSON.stringify(role ?? null)}; left out`,
        message.line,
      );
  }

  finish(): Omit<RecordedSession, "recordCount"> {
    this.#addClearings(Number.POSITIVE_INFINITY);
    return { ...this.#builder.finish(), system: this.#system };
  }

  #withOwnId(message: OpencodeMessage): OpencodeMessage {
    const { id, ...rest } = message;
    if (id === undefined || !this.#hostIds.has(id)) {
      if (id !== undefined) this.#hostIds.add(id);
      return message;
    }
    this.#repairs.add("duplicate-id", `the id ${id} was used before; both are kept`, message.line);
    return rest;
  }

  /** Clearings that happened before `at`. */
  #addClearings(at: number | undefined): void {
    const toolUseIds: string[] = [];
    const first = this.#clearings[this.#cleared];
    for (
      let next = first;
      next !== undefined && next.at <= (at ?? -1);
      next = this.#clearings[this.#cleared]
    ) {
      toolUseIds.push(next.toolUseId);
      this.#cleared++;
    }
    if (toolUseIds.length > 0 && first !== undefined)
      this.#builder.addItem({ type: "microcompact", trigger: "auto", toolUseIds, at: first.at });
  }

  #readSummary(message: OpencodeMessage, leftOut: LeftOutReason | undefined): void {
    const isAnswer = this.#compactions.has(asString(message.info["parentID"]) ?? "");
    if (message.info["error"] !== undefined) {
      const content = [errorBlock(message)];
      this.#builder.addMessage({ ...parsedMessage(message, ASSISTANT), content }, "api-error");
    } else if (isAnswer || leftOut !== undefined) this.#builder.skip("summary");
    else this.#builder.addItem(opencodeBoundary(message, { message }));
  }

  #readUser(message: OpencodeMessage, leftOut: LeftOutReason | undefined): void {
    const part = compactionPart(message);
    const summary = part === undefined ? undefined : this.#summaries.get(message.id ?? "");
    if (summary !== undefined && leftOut === undefined)
      this.#builder.addItem(opencodeBoundary(summary, { part, message }));
    else if (part !== undefined) this.#builder.skip("compaction");
    const isReplay = this.#isReplay(message, part);
    const own: ContentBlock[] = [];
    const putIn: ContentBlock[] = [];
    for (const one of message.parts) {
      const isPutIn = isReplay || one["synthetic"] === true || one["type"] === "subtask";
      addAll(isPutIn ? putIn : own, this.#userBlocks(one, message.line));
    }
    if (own.length > 0 || (putIn.length === 0 && part === undefined))
      this.#builder.addMessage({ ...parsedMessage(message, USER), content: own }, leftOut);
    if (putIn.length === 0) return;
    const { id: _, ...unnamed } = message;
    const parsed = parsedMessage(own.length > 0 ? unnamed : message, HOST);
    this.#builder.addMessage({ ...parsed, content: putIn, isAttachment: true }, leftOut);
  }

  /** After a compaction for want of room, opencode writes the last message of the user once more. */
  #isReplay(message: OpencodeMessage, compaction: Part | undefined): boolean {
    if (compaction !== undefined) {
      this.#isReplayExpected = compaction["overflow"] === true;
      return false;
    }
    const words = wordsOf(message);
    const isReplay = this.#isReplayExpected && words === this.#lastWords;
    this.#isReplayExpected = false;
    this.#lastWords = words;
    return isReplay;
  }

  #userBlocks(part: Part, line: number | undefined): readonly ContentBlock[] {
    const onDamage = this.#repairs.blockDamage(line);
    switch (part["type"]) {
      case "text":
        if (part["ignored"] === true) this.#builder.skip("ignored text");
        else if (part["text"] !== "")
          return [
            wellFormedBlock({ type: "text", text: part["text"] }, { role: "user", onDamage, original: part }),
          ];
        return [];
      case "file":
        // What a text file or a folder holds was put beside it as text.
        if (part["mime"] === "text/plain" || part["mime"] === "application/x-directory") return [];
        return [wellFormedBlock(fileBlock(part), { role: "user", onDamage, original: part })];
      case "subtask":
        return [{ type: "text", text: "The following tool was executed by the user" }];
      case "compaction":
      case "agent":
      case "snapshot":
      case "patch":
        return [];
      default:
        this.#unknown(part, line);
        return [];
    }
  }

  #readAnswer(message: OpencodeMessage, leftOut: LeftOutReason | undefined): void {
    const { info, line } = message;
    const steps = opencodeSteps(message.parts, {
      onDamage: this.#repairs.blockDamage(line),
      onUnknown: (part) => this.#unknown(part, line),
    });
    const reason = leftOut ?? whyNotSent(message);
    const isCutOff = isObject(info["error"]);
    const { id: _, ...unnamed } = message;
    // In a message without an error, nothing said is a damage that the builder tells.
    const silence: OpencodeStep = { content: isCutOff ? [errorBlock(message)] : [], results: [] };
    const shownSteps = steps.length > 0 ? steps : [silence];
    shownSteps.forEach((step, index) => {
      const { message: base, ...rest } = parsedMessage(index === 0 ? message : unnamed, ASSISTANT);
      const isLast = index === shownSteps.length - 1;
      const model = asString(info["modelID"]);
      const isInterrupted = isCutOff && isLast;
      this.#builder.addMessage(
        {
          ...rest,
          message: { ...base, model, ...(isInterrupted ? { interrupted: true } : {}) },
          content: step.content,
          // A turn of one step may be billed on the message alone.
          usage: step.usage ?? (shownSteps.length === 1 ? opencodeUsage(info["tokens"]) : undefined),
          stopReason: step.stopReason ?? (isLast ? asString(info["finish"]) : undefined),
        },
        reason,
      );
      const { results, answeredAt } = step;
      if (results.length === 0) return;
      const parsed = parsedMessage({ ...unnamed, at: answeredAt ?? message.at }, TOOL);
      this.#builder.addMessage({ ...parsed, content: results }, reason);
    });
    const system = listOf(info["system"]).filter((text) => typeof text === "string");
    if (Array.isArray(info["system"])) this.#system = system.join("\n");
  }

  #unknown(part: Part, line: number | undefined): void {
    const type = JSON.stringify(part["type"] ?? null);
    this.#repairs.add("unknown-record", `a part of the unknown type ${type}; ignored`, line);
  }
}
