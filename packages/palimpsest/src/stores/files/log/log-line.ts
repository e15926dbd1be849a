/**
 * A line of a log file: an entry's JSON with a checksum in front.
 *
 * DESIGN. A line is `{"crc":"0a1b2c3d",` and then the entry's JSON without its first brace, so that
 * it is still one JSON object to every other tool. The checksum is the CRC-32, in small hex digits, of
 * the bytes after that comma. Entries that were appended together also carry their place in the batch,
 * `"batch":"2/3",` right after the checksum: a batch whose last lines never arrived does not count.
 *
 * Long entries that no search reads are packed (`packed-entry.ts`); their lines are JSON all the same.
 *
 * A failed write may leave half a line that cannot be removed. {@link VOID_MARK} makes it void before the next line
 * begins, so that it never looks whole when something follows it.
 */
import { crc32 } from "node:zlib";
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import type { LogDamage } from "../../../ports/session-store.ts";
import { ENTRY_VERSION, type Entry } from "../../../transcript/entries.ts";
import { formatEntry, parseEntry } from "../../../transcript/entry-line.ts";
import type { BatchMark } from "../../shared/log-pieces.ts";
import { storeFailure } from "../../shared/store-failure.ts";
import { packEntry, unpackEntry } from "./packed-entry.ts";
import { formatPlainEntry } from "./plain-line.ts";

/** Most entries of one append, so that a damaged batch mark cannot hold a reader up. Source: our choice. */
const BATCH_LIMIT_ENTRIES = 1_000_000;

export const NEWLINE = 0x0a;
/** Ends a line that was never acknowledged. */
export const VOID_MARK = "#torn";

const HEAD = '{"crc":"';
const HEAD_BYTES = Buffer.from(HEAD, "latin1");
const [BRACE_OPEN, BRACE_CLOSE] = [0x7b, 0x7d];
const CRC_DIGITS = 8;
const HEAD_END = '",';
/** Offset of the part that the checksum covers. */
const BODY_START = HEAD.length + CRC_DIGITS + HEAD_END.length;
const EMPTY_HEAD = Buffer.from(`${HEAD}${"0".repeat(CRC_DIGITS)}${HEAD_END}`, "latin1");
const HEX_DIGITS = Buffer.from("0123456789abcdef", "latin1");
const BATCH_PATTERN = /^"batch":"([1-9]\d{0,6})\/([1-9]\d{0,6})",/;
const BATCH_MARK_LIMIT = '"batch":"1000000/1000000",'.length;
/** The longest text before an entry's own JSON, in bytes. */
export const LINE_HEAD_LIMIT_BYTES = BODY_START + BATCH_MARK_LIMIT;

type ParsedLine =
  | { readonly ok: true; readonly entry: Entry; readonly batch: BatchMark | undefined }
  | { readonly ok: false; readonly reason: LogDamage["reason"] };

/**
 * The lines of one write, and the offset of each. The bytes are valid until the next batch is formatted; copy them to
 * keep them.
 */
interface FramedBatch {
  readonly bytes: Uint8Array;
  readonly offsets: readonly number[];
}

/** Formats entries as the bytes of one write. */
export function formatBatch(entries: readonly Entry[]): FramedBatch {
  const only = entries.length === 1 ? entries[0] : undefined;
  if (only !== undefined) return { bytes: formatLine(only, ""), offsets: [0] };

  const offsets: number[] = [];
  let size = 0;
  const lines = entries.map((entry, index) => {
    const line = formatLine(entry, `"batch":"${index + 1}/${entries.length}",`);
    offsets.push(size);
    size += line.length;
    return line;
  });
  return { bytes: Buffer.concat(lines, size), offsets };
}

/**
 * Writes the JSON in its final place, its first brace where the comma before it will be, so that no long text is
 * concatenated. The line of a single entry is valid until the next one is formatted.
 */
function formatLine(entry: Entry, batchMark: string): Buffer {
  const jsonStart = BODY_START + batchMark.length - 1;
  const isAlone = batchMark === "";
  const plain = formatPlainEntry(entry, { before: jsonStart, behind: 1 });
  const own = plain === undefined || isAlone ? plain : Buffer.from(plain);
  const line = own ?? formatAnyEntry(entry, jsonStart);
  if (!isAlone) line.write(batchMark, BODY_START, "latin1");
  line[line.length - 1] = NEWLINE;
  line.set(EMPTY_HEAD, 0);
  writeChecksum(line);
  return line;
}

