/**
 * The file format of a folder's index, `<root>/.index.jsonl`: a cache of the session list that can be rebuilt from the
 * logs.
 *
 * FORMAT. The first line is a head, `{"crc":…,"index":3,"bytes":…,"body":…,"ids":…}`. `bytes` bytes of rows follow,
 * sorted by latest activity; `body` is their checksum, `ids` the sum of their {@link idHash}. A row is `[id,
 * lastActivityAt, bytes, modifiedAt, title?]`. After them come loose lines in the order of events, each with a
 * checksum: a writer opened a session (`open`) or closed it (`close`, with its row), a list found a session as its
 * row says (`row`) or missing (`gone`). A session with a writer that never closed it is read again for each list.
 *
 * Any damage makes the whole index void: then every session is read, and the index is rebuilt.
 */
import { crc32 } from "node:zlib";
import { asNumber, asString, isObject, parseJson } from "../../../base/json/json.ts";
import { isSessionId } from "../../shared/session-paths.ts";
import { type IndexRow, parseRow, rowFields } from "./index-rows.ts";

const FORMAT_VERSION = 3;
const NEWLINE = 0x0a;
const CRC_PATTERN = /^\{"crc":"([0-9a-f]{8})",/;
const CRC_HEAD_BYTES = '{"crc":"00000000",'.length;
const HEAD_LIMIT_BYTES = 256;
/** The id of a possible writer about which nothing is known. */
export const UNKNOWN_WRITER = "?";

/** A loose line. */
export type IndexNote =
  | { readonly on: "open"; readonly sessionId: string; readonly by: string; readonly isNew: boolean }
  | { readonly on: "close"; readonly by: string; readonly row: IndexRow }
  | { readonly on: "row"; readonly row: IndexRow; readonly isNew: boolean; readonly by?: string }
  | { readonly on: "gone"; readonly sessionId: string };

/** A parsed index: the sorted rows, still as bytes, and the loose lines. */
export interface IndexLines {
  readonly body: Buffer;
  /** The sum of {@link idHash} of the rows. */
  readonly ids: number;
  readonly notes: readonly IndexNote[];
}

/** Formats an index of sorted rows. */
export function formatIndex(rows: readonly IndexRow[], notes: readonly IndexNote[] = []): Buffer {
  const body = Buffer.from(rows.map((row) => `${JSON.stringify(rowFields(row))}\n`).join(""), "utf8");
  const ids = rows.reduce((sum, { sessionId }) => sum + idHash(sessionId), 0);
  const head = framed({ index: FORMAT_VERSION, bytes: body.length, body: checksum(body), ids });
  return Buffer.concat([Buffer.from(head, "utf8"), body, formatIndexNotes(notes)]);
}

/** Formats loose lines. */
export function formatIndexNotes(notes: readonly IndexNote[]): Buffer {
  return Buffer.from(notes.map((note) => framed(noteFields(note))).join(""), "utf8");
}

/** Parses an index. Returns `undefined` if anything is damaged, or the format has another version. */
export function parseSessionIndex(bytes: Buffer): IndexLines | undefined {
  const { head, headEnd } = parseHead(bytes);
  const length = asNumber(head?.["bytes"]);
  if (head === undefined || length === undefined || head["index"] !== FORMAT_VERSION) return undefined;

  const bodyEnd = headEnd + 1 + length;
  if (!Number.isSafeInteger(length) || length < 0 || bodyEnd > bytes.length) return undefined;
  const body = bytes.subarray(headEnd + 1, bodyEnd);
  const notes = checksum(body) === head["body"] ? parseNotes(bytes.subarray(bodyEnd)) : undefined;
  return notes === undefined ? undefined : { body, ids: asNumber(head["ids"]) ?? 0, notes };
}

/** True for an index of another format version: it is not damaged, and the next list rebuilds it. */
export function isIndexOfOtherVersion(bytes: Buffer): boolean {
  const version = asNumber(parseHead(bytes).head?.["index"]);
  return version !== undefined && version !== FORMAT_VERSION;
}

function parseHead(bytes: Buffer) {
  const headEnd = bytes.subarray(0, HEAD_LIMIT_BYTES).indexOf(NEWLINE);
  return { headEnd, head: headEnd === -1 ? undefined : parseFramed(bytes.subarray(0, headEnd)) };
}

function parseNotes(bytes: Buffer): readonly IndexNote[] | undefined {
  const notes: IndexNote[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, start);
    const fields = end === -1 ? undefined : parseFramed(bytes.subarray(start, end));
    if (fields === undefined) return undefined;
    start = end + 1;
    const note = parseNote(fields);
    if (note === undefined) return undefined;
    notes.push(note);
  }
  return notes;
}

/** A number of an id. The sum over a set of ids identifies the set: two sets share a sum only by chance. */
export function idHash(id: string): number {
  const crc = crc32(id);
  // The bits are mixed, because checksums of similar ids would cancel out in a sum.
  return Math.imul(crc ^ (crc >>> 15), 0x2c1b3c6d) >>> 0;
}

function noteFields(note: IndexNote): Record<string, unknown> {
  if (note.on === "open")
    return { on: "open", id: note.sessionId, by: note.by, ...(note.isNew ? { new: true } : {}) };
  if (note.on === "gone") return { on: "gone", id: note.sessionId };
  const isNew = note.on === "row" && note.isNew;
  const { on, by, row } = note;
  return { on, ...(by === undefined ? {} : { by }), row: rowFields(row), ...(isNew ? { new: true } : {}) };
}

function parseNote(fields: Readonly<Record<string, unknown>>): IndexNote | undefined {
  const { on, id } = fields;
  const by = asString(fields["by"]);
  const isNew = fields["new"] === true;
  if (on === "gone") return isSessionId(id) ? { on, sessionId: id } : undefined;
  if (on === "open")
    return isSessionId(id) && by !== undefined ? { on, sessionId: id, by, isNew } : undefined;
  const row = parseRow(fields["row"]);
  if (row === undefined) return undefined;
  if (on === "close") return by === undefined ? undefined : { on, by, row };
  return on === "row" ? { on, row, isNew, ...(by === undefined ? {} : { by }) } : undefined;
}

function framed(fields: object): string {
  const rest = JSON.stringify(fields).slice(1);
  return `{"crc":"${checksum(Buffer.from(rest, "utf8"))}",${rest}\n`;
}

function parseFramed(line: Buffer): Readonly<Record<string, unknown>> | undefined {
  const crc = CRC_PATTERN.exec(line.toString("latin1", 0, CRC_HEAD_BYTES))?.[1];
  if (crc === undefined || crc !== checksum(line.subarray(CRC_HEAD_BYTES))) return undefined;
  const parsed = parseJson(line.toString("utf8"));
  return parsed.ok && isObject(parsed.value) ? parsed.value : undefined;
}

function checksum(bytes: Uint8Array): string {
  return crc32(bytes).toString(16).padStart(8, "0");
}
