/**
 * The lines of a gemini-cli session folded into the list of its messages.
 *
 * DESIGN. The file is a log: a header, messages, and patches. A message is written again whenever
 * it grows, and the last writing counts, at the place of the first. `$set` changes fields of the
 * session; where it sets `messages`, the tool replaced its own context. `$rewindTo` takes back a
 * message and all after it. Before version 0.30 or so a session was one document with the list in it.
 *
 * A replaced context is not the conversation: what the tool dropped stays here, and the place of
 * the replacement becomes a boundary. Results that the tool shortened keep their first writing.
 */
import { asString, isObject } from "../../base/json.ts";
import type { ImportedBoundary, ImportedMicrocompact } from "../imported-session.ts";
import { present } from "../present.ts";
import type { SourceRecord } from "../read-records.ts";
import type { RepairLog } from "../repair-log.ts";
import { geminiText } from "./gemini-message.ts";
import { geminiParts, toolResultOf } from "./gemini-part.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A message or an edit of the tool's own, in the order of the conversation. @internal */
export type GeminiSlot = MessageSlot | EditSlot;

interface MessageSlot {
  readonly type: "message";
  raw: Fields;
  readonly line: number | undefined;
  /** Not taken back later. */
  isLive: boolean;
  /** Put in by the tool: beside the conversation, or in the place of what it dropped. */
  putIn: "no" | "beside" | "instead";
  /** Its place among all slots. */
  readonly order: number;
}

interface EditSlot {
  readonly type: "edit";
  readonly item: ImportedBoundary | ImportedMicrocompact;
  isLive: boolean;
}

/** Fields of the session that are read. */
const FIELDS = ["sessionId", "summary", "kind"] as const;

/** @internal */
export class GeminiLog {
  readonly slots: GeminiSlot[] = [];
  /** Fields of the session, the last value of each. */
  readonly fields = new Map<(typeof FIELDS)[number], unknown>();
  readonly #repairs: RepairLog;
  readonly #byId = new Map<string, MessageSlot>();
  /** What was not taken back, in order. */
  #live: GeminiSlot[] = [];

  constructor(repairs: RepairLog) {
    this.#repairs = repairs;
  }

  add({ value, line }: SourceRecord): void {
    const { $set: patch, $rewindTo: target, messages } = value;
    if (isObject(patch)) this.#set(patch, line);
    else if (typeof target === "string") this.#rewind(target);
    else if (Array.isArray(messages)) this.#set(value, line);
    else if (typeof value["id"] === "string" || typeof value["type"] === "string") this.#write(value, line);
    else if (typeof value["sessionId"] === "string") this.#set(value, line);
    else this.#repairs.add("unknown-record", "a record that is neither a message nor a patch; ignored", line);
  }

  #set(patch: Fields, line: number | undefined): void {
    for (const field of FIELDS) if (patch[field] !== undefined) this.fields.set(field, patch[field]);
    const { messages } = patch;
    if (!Array.isArray(messages)) return;
    const list = messages.flatMap((message: unknown, index): readonly Fields[] => {
      if (isObject(message)) return [message];
      this.#repairs.add("bad-record", `element ${index} of the messages is no message; left out`, line);
      this.#repairs.countNotRead(JSON.stringify(message)?.length ?? 0);
      return [];
    });
    if (this.#byId.size === 0) for (const message of list) this.#write(message, line);
    else this.#replace(list, line);
  }

