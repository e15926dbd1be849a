/**
 * One entry as one line of JSON, and back.
 *
 * The fields that every entry has come first and in one order, so that a reader can tell what a line
 * is from its first bytes. Reading trusts nothing: a line of an unknown type, or of a later version,
 * becomes an {@link UnknownEntry} that is carried along without effect; anything else that does not
 * have the shape of its type is refused with the reason.
 *
 * DESIGN. An entry is written without what the rest of the same entry says already. Every rule looks at one
 * entry only, so that a damaged, moved or missing neighbour cannot make it read wrong: a number is omitted where
 * it is a fixed distance from the entry's own number, never where another entry has it. Each rule is part of the
 * format and never changes. Entries written in full, as older versions wrote them, are read as they are.
 *
 * Most entries hold one text and nothing else. Everything around that text is known beforehand, so `plainLine`
 * writes them without the tables of shapes and without `JSON.stringify`, in a third of the time. The line is the
 * same to the byte as that of `formatEntry`.
 */
import { assert } from "../base/assert.ts";
import { isObject, type JsonObject, parseJson } from "../base/json/json.ts";
import { cutHead } from "../base/text/text.ts";
import type { Origin, Usage } from "./blocks.ts";
import { ENTRY_VERSION, type Entry, type StoredBlock } from "./entries.ts";
import {
  findBaseMisfit,
  findEntryMisfit,
  isForeignEdit,
  isKnownEntryType,
  isSeq,
  repairBlocks,
} from "./entry-shape.ts";

/**
 * An entry that this version cannot read: written by a later one, or of a type it does not know. It
 * has the sequence number, id and time of an entry, and no effect; `original` is what was written.
 *
 * It travels as an {@link Entry}: code that branches on `type` has no branch for it and passes it by.
 */
export interface UnknownEntry {
  readonly type: "unknown";
  readonly seq: number;
  readonly id: string;
  readonly parentId?: string;
  readonly v: number;
  readonly at: number;
  readonly original: JsonObject;
}

/** Result of {@link parseEntry}: an entry, or why there is none. */
type ParsedEntry =
  | { readonly ok: true; readonly entry: Entry }
  | { readonly ok: false; readonly reason: "not-json" | "not-an-entry"; readonly detail: string };

/** True if the entry is carried along without being understood. */
export function isUnknownEntry(entry: Entry): boolean {
  return (entry as Entry | UnknownEntry).type === "unknown";
}

/**
 * The entry as one line of JSON, without a line break; half a surrogate pair stays an escape.
 * It is the caller's bug if the entry does not have the shape of its type: such a line could be
 * written and acknowledged, and never be read again.
 */
export function formatEntry(entry: Entry): string {
  const unknown = entry as Entry | UnknownEntry;
  if (unknown.type === "unknown") return JSON.stringify(inOrder(unknown.original));

  const misfit = findEntryMisfit(entry as unknown as Record<string, unknown>);
  assert(misfit === undefined, `an entry of type ${entry.type} has a valid ${misfit}`);
  return JSON.stringify(shortenEntry(entry));
}

/** Writes an entry of an unknown type unchanged, with the fields that every entry has in front. */
function inOrder({ type, seq, id, parentId, v, at, ...rest }: JsonObject): object {
  return { type, seq, id, parentId, v, at, ...rest };
}

/** Reads one line. Never throws, whatever the text is. */
export function parseEntry(text: string): ParsedEntry {
  const parsed = parseJson(text);
  if (!parsed.ok) return { ok: false, reason: "not-json", detail: parsed.reason };
  const value = parsed.value;
  if (!isObject(value)) return { ok: false, reason: "not-an-entry", detail: "It is not a JSON object." };
  if (mayBeDeep(text) && isDeeperThan(value, DEEPEST_LEVELS))
    return {
      ok: false,
      reason: "not-an-entry",
      detail: `It is nested deeper than ${DEEPEST_LEVELS} levels.`,
    };

  if (isFromElsewhere(value)) return carryAlong(value);
  completeEntry(value);
  if (findEntryMisfit(value) === undefined) return { ok: true, entry: value as unknown as Entry };

  const repaired = repairBlocks(value);
  const misfit = findEntryMisfit(repaired);
  if (misfit === undefined) return { ok: true, entry: repaired as unknown as Entry };
  return refuse(value, misfit);
}

