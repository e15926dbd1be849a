/**
 * Reads the end of a log: from the last checkpoint on, and the last entry that an append continues. Reading backward
 * makes the cost independent of the log's length.
 *
 * DESIGN. Reading that begins in the middle does not know the entry before. A late writer leaves at most one append that
 * does not count, because it checks at once and then stops (`log-writer.ts`). And every append continues an entry that
 * counts. So if an append directly follows the entry that it continues, both count, and reading may begin there.
 */
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import type { OpenFile } from "../../../ports/file-system.ts";
import type { LogContents } from "../../../ports/session-store.ts";
import type { Entry } from "../../../transcript/entries.ts";
import type { BatchMark } from "../../shared/log-pieces.ts";
import { readBuffer } from "../replace/whole-file.ts";
import type { LastEntry } from "./log-assembler.ts";
import {
  hasWholePart,
  isLineHead,
  LINE_HEAD_LIMIT_BYTES,
  NEWLINE,
  parseLine,
  VOID_MARK,
} from "./log-line.ts";
import { readWholeLog } from "./log-reader.ts";
import { type ByteRange, readRawLines } from "./raw-lines.ts";

/** First bytes read going backward from the end. Source: measured, 64 KB of a cached file cost as much as 16 KB. */
const TAIL_CHUNK_BYTES = 65_536;
/** Largest piece read going backward; each piece is twice the one before up to this. Source: our choice. */
const TAIL_CHUNK_LIMIT_BYTES = 4_194_304;

/** Start of a checkpoint's JSON, after its brace. */
const CHECKPOINT_START = Buffer.from('"type":"checkpoint",', "latin1");

/** Entries from the last checkpoint that counts to `end`; `undefined` without one. */
export function readLogTail(file: OpenFile, end: number): LogContents | undefined {
  let before = end;
  for (let attempt = 0; attempt < STORE_DEFAULTS.tailAttempts; attempt++) {
    const position = findCheckpointBefore(file, { before, end });
    if (position === undefined) break;
    const tail = fromLastCheckpoint(readFrom(file, position, end));
    if (tail !== undefined) return tail;
    before = position;
  }
  return undefined;
}

/**
 * Starts a little before the checkpoint. The lines before it tell if it counts: it does not if its batch is incomplete or
 * its writer was late.
 */
function readFrom(file: OpenFile, position: number, end: number): LogContents {
  const start = startBefore(file, position, end);
  return readWholeLog(file, { from: start.position, to: end, after: start.after });
}

/** The last place not behind `position` from which reading may begin, or one a little before it. Lines are looked at as in `readLog`. */
export function startBefore(file: OpenFile, position: number, end: number, isOutline = false): FirmStart {
  for (let pieceBytes: number = STORE_DEFAULTS.lineProbeBytes; ; pieceBytes *= 2) {
    const from = Math.max(0, position - pieceBytes);
    if (from === 0) return { position: 0, after: undefined };
    const start = findFirmStart(file, { from, to: end, startBy: position, isOutline });
    if (start !== undefined) return start;
  }
}

/** The search may have found an earlier checkpoint: cuts at the last one that counts. */
export function fromLastCheckpoint({ entries, damage }: LogContents): LogContents | undefined {
  const index = entries.findLastIndex(({ entry }) => entry.type === "checkpoint");
  const first = entries[index];
  if (first === undefined) return undefined;
  return {
    entries: entries.slice(index),
    damage: damage.filter(({ position }) => position >= first.position),
  };
}

/** Position of the last whole checkpoint line that begins before `before`, and not before `least`. */
export function findCheckpointBefore(
  file: OpenFile,
  { before, end, least = 0 }: { readonly before: number; readonly end: number; readonly least?: number },
): number | undefined {
  let pieceBytes: number = TAIL_CHUNK_BYTES;
  for (let to = before; to > least; ) {
    const from = Math.max(least, to - pieceBytes);
    // A line may begin before the piece, and the start of its checkpoint may end after it.
    const position = findInPiece(file, { from, to, end });
    if (position !== undefined) return position;
    to = from;
    pieceBytes = Math.min(pieceBytes * 2, TAIL_CHUNK_LIMIT_BYTES);
  }
  return undefined;
}

/** Position of the last whole checkpoint whose type begins between `from` and `to`. */
function findInPiece(
  file: OpenFile,
  { from, to, end }: { readonly from: number; readonly to: number; readonly end: number },
): number | undefined {
  const start = Math.max(0, from - LINE_HEAD_LIMIT_BYTES - 1);
  const piece = readBuffer(file, start, Math.min(end, to + CHECKPOINT_START.length - 1) - start);
  const firstHit = from - start;
  let hit = piece.lastIndexOf(CHECKPOINT_START, to - 1 - start);
  while (hit >= firstHit) {
    const lineStart = findLineStart(piece, hit, start === 0);
    if (lineStart !== undefined && isWholeLine(file, start + lineStart, end)) return start + lineStart;
    if (hit === 0) break;
    hit = piece.lastIndexOf(CHECKPOINT_START, hit - 1);
  }
  return undefined;
}