function formatAnyEntry(entry: Entry, jsonStart: number): Buffer {
  const json = packEntry(entry, formatEntry(entry));
  const line = Buffer.allocUnsafe(jsonStart + Buffer.byteLength(json) + 1);
  line.write(json, jsonStart);
  return line;
}

/** Writes `checksum` digit by digit: making a string for each line would cost a tenth of the line. */
function writeChecksum(line: Buffer): void {
  let rest = crc32(line.subarray(BODY_START, -1));
  for (let at = HEAD.length + CRC_DIGITS - 1; rest !== 0; at--) {
    line[at] = HEX_DIGITS[rest & 0xf]!;
    rest >>>= 4;
  }
}

function checksum(body: Uint8Array): string {
  return crc32(body).toString(16).padStart(CRC_DIGITS, "0");
}

/**
 * Parses one line without its line break; with `outline`, messages, calls and answers without their content. Never
 * throws.
 */
export function parseLine(line: Buffer, outline = false): ParsedLine {
  if (!hasChecksum(line)) return { ok: false, reason: looksLikeJson(line) ? "bad-checksum" : "not-json" };
  if (line.toString("latin1", HEAD.length, HEAD.length + CRC_DIGITS) !== checksum(line.subarray(BODY_START)))
    return { ok: false, reason: "bad-checksum" };

  const mark = BATCH_PATTERN.exec(line.toString("latin1", BODY_START, BODY_START + BATCH_MARK_LIMIT));
  const batch = mark === null ? undefined : { index: Number(mark[1]), count: Number(mark[2]) };
  if (batch !== undefined && !isPossible(batch)) return { ok: false, reason: "not-an-entry" };

  const entryStart = BODY_START + (mark?.[0].length ?? 0);
  const outlined = outline ? outlineEntry(line, entryStart) : undefined;
  if (outlined !== undefined) return { ok: true, entry: outlined, batch };
  const parsed = parseEntry(unpackEntry(line, entryStart) ?? `{${line.toString("utf8", entryStart)}`);
  return parsed.ok ? { ok: true, entry: parsed.entry, batch } : { ok: false, reason: parsed.reason };
}

/** The fields in front of what an entry holds; whole lines of ours begin like this. */
const OUTLINE_HEAD = new RegExp(
  `^"type":"(message|call|answer)","seq":(\\d{1,15}),"id":"([\\w.-]{1,64})","parentId":"([\\w.-]{1,64})",(?:"v":${ENTRY_VERSION},)?"at":(\\d{1,15})[,}]`,
);
const OUTLINE_HEAD_LIMIT = 240;
const NO_BLOCKS: readonly never[] = [];

/** Returns `undefined` if the line does not begin like one of ours or is of another type: then it is parsed whole. */
function outlineEntry(line: Buffer, start: number): Entry | undefined {
  const head = OUTLINE_HEAD.exec(line.toString("latin1", start, start + OUTLINE_HEAD_LIMIT));
  if (head === null) return undefined;
  const seq = Number(head[2]);
  if (seq === 0) return undefined;
  const id = head[3]!;
  const parentId = head[4]!;
  const at = Number(head[5]);
  const v = ENTRY_VERSION;
  // Field by field: a gigabyte has a million of these.
  if (head[1] === "message")
    return { type: "message", seq, id, parentId, v, at, role: "user", content: NO_BLOCKS, origin: "user" };
  if (head[1] === "call")
    return { type: "call", seq, id, parentId, v, at, model: "", throughSeq: 0, estimatedTokens: 0 };
  return { type: "answer", seq, id, parentId, v, at, callSeq: 0 };
}

function hasChecksum(line: Buffer): boolean {
  return line.length > BODY_START && hasHead(line);
}

function hasHead(bytes: Buffer): boolean {
  return (
    bytes.toString("latin1", 0, HEAD.length) === HEAD &&
    bytes.toString("latin1", HEAD.length + CRC_DIGITS, BODY_START) === HEAD_END
  );
}