/**
 * Levels of nesting up to which an entry is believed: above what any writer of ours lets in, below
 * where walks of the window overflow the stack.
 */
const DEEPEST_LEVELS = 1_000;

/** Cheap: most lines have far fewer brackets than it takes. */
function mayBeDeep(text: string): boolean {
  let closers = 0;
  for (const closer of ["}", "]"])
    for (let at = text.indexOf(closer); at !== -1; at = text.indexOf(closer, at + 1))
      if (++closers > DEEPEST_LEVELS) return true;
  return false;
}

function isDeeperThan(root: unknown, levels: number): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true;
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null
        ? Object.values(value).filter((member) => typeof member === "object" && member !== null)
        : [],
    );
  }
  return false;
}

/** True if a later version wrote it, or something this version has no word for. */
function isFromElsewhere(value: Readonly<Record<string, unknown>>): boolean {
  const version = value["v"];
  if (typeof version === "number" && version > ENTRY_VERSION) return true;
  return !isKnownEntryType(value["type"]) || (value["type"] === "edit" && isForeignEdit(value["edit"]));
}

function carryAlong(value: Readonly<Record<string, unknown>>): ParsedEntry {
  const whole = { v: ENTRY_VERSION, ...value };
  const misfit = findBaseMisfit(whole);
  if (misfit !== undefined) return refuse(value, misfit);

  const { seq, id, parentId, v, at } = whole as unknown as UnknownEntry;
  const carried: UnknownEntry = {
    type: "unknown",
    seq,
    id,
    ...(parentId !== undefined && { parentId }),
    v,
    at,
    original: value as JsonObject,
  };
  return { ok: true, entry: carried as unknown as Entry };
}

function refuse(value: Readonly<Record<string, unknown>>, misfit: string): ParsedEntry {
  const type = typeof value["type"] === "string" ? cutHead(value["type"], 40) : "no type";
  return { ok: false, reason: "not-an-entry", detail: `An entry of ${type} has no valid "${misfit}".` };
}

/** The version of an entry that names none. */
const DEFAULT_VERSION = 1;
/** A request's window ends right before its call, unless the entry says otherwise. */
const CALL_BEHIND_WINDOW = 1;
/** An answer is mostly one message, which stands between the call and its result. */
const ANSWER_BEHIND_CALL = 2;

type Fields = Record<string, unknown>;

/** The entry's fields in the order in which they are written, without what {@link completeEntry} fills in again. */
function shortenEntry(entry: Entry): object {
  const { type, seq, id, parentId, v, at, ...rest } = entry;
  const fields: Fields = rest;
  if (entry.type === "message") {
    if (entry.origin === originOf(entry.role, entry.content)) fields["origin"] = undefined;
  } else if (entry.type === "call") {
    if (entry.throughSeq === seq - CALL_BEHIND_WINDOW) fields["throughSeq"] = undefined;
  } else if (entry.type === "answer") {
    if (entry.callSeq === seq - ANSWER_BEHIND_CALL) fields["callSeq"] = undefined;
    if (entry.usage !== undefined) fields["usage"] = shortUsage(entry.usage);
  }
  return { type, seq, id, parentId, v: v === DEFAULT_VERSION ? undefined : v, at, ...fields };
}

/** Fills in the fields that an entry leaves out, in place. Existing fields stay unchanged, whether they fit or not. */
function completeEntry(value: Fields): void {
  const { type, seq } = value;
  if (value["v"] === undefined) value["v"] = DEFAULT_VERSION;
  if (type === "message") {
    if (value["origin"] === undefined) value["origin"] = originOf(value["role"], value["content"]);
  } else if (type === "call" && typeof seq === "number") {
    if (value["throughSeq"] === undefined) value["throughSeq"] = seq - CALL_BEHIND_WINDOW;
  } else if (type === "answer" && typeof seq === "number") {
    if (value["callSeq"] === undefined) value["callSeq"] = seq - ANSWER_BEHIND_CALL;
    if (Array.isArray(value["usage"])) value["usage"] = completeUsage(value["usage"]);
  }
}

/** The author of a message that names none: from its role and its blocks, as they are in the log. */
function originOf(role: unknown, content: unknown): Origin {
  if (role === "assistant") return "assistant";
  if (role === "system") return "host";
  return Array.isArray(content) && content.some(isResult) ? "tool" : "user";
}