/** Start of the line whose entry begins at `hit`; `undefined` if `hit` is in the middle of a line. */
function findLineStart(piece: Buffer, hit: number, isFileStart: boolean): number | undefined {
  const earliest = Math.max(0, hit - LINE_HEAD_LIMIT_BYTES - 1);
  const lineBreak = piece.subarray(earliest, hit).lastIndexOf(NEWLINE);
  if (lineBreak === -1 && !(isFileStart && earliest === 0)) return undefined;
  const lineStart = lineBreak === -1 ? 0 : earliest + lineBreak + 1;
  return isLineHead(piece.subarray(lineStart, hit)) ? lineStart : undefined;
}

function isWholeLine(file: OpenFile, position: number, end: number): boolean {
  const firstChunkBytes = STORE_DEFAULTS.lineProbeBytes;
  for (const line of readRawLines(file, { from: position, to: end, firstChunkBytes })) {
    const parsed = line.bytes === undefined ? undefined : parseLine(line.bytes);
    return parsed?.ok === true && parsed.entry.type === "checkpoint";
  }
  return false;
}

/** A stretch of the log, and the entry before it. */
interface MiddleOfLog extends LogContents {
  readonly before: LastEntry | undefined;
}

/** A place in a log at which reading may begin, and the entry before, if it is known. */
interface FirmStart {
  readonly position: number;
  readonly after: LastEntry | undefined;
}

/** Entries from the first line in the range that certainly counts; `undefined` without one. */
function readMiddleOfLog(file: OpenFile, range: ByteRange): MiddleOfLog | undefined {
  const start = range.from === 0 ? { position: 0, after: undefined } : findFirmStart(file, range);
  if (start === undefined) return undefined;
  const { position, after } = start;

  return { ...readWholeLog(file, { from: position, to: range.to, after }), before: after };
}

function findFirmStart(
  file: OpenFile,
  {
    from,
    to,
    startBy = to,
    isOutline = false,
  }: ByteRange & { readonly startBy?: number; readonly isOutline?: boolean },
): FirmStart | undefined {
  let isFirst = true;
  let before: { readonly entry: Entry; readonly batch: BatchMark | undefined } | undefined;
  for (const line of readRawLines(file, { from, to, firstChunkBytes: STORE_DEFAULTS.lineProbeBytes })) {
    if (line.position > startBy) return undefined;
    // The range may begin in the middle of a line.
    const parsed = isFirst || line.bytes === undefined ? undefined : parseLine(line.bytes, isOutline);
    isFirst = false;
    const found = parsed?.ok === true ? parsed : undefined;
    const after = found === undefined ? undefined : baseOf(found, before);
    if (after !== undefined) return { position: line.position, after: after === "any" ? undefined : after };
    before = found;
  }
  return undefined;
}

/** The entry that an append continues, if it is directly before it; `any` for an entry of an old log. */
function baseOf(
  { entry, batch }: { readonly entry: Entry; readonly batch: BatchMark | undefined },
  before: { readonly entry: Entry; readonly batch: BatchMark | undefined } | undefined,
): LastEntry | "any" | undefined {
  if (batch !== undefined && batch.index !== 1) return undefined;
  if (entry.parentId === undefined) return "any";
  const isWhole = before?.batch === undefined || before.batch.index === before.batch.count;
  const goesOn = before?.entry.id === entry.parentId && before.entry.seq + 1 === entry.seq;
  return isWhole && goesOn ? before.entry : undefined;
}

const NOTHING = Buffer.alloc(0);
const LINE_BREAK = Buffer.from("\n", "latin1");
/** Makes a half line void. */
export const VOID_LINE_BREAK = Buffer.from(`${VOID_MARK}\n`, "latin1");

/** The entry that the next one continues; number 0 in an empty log. */
export function readLastEntry(file: OpenFile, end: number): LastEntry {
  for (let pieceBytes: number = TAIL_CHUNK_BYTES; ; pieceBytes *= 2) {
    const from = Math.max(0, end - pieceBytes);
    const middle = readMiddleOfLog(file, { from, to: end });
    const last = middle?.entries.at(-1)?.entry ?? middle?.before;
    if (last !== undefined) return { seq: last.seq, id: last.id };
    if (from === 0) return { seq: 0, id: undefined };
  }
}

/** The end of a file: the bytes to write before the next line, and the start of the last line. */
interface LineEnd {
  readonly separator: Uint8Array;
  readonly lineStart: number;
}

/** Looks at the last line: it may be torn, whole without its line break, or foreign. */
export function findLineEnd(file: OpenFile, size: number): LineEnd {
  if (size === 0 || readBuffer(file, size - 1, 1)[0] === NEWLINE)
    return { separator: NOTHING, lineStart: size };
  const lastLine = readLastLine(file, size);
  const isKept = lastLine !== undefined && hasWholePart(lastLine);
  return {
    separator: isKept ? LINE_BREAK : VOID_LINE_BREAK,
    lineStart: size - (lastLine?.length ?? 0),
  };
}

/** The bytes after the last line break; `undefined` if they are too many for a line. */
function readLastLine(file: OpenFile, size: number): Buffer | undefined {
  for (let length: number = STORE_DEFAULTS.lineProbeBytes; ; length *= 2) {
    const start = Math.max(0, size - length);
    const bytes = readBuffer(file, start, size - start);
    const lineBreak = bytes.lastIndexOf(NEWLINE);
    if (lineBreak !== -1) return bytes.subarray(lineBreak + 1);
    if (start === 0) return bytes;
    if (length > STORE_DEFAULTS.lineLimitBytes) return undefined;
  }
}