  #write(raw: Fields, line: number | undefined): MessageSlot {
    const id = asString(raw["id"]);
    const known = id === undefined ? undefined : this.#byId.get(id);
    if (known !== undefined) {
      known.raw = raw;
      return known;
    }
    const order = this.slots.length;
    const slot: MessageSlot = { type: "message", raw, line, isLive: true, putIn: "no", order };
    if (id !== undefined) this.#byId.set(id, slot);
    this.#push(slot);
    return slot;
  }

  #push(slot: GeminiSlot): void {
    this.slots.push(slot);
    this.#live.push(slot);
  }

  /** As the tool does it: an id that is not known takes everything back. */
  #rewind(target: string): void {
    const slot = this.#byId.get(target);
    const from = slot === undefined ? 0 : this.#live.lastIndexOf(slot);
    for (const taken of this.#live.splice(Math.max(0, from))) {
      taken.isLive = false;
      if (taken.type === "message") this.#byId.delete(asString(taken.raw["id"]) ?? "");
    }
  }

  #replace(list: readonly Fields[], line: number | undefined): void {
    const summary = this.#summarySlot(list);
    const kept = new Set<MessageSlot>();
    const added: MessageSlot[] = [];
    const shortened: string[] = [];
    const isDropped = this.#drops(list);
    for (const message of list) {
      const slot = this.#byId.get(asString(message["id"]) ?? "");
      if (slot === undefined) added.push(this.#write(message, line));
      else if (!kept.has(slot)) {
        kept.add(slot);
        shortened.push(...takeOver(slot, message));
      }
    }
    const extra = summary === undefined || !isDropped ? added : [...added, summary];
    for (const slot of extra) slot.putIn = isDropped ? "instead" : "beside";
    if (isDropped) this.#boundary({ kept, extra, line });
    if (shortened.length > 0)
      this.#push({
        type: "edit",
        isLive: true,
        item: { type: "microcompact", trigger: "unknown", toolUseIds: shortened, ...present({ line }) },
      });
  }

  /** Whether something that was said is missing in the new context. */
  #drops(list: readonly Fields[]): boolean {
    const ids = new Set(list.map((message) => message["id"]));
    return this.#live.some(
      (slot) =>
        slot.type === "message" && slot.putIn === "no" && isSent(slot.raw) && !ids.has(slot.raw["id"]),
    );
  }

  /** A summary may have been written as a message first: it moved to the front of the new context. */
  #summarySlot(list: readonly Fields[]): MessageSlot | undefined {
    const [first, second] = list.map((message) => this.#byId.get(asString(message["id"]) ?? ""));
    if (first === undefined || first.raw["type"] !== "user" || first.putIn !== "no") return undefined;
    const isMoved = second !== undefined && first.order > second.order;
    return isMoved || geminiText(first.raw).includes("<state_snapshot>") ? first : undefined;
  }

  #boundary({
    kept,
    extra,
    line,
  }: {
    readonly kept: ReadonlySet<MessageSlot>;
    readonly extra: readonly MessageSlot[];
    readonly line: number | undefined;
  }): void {
    const summary = extra
      .filter(({ raw }) => raw["type"] === "user")
      .map(({ raw }) => geminiText(raw))
      .filter((text) => text !== "")
      .join("\n");
    const preserved = [...kept]
      .filter(({ putIn }) => putIn !== "instead")
      .map(({ raw }) => String(raw["id"]));
    this.#push({
      type: "edit",
      isLive: true,
      item: {
        type: "boundary",
        trigger: "unknown",
        ...(summary === "" ? {} : { summary }),
        ...(preserved.length === 0 ? {} : { preserved }),
        ...present({ line }),
      },
    });
  }
}

/** Whether a record is part of what the model gets. */
function isSent(raw: Fields): boolean {
  return raw["type"] === "gemini" || (raw["type"] === "user" && !/^\s*[/?]/.test(geminiText(raw)));
}

/**
 * Takes over what is new in a message of a replaced context, and keeps what the tool shortened in
 * it as it was first written. Returns the ids of the calls whose answers were shortened.
 */
function takeOver(slot: MessageSlot, after: Fields): readonly string[] {
  const before = answersOf(slot.raw);
  const shortened = new Set(
    [...answersOf(after)].flatMap(([id, answer]) => {
      const first = before.get(id);
      return first !== undefined && first !== answer ? [id] : [];
    }),
  );
  const first = new Map(callsOf(slot.raw).map((call) => [call["id"], call]));
  const toolCalls = callsOf(after).map((call) =>
    shortened.has(String(call["id"])) ? (first.get(call["id"]) ?? call) : call,
  );
  const hasCalls = Array.isArray(after["toolCalls"]);
  slot.raw = { ...after, content: slot.raw["content"], ...(hasCalls ? { toolCalls } : {}) };
  return [...shortened];
}

function callsOf({ toolCalls }: Fields): readonly Fields[] {
  return Array.isArray(toolCalls) ? toolCalls.filter(isObject) : [];
}

function answersOf(message: Fields): ReadonlyMap<string, string> {
  return new Map(
    callsOf(message).flatMap(({ id, result }): readonly [string, string][] =>
      typeof id === "string" && geminiParts(result).length > 0
        ? [[id, JSON.stringify(toolResultOf(id, result)["content"] ?? null)]]
        : [],
    ),
  );
}
