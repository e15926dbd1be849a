/**
 * A session's metadata: what it is now, what a host may set, and what is written again.
 *
 * Lists read the two ends of a log, so all of it is written again behind each checkpoint, and stays small
 * enough to lie in the bytes that they read.
 */
import { SESSION_LIST_DEFAULTS } from "../../base/defaults/session-list.ts";
import { OptionError } from "../../base/errors.ts";
import { type JsonObject, type JsonValue, parseJson } from "../../base/json/json.ts";
import { shorten, utf8Bytes } from "../../base/text/text.ts";
import {
  type Entry,
  isNoteKey,
  isReservedKey,
  type MetadataEntry,
  MetadataFold,
  RESERVED_KEY_PREFIX,
} from "../../transcript/entries.ts";

const { metadataLimitBytes, metadataEntryBytes } = SESSION_LIST_DEFAULTS;
const KEY_SHOWN_CHARS = 60;

type NewMetadata = Pick<MetadataEntry, "type" | "key" | "value">;

export class SessionMetadata {
  readonly #fold: MetadataFold;

  constructor(fold: MetadataFold = new MetadataFold()) {
    this.#fold = fold;
  }

  get values(): JsonObject {
    return this.#fold.values;
  }

  apply(entry: Entry): void {
    this.#fold.apply(entry);
  }

  /** @throws `OptionError` where a host may not set that. */
  check(key: string, value: JsonValue): void {
    checkMetadata({ ...this.values, [key]: value }, [key]);
  }

  /** The metadata to write again: as much as lists read. A log from another writer may hold more. */
  newEntries(): readonly NewMetadata[] {
    let leftBytes: number = metadataLimitBytes;
    return Object.entries(this.values).flatMap(([key, value]) => {
      if (value === undefined) return [];
      const bytes = entryBytes(key, value);
      if (bytes > leftBytes) return [];
      leftBytes -= bytes;
      return [{ type: "metadata", key, value } as const];
    });
  }
}

/** Copies the value, so that later changes by the host have no effect. @throws `OptionError` if it is not JSON. */
export function receiveValue(key: string, value: JsonValue): JsonValue {
  const parsed = parseJson(tryToWrite(value) ?? "");
  if (parsed.ok) return parsed.value as JsonValue;
  throw new OptionError({
    message: `The value of ${JSON.stringify(shorten(String(key), KEY_SHOWN_CHARS))} cannot be written as JSON.`,
    hint: "Use texts, numbers, true, false, null, and lists and objects of these.",
  });
}

function tryToWrite(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // It contains itself, or something that has no JSON.
    return undefined;
  }
}

/** @throws `OptionError` where one of the keys is not the host's, or all that there would be is too much. */
export function checkMetadata(metadata: JsonObject, keys: readonly string[] = Object.keys(metadata)): void {
  for (const key of keys) checkKey(key);
  // Notes are not carried on, and may be of any size.
  if (keys.every(isNoteKey)) return;
  const bytes = Object.entries(metadata)
    .filter(([key]) => !isNoteKey(key))
    .reduce((sum, [key, value]) => sum + (value === undefined ? 0 : entryBytes(key, value)), 0);
  if (bytes <= metadataLimitBytes) return;
  const what = keys.map((key) => JSON.stringify(shorten(key, KEY_SHOWN_CHARS))).join(", ");
  throw new OptionError({
    message: `With ${what} the session's metadata would have ${bytes} bytes; it has ${metadataLimitBytes} at the most, ${metadataEntryBytes} for each key among them.`,
    hint: "Keep titles, tags and short facts in the metadata, and anything longer in a file of your own.",
  });
}

function checkKey(key: unknown): void {
  if (typeof key !== "string" || key === "") {
    throw new OptionError({
      message: `${typeof key === "string" ? "An empty text" : `A ${typeof key}`} cannot be a key of metadata.`,
      hint: "Use a word, such as `title`.",
    });
  }
  if (!isReservedKey(key)) return;
  throw new OptionError({
    message: `The key ${JSON.stringify(shorten(key, KEY_SHOWN_CHARS))} is reserved: keys that begin with \`${RESERVED_KEY_PREFIX}\` are the library's own.`,
    hint: "Use another key.",
  });
}

function entryBytes(key: string, value: JsonValue): number {
  return metadataEntryBytes + utf8Bytes(JSON.stringify(key)) + utf8Bytes(JSON.stringify(value) ?? "");
}
