/**
 * The key under which a log says how far its session's notes tell: metadata of the library's own, said again
 * by checkpoints.
 */
import type { JsonObject } from "../base/json.ts";
import type { Entry } from "../transcript/entries.ts";
import { RESERVED_KEY_PREFIX } from "../transcript/metadata.ts";

export const NOTES_MARK = `${RESERVED_KEY_PREFIX}notes`;

/** What is carried on from an entry to the next checkpoint, with what the entry says of the notes. */
export function carryNotes(carried: JsonObject, entry: Entry): JsonObject {
  return entry.type === "metadata" && entry.key === NOTES_MARK
    ? { ...carried, [NOTES_MARK]: entry.value }
    : carried;
}
