/**
 * A line of a log file: an entry's JSON with a checksum in front.
 *
 * DESIGN. A line is `{"crc":"0a1b2c3d",` and then the entry's JSON without its first brace, so that
 * it is still one JSON object to every other tool. The checksum is the CRC-32, in small hex digits, of
 * the bytes after that comma. Entries that were appended together also carry their place in the batch,
 * `"batch":"2/3",` right after the checksum: a batch whose last lines never arrived does not count.
 *
 * Long entries that nobody searches are packed (`packed-entry.ts`); their lines are JSON all the same.
 *
 * What a failed write left behind and could not be taken back is made void by {@link VOID_MARK} before
 * the next line begins, so that it cannot come back as whole when something follows it.
 */
import { crc32 } from "node:zlib";
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import type { LogDamage } from "../../../ports/session-store.ts";
import { ENTRY_VERSION, type Entry } from "../../../transcript/entries.ts";
import { formatEntry, parseEntry } from "../../../transcript/entry-line.ts";
import { packEntry, unpackEntry } from "./packed-entry.ts";
import { formatPlainEntry } from "./plain-line.ts";

export const NEWLINE = 0x0a;
/** Ends a line that was never acknowledged. */
export const VOID_MARK = "#torn";

const HEAD = '{"crc":"';
const HEAD_BYTES = Buffer.from(HEAD, "latin1");
const [BRACE_OPEN, BRACE_CLOSE] = [0x7b, 0x7d];
const CRC_DIGITS = 8;
const HEAD_END = '",';
/** Where the part under the checksum begins. */
const BODY_START = HEAD.length + CRC_DIGITS + HEAD_END.length;
const EMPTY_HEAD = Buffer.from(`${HEAD}${"0".repeat(CRC_DIGITS)}${HEAD_END}`, "latin1");
const HEX_DIGITS = Buffer.from("0123456789abcdef", "latin1");
const BATCH_PATTERN = /^"batch":"([1-9]\d{0,6})\/([1-9]\d{0,6})",/;
const BATCH_MARK_LIMIT = '"batch":"1000000/1000000",'.length;
/** The longest text before an entry's own JSON, in bytes. */
export const LINE_HEAD_LIMIT_BYTES = BODY_START + BATCH_MARK_LIMIT;

/** The place of an entry among those that were appended with it: 1 is the first, `count` the last. */
export interface BatchMark {
  readonly index: number;
  readonly count: number;
}

type ParsedLine =
  | { readonly ok: true; readonly entry: Entry; readonly batch: BatchMark | undefined }
  | { readonly ok: false; readonly reason: LogDamage["reason"] };

/**
 * Lines as they are written at once, and where each begins in them. Good until the next are made: whoever keeps the
 * bytes copies them.
 */
export interface FramedBatch {
  readonly bytes: Uint8Array;
  readonly offsets: readonly number[];
}

/** Entries as the bytes of one write. */
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
 * The JSON goes where it belongs at once, its first brace where the comma before it will stand: no long text is put
 * together. A line that stands alone is good until the next is made.
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

/** What `checksum` says, digit by digit: a text for each line would cost a tenth of the line. */
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

/** Reads one line, without its line break; in `outline`, messages, calls and answers without what they hold. Never throws. */
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

/** `undefined` where the line does not begin like one of ours, or is of another type: then all of it is read. */
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
  return index <= count && count <= STORE_DEFAULTS.batchLimitEntries;
}

/**
 * Whether it could be an object, as every line of a log is. Only asked to name the damage of a line that was
 * not written by us, so it is not parsed: what is no JSON costs an exception, and a file may hold millions
 * of such lines.
 */
function looksLikeJson(line: Buffer): boolean {
  return line[0] === BRACE_OPEN && line[line.length - 1] === BRACE_CLOSE;
}

/** Whether this is the start of a checkpoint's line up to its type, which comes first in an entry. */
export function isLineHead(bytes: Buffer): boolean {
  if (bytes.length < BODY_START || !hasHead(bytes)) return false;
  const mark = bytes.toString("latin1", BODY_START);
  return mark === "" || BATCH_PATTERN.exec(mark)?.[0] === mark;
}

/** Whether the line was made void after a failed write. */
export function isVoid(line: Buffer): boolean {
  return (
    line.length >= VOID_MARK.length && line.toString("latin1", line.length - VOID_MARK.length) === VOID_MARK
  );
}

/** A stretch of a damaged line: an entry that is whole, or what is not. */
export interface LinePart {
  readonly offset: number;
  readonly bytes: number;
  readonly parsed: ParsedLine;
}

/**
 * Whole lines inside a damaged one, and what lies between them: where a line break was lost or became
 * another byte, two lines look like one. Linear: every byte is looked at twice at the most.
 */
export function findParts(line: Buffer): readonly LinePart[] {
  // What never was a line of ours costs one look.
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

/** The byte before the next line may be what became of the line break. */
function parsePart(part: Buffer): { readonly parsed: ParsedLine; readonly bytes: number } {
  const whole = parseLine(part);
  if (whole.ok) return { parsed: whole, bytes: part.length };
  const shorter = parseLine(part.subarray(0, -1));
  return shorter.ok ? { parsed: shorter, bytes: part.length - 1 } : { parsed: whole, bytes: part.length };
}

/** Whether anything in the line counts. */
export function hasWholePart(line: Buffer): boolean {
  return findParts(line).some(({ parsed }) => parsed.ok);
}
