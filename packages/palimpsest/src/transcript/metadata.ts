/**
 * Metadata: facts about a session (title, tags …) that are no part of the conversation. The last value
 * of a key counts. Keys of our own begin with a prefix that hosts cannot use. What is said of one entry, and
 * what a recording held beside its messages, has the form of metadata but is none of the session.
 */
import { isObject, type JsonObject, type JsonValue } from "../base/json/json.ts";
import type { CheckpointEntry, Entry } from "./entries.ts";

/** Keys that begin so are the library's: they are no part of what a host sees. */
export const RESERVED_KEY_PREFIX = "palimpsest.";

/** Whether hosts may not use the key. */
export function isReservedKey(key: string): boolean {
  return key.startsWith(RESERVED_KEY_PREFIX);
}

const NOTE_KEY = /^(?:recorded[.-]|memory\.(?:entry|summary)\.)/;

/**
 * Whether the key is that of a note: about one entry, or something recorded elsewhere. There may be as many
 * as there are messages, so notes stay where they stand and are not carried on.
 */
export function isNoteKey(key: string): boolean {
  return NOTE_KEY.test(key);
}

/** The last value of each key of the entries it was given, in the order in which they first came. */
export class MetadataFold {
  readonly #values = new Map<string, JsonValue>();

  /** The keys that are the host's. */
  get values(): JsonObject {
    return Object.fromEntries(this.#values);
  }

  /** Takes in the next entry of the log; a checkpoint says again what came before it. */
  apply(entry: Entry): void {
    if (entry.type === "metadata") this.set(entry.key, entry.value);
    else if (entry.type === "checkpoint") this.restore(entry);
  }

  set(key: string, value: JsonValue): void {
    if (!isReservedKey(key) && !isNoteKey(key)) this.#values.set(key, value);
  }

  /** What a checkpoint carried; one of an earlier version carried nothing, and changes nothing. */
  restore({ carried }: Pick<CheckpointEntry, "carried">): void {
    const metadata: unknown = carried?.["metadata"];
    if (!isObject(metadata)) return;
    for (const [key, value] of Object.entries(metadata)) this.set(key, value as JsonValue);
  }
}