function isResult(block: unknown): boolean {
  if (!isObject(block)) return false;
  if (block["type"] !== "blob") return block["type"] === "tool_result";
  return isObject(block["shown"]) && block["shown"]["type"] === "tool_result";
}

const USAGE_FIELDS = ["inputTokens", "cacheReadTokens", "cacheWriteTokens", "outputTokens"] as const;

/** As a list, unless it says more than a list can. */
function shortUsage(usage: Usage): Usage | readonly number[] {
  const isPlain = Object.keys(usage).length === USAGE_FIELDS.length;
  return isPlain ? USAGE_FIELDS.map((field) => usage[field]) : usage;
}

/** A list of another length is left as it is: it does not fit, and is reported. */
function completeUsage(list: readonly unknown[]): unknown {
  if (list.length !== USAGE_FIELDS.length) return list;
  return Object.fromEntries(USAGE_FIELDS.map((field, index) => [field, list[index]]));
}

/** An entry's JSON is `before`, then `text` as JSON writes it, without its quotes, then {@link BEHIND_TEXT}. */
interface PlainEntry {
  readonly before: string;
  readonly text: string;
}

export const BEHIND_TEXT = '"}]}';

const ROLES: ReadonlySet<unknown> = new Set(["user", "assistant", "system"]);
/** Fields of a message beside its `parentId`, which the first entry lacks. The content is last. */
const MESSAGE_FIELDS = ["type", "seq", "id", "v", "at", "role", "origin", "content"];
const TEXT_FIELDS = ["type", "text"];
const RESULT_FIELDS = ["type", "tool_use_id", "content"];
/** By code, of those below 128, whether a character is in an id as it is in JSON. */
const IS_PLAIN = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(/[\w.-]/.test(String.fromCharCode(code))),
);

/** `undefined` where it says anything more, or anything else. */
export function findPlainEntry(entry: Entry): PlainEntry | undefined {
  if (entry.type !== "message") return undefined;
  const { seq, id, parentId, v, at, role, origin, content } = entry;
  const hasParent = parentId !== undefined;
  const fields = Object.keys(entry);
  const fieldCount = MESSAGE_FIELDS.length + (hasParent ? 1 : 0);
  if (fields.length !== fieldCount || fields[fieldCount - 1] !== "content") return undefined;
  if (!isSeq(seq) || !isPlainId(id) || (hasParent && !isPlainId(parentId))) return undefined;
  if (v !== ENTRY_VERSION || !Number.isFinite(at) || !ROLES.has(role)) return undefined;
  if (!Array.isArray(content) || content.length !== 1) return undefined;
  const block = findPlainBlock(content[0]);
  if (block === undefined || origin !== originOf(role, content)) return undefined;
  const parent = hasParent ? `"parentId":"${parentId}",` : "";
  const head = `{"type":"message","seq":${seq},"id":"${id}",${parent}"at":${at},"role":"${role}","content":[`;
  return { before: `${head}${block.before}`, text: block.text };
}

/** A text, or a tool's result that is one. Its fields stay in the order in which they came. */
function findPlainBlock(block: StoredBlock): PlainEntry | undefined {
  if (block?.type === "text") {
    const isPlain = hasFields(block, TEXT_FIELDS) && typeof block.text === "string";
    return isPlain ? { before: '{"type":"text","text":"', text: block.text } : undefined;
  }
  if (block?.type !== "tool_result" || !hasFields(block, RESULT_FIELDS)) return undefined;
  const { tool_use_id: id, content: text } = block;
  if (!isPlainId(id) || typeof text !== "string") return undefined;
  return { before: `{"type":"tool_result","tool_use_id":"${id}","content":"`, text };
}

function hasFields(block: StoredBlock, fields: readonly string[]): boolean {
  const own = Object.keys(block);
  return own.length === fields.length && own.every((field, index) => field === fields[index]);
}

/** Letter by letter: half of what a pattern takes of a text that is new each time. */
function isPlainId(id: unknown): boolean {
  if (typeof id !== "string") return false;
  for (let index = 0; index < id.length; index++) if (IS_PLAIN[id.charCodeAt(index)] !== 1) return false;
  return id.length > 0;
}