function isPossible({ index, count }: BatchMark): boolean {
  return index <= count && count <= BATCH_LIMIT_ENTRIES;
}

/**
 * True if the line could be a JSON object, as every line of a log is. Names the damage of a line that we did not write.
 * It does not parse: text that is not JSON costs an exception, and a file may hold millions of such lines.
 */
function looksLikeJson(line: Buffer): boolean {
  return line[0] === BRACE_OPEN && line[line.length - 1] === BRACE_CLOSE;
}

/** True if the bytes are the start of a checkpoint's line up to its type, which comes first in an entry. */
export function isLineHead(bytes: Buffer): boolean {
  if (bytes.length < BODY_START || !hasHead(bytes)) return false;
  const mark = bytes.toString("latin1", BODY_START);
  return mark === "" || BATCH_PATTERN.exec(mark)?.[0] === mark;
}

/** True if the line was made void after a failed write. */
export function isVoid(line: Buffer): boolean {
  return (
    line.length >= VOID_MARK.length && line.toString("latin1", line.length - VOID_MARK.length) === VOID_MARK
  );
}

/** A stretch of a damaged line: a whole entry, or damage. */
export interface LinePart {
  readonly offset: number;
  readonly bytes: number;
  readonly parsed: ParsedLine;
}

/**
 * Finds whole lines inside a damaged one, and the damage between them: if a line break is lost or became another byte,
 * two lines look like one. Linear: reads every byte at most twice.
 */
export function findParts(line: Buffer): readonly LinePart[] {
  // A line that was never ours costs one look.
  if (line.indexOf(HEAD_BYTES) === -1) return [{ offset: 0, bytes: line.length, parsed: parseLine(line) }];
  const parts: LinePart[] = [];
  let damagedFrom = 0;
  let reason: LogDamage["reason"] | undefined;
  const addDamage = (end: number) => {
    if (damagedFrom === end) return;
    const parsed = { ok: false, reason: reason ?? "bad-checksum" } as const;
    parts.push({ offset: damagedFrom, bytes: end - damagedFrom, parsed });
  };
  for (let start = 0; start < line.length; ) {
    const next = line.indexOf(HEAD_BYTES, start + 1);
    const end = next === -1 ? line.length : next;
    const { parsed, bytes } = parsePart(line.subarray(start, end));
    if (parsed.ok) {
      addDamage(start);
      parts.push({ offset: start, bytes, parsed });
      damagedFrom = start + bytes;
      reason = undefined;
    } else reason ??= parsed.reason;
    start = end;
  }
  addDamage(line.length);
  return parts;
}

/** The byte before the next line may be a damaged line break. */
function parsePart(part: Buffer): { readonly parsed: ParsedLine; readonly bytes: number } {
  const whole = parseLine(part);
  if (whole.ok) return { parsed: whole, bytes: part.length };
  const shorter = parseLine(part.subarray(0, -1));
  return shorter.ok ? { parsed: shorter, bytes: part.length - 1 } : { parsed: whole, bytes: part.length };
}

/** True if the line holds a whole entry. */
export function hasWholePart(line: Buffer): boolean {
  return findParts(line).some(({ parsed }) => parsed.ok);
}

/**
 * Formats an append. @throws `STORE_FAILED` if the entries are too many or too long for a reader, or cannot be JSON.
 */
export function formatAppend(entries: readonly Entry[], logFile: string): FramedBatch {
  const what = `${entries.length} entries could not be written to ${logFile}`;
  if (entries.length > BATCH_LIMIT_ENTRIES)
    throw storeFailure(what, `one append takes ${BATCH_LIMIT_ENTRIES}`);
  try {
    const batch = formatBatch(entries);
    const longest = longestLineBytes(batch);
    if (longest <= STORE_DEFAULTS.lineLimitBytes) return batch;
    throw storeFailure(what, `one has ${longest} bytes, and a line holds ${STORE_DEFAULTS.lineLimitBytes}`);
  } catch (error) {
    // Circular, or nested beyond what the platform can turn into JSON.
    throw storeFailure(what, error);
  }
}

function longestLineBytes({ bytes, offsets }: FramedBatch): number {
  return offsets.reduce(
    (longest, offset, index) => Math.max(longest, (offsets[index + 1] ?? bytes.length) - offset),
    0,
  );
}
