/**
 * One entry as one line of JSON, and back.
 *
 * The fields that every entry has come first and in one order, so that a reader can tell what a line
 * is from its first bytes. Reading trusts nothing: a line of an unknown type, or of a later version,
 * becomes an {@link UnknownEntry} that is carried along without effect; anything else that does not
 * have the shape of its type is refused with the reason.
 */
import { assert } from "../base/assert.ts";
import { isObject, type JsonObject, parseJson } from "../base/json/json.ts";
import { cutHead } from "../base/text/text.ts";
import { ENTRY_VERSION, type Entry } from "./entries.ts";
import {
  findBaseMisfit,
  findEntryMisfit,
  isForeignEdit,
  isKnownEntryType,
  repairBlocks,
} from "./entry-shape.ts";
import { completeEntry, shortenEntry } from "./short-entry.ts";

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

/** What {@link parseEntry} found: an entry, or why there is none. */
type ParsedEntry =
  | { readonly ok: true; readonly entry: Entry }
  | { readonly ok: false; readonly reason: "not-json" | "not-an-entry"; readonly detail: string };

/** Whether the entry is carried along without being understood. */
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

/** What is not understood is written as it was, with the fields that every entry has in front. */
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

/** Whether a later version wrote it, or something this version has no word for. */
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
