/**
 * The lines of a gemini-cli session folded into the list of its messages.
 *
 * DESIGN. The file is a log: a header, messages, and patches. A message is written again whenever
 * it grows, and the last writing counts, at the place of the first. `$set` changes fields of the
 * session; where it sets `messages`, the tool replaced its own context. `$rewindTo` takes back a
 * message and all after it. Older versions wrote one document with the list of messages in it.
 *
 * A replaced context is not the conversation: what the tool dropped stays here, and the place of
 * the replacement becomes a boundary.
 */

import { asString, isObject } from "../../base/json/json.ts";
import { addAll } from "../../base/lists.ts";
import type { Fields } from "../shared/fields.ts";
import type { ImportedBoundary, ImportedMicrocompact } from "../shared/imported-session.ts";
import type { SourceRecord } from "../shared/read-records.ts";
import type { RepairLog } from "../shared/repair-log.ts";
import { geminiText, isCommand } from "./gemini-message.ts";
import { GeminiMessageSlot } from "./gemini-slot.ts";

/** A message or an edit of the tool's own, in the order of the conversation. @internal */
export type GeminiSlot = GeminiMessageSlot | EditSlot;

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
  readonly #byId = new Map<string, GeminiMessageSlot>();
  /** The items that were not withdrawn, in order. */
  readonly #live: GeminiSlot[] = [];
  /** Contents of the tool's own context. */
  #context: GeminiMessageSlot[] = [];

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
      this.#repairs.leftOutElement("messages", "message", { index, line });
      this.#repairs.countValueNotRead(message);
      return [];
    });
    if (this.#byId.size === 0) for (const message of list) this.#write(message, line);
    else this.#replace(list, line);
  }

  #write(raw: Fields, line: number | undefined): GeminiMessageSlot {
    const id = asString(raw["id"]);
    const known = id === undefined ? undefined : this.#byId.get(id);
    if (known !== undefined) {
      known.rewrite(raw);
      return known;
    }
    const slot = new GeminiMessageSlot({ raw, line, order: this.slots.length });
    if (id !== undefined) this.#byId.set(id, slot);
    this.#push(slot);
    this.#context.push(slot);
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
    const kept = new Set<GeminiMessageSlot>();
    const added: Fields[] = [];
    const shortened: string[] = [];
    for (const message of list) {
      const slot = this.#byId.get(asString(message["id"]) ?? "");
      if (slot === undefined) added.push(message);
      else {
        kept.add(slot);
        addAll(shortened, slot.takeOver(message));
      }
    }
    const isDropped = this.#context.some(
      (slot) => slot.isLive && slot.putIn === "no" && !kept.has(slot) && isSent(slot.raw),
    );
    this.#context = [...kept];
    const extra = added.map((message) => this.#write(message, line));
    if (summary !== undefined && isDropped) extra.push(summary);
    for (const slot of extra) slot.putIn = isDropped ? "instead" : "beside";
    if (isDropped) this.#boundary({ kept, extra, line });
    if (shortened.length > 0)
      this.#push({
        type: "edit",
        isLive: true,
        item: { type: "microcompact", trigger: "unknown", toolUseIds: shortened, line },
      });
  }

  /** A summary may have been written as a message first: it moved to the front of the new context. */
  #summarySlot(list: readonly Fields[]): GeminiMessageSlot | undefined {
    const [first, second] = list.slice(0, 2).map((message) => this.#byId.get(asString(message["id"]) ?? ""));
    if (first === undefined || first.raw["type"] !== "user" || first.putIn !== "no") return undefined;
    const isMoved = second !== undefined && first.order > second.order;
    return isMoved || geminiText(first.raw).includes("<state_snapshot>") ? first : undefined;
  }

  #boundary({
    kept,
    extra,
    line,
  }: {
    readonly kept: ReadonlySet<GeminiMessageSlot>;
    readonly extra: readonly GeminiMessageSlot[];
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
        line,
      },
    });
  }
}

/** True if a record is part of what the model gets. */
function isSent(raw: Fields): boolean {
  return raw["type"] === "gemini" || (raw["type"] === "user" && !isCommand(raw));
}
