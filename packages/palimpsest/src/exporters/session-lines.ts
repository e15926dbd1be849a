/**
 * Writes and reads the lines of a complete session export (JSONL): one entry of the log a line, and the texts stored
 * beside the log (blobs), each before the first entry that refers to it.
 *
 *     {"type":"palimpsest-session","version":1,"sessionId":"…"}
 *     {"type":"header","seq":1,…}                     an entry, as docs/reference/entries.md has it
 *     {"type":"blob","hash":"…","text":"…"}           a text beside the log
 *     {"type":"end","entries":214,"blobs":3}
 *
 * A file without the last line was cut off, and readers report that. Numbers may be missing if the log itself was damaged.
 */
import { asNumber, asString, isObject, parseJson } from "../base/json/json.ts";
import type { BlobRef } from "../transcript/blocks.ts";
import type { Entry } from "../transcript/entries.ts";
import { parseEntry } from "../transcript/entry-line.ts";

/** Version of the export format; entries have their own version. */
const EXPORT_VERSION = 1;
const OPENING = "palimpsest-session";

/** One line of an export, parsed. */
export type SessionLine =
  | { readonly type: "opening"; readonly sessionId: string; readonly isRedacted: boolean }
  | { readonly type: "entry"; readonly entry: Entry }
  | { readonly type: "blob"; readonly hash: string; readonly text: string }
  | { readonly type: "end"; readonly entries: number; readonly blobs: number }
  /** Something else, and why. */
  | { readonly type: "unreadable"; readonly reason: string };

/** Returns the first line, without a line break. */
export function formatOpeningLine(session: {
  readonly sessionId: string;
  readonly isRedacted: boolean;
}): string {
  const { sessionId, isRedacted } = session;
  return JSON.stringify({
    type: OPENING,
    version: EXPORT_VERSION,
    sessionId,
    ...(isRedacted ? { isRedacted } : {}),
  });
}

export function formatBlobLine(hash: string, text: string): string {
  return JSON.stringify({ type: "blob", hash, text });
}

export function formatEndLine(counts: { readonly entries: number; readonly blobs: number }): string {
  return JSON.stringify({ type: "end", entries: counts.entries, blobs: counts.blobs });
}

/** True if a file that begins with this line is such an export. */
export function isSessionExport(firstLine: string): boolean {
  return parseSessionLine(firstLine).type === "opening";
}

/** Reads one line. Never throws, whatever the text is. */
export function parseSessionLine(line: string): SessionLine {
  const parsed = parseJson(line);
  if (!parsed.ok) return { type: "unreadable", reason: "not JSON" };
  const { value } = parsed;
  if (!isObject(value)) return { type: "unreadable", reason: "not an object" };
  if (value["type"] === OPENING) return openingOf(value);
  if (value["type"] === "blob" && value["seq"] === undefined) return blobOf(value);
  if (value["type"] === "end" && value["seq"] === undefined) {
    const entries = asNumber(value["entries"]);
    const blobs = asNumber(value["blobs"]);
    return entries === undefined || blobs === undefined
      ? { type: "unreadable", reason: "a last line without its counts" }
      : { type: "end", entries, blobs };
  }
  const entry = parseEntry(line);
  return entry.ok ? { type: "entry", entry: entry.entry } : { type: "unreadable", reason: entry.detail };
}

function openingOf(value: Readonly<Record<string, unknown>>): SessionLine {
  const sessionId = asString(value["sessionId"]);
  const version = asNumber(value["version"]);
  if (sessionId === undefined || version === undefined)
    return { type: "unreadable", reason: "a first line without session or version" };
  if (version > EXPORT_VERSION) return { type: "unreadable", reason: `a file of version ${version}` };
  return { type: "opening", sessionId, isRedacted: value["isRedacted"] === true };
}

function blobOf({ hash, text }: Readonly<Record<string, unknown>>): SessionLine {
  return typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash) && typeof text === "string"
    ? { type: "blob", hash, text }
    : { type: "unreadable", reason: "a text without a name" };
}

/** Returns all references to blobs in an entry, at any depth. A stack replaces recursion: entries may be nested deeply. */
export function blobsNamedBy(entry: Entry): readonly BlobRef[] {
  const found: BlobRef[] = [];
  const unvisited: unknown[] = [entry];
  // `false` replaces null and undefined, because undefined ends the loop.
  for (let value = unvisited.pop(); value !== undefined; value = unvisited.pop()) {
    if (Array.isArray(value)) for (const one of value) unvisited.push(one ?? false);
    else if (isObject(value)) {
      if (isBlobRef(value)) found.push(value as unknown as BlobRef);
      else for (const one of Object.values(value)) unvisited.push(one ?? false);
    }
  }
  return found;
}

function isBlobRef(value: Readonly<Record<string, unknown>>): boolean {
  const { hash, bytes } = value;
  return typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash) && typeof bytes === "number";
}
