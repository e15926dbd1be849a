/**
 * Finds the last checkpoint of a log by reading backward, so that opening costs what lies after it
 * and not what lies before.
 */
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import type { OpenFile } from "../../../ports/file-system.ts";
import type { LogContents } from "../../../ports/session-store.ts";
import { readBuffer } from "../replace/whole-file.ts";
import { isLineHead, LINE_HEAD_LIMIT_BYTES, NEWLINE, parseLine } from "./log-line.ts";
import { readMiddleOfLog } from "./log-middle.ts";
import { readRawLines } from "./raw-lines.ts";

/** What an entry's own JSON begins with, after its brace, if it is a checkpoint. */
const CHECKPOINT_START = Buffer.from('"type":"checkpoint",', "latin1");

/** From the last checkpoint that counts to `end`; `undefined` where there is none. */
export function readLogTail(file: OpenFile, end: number): LogContents | undefined {
  let before = end;
  for (let attempt = 0; attempt < STORE_DEFAULTS.tailAttempts; attempt++) {
    const position = findCheckpointBefore(file, before, end);
    if (position === undefined) break;
    const tail = fromLastCheckpoint(readFrom(file, position, end));
    if (tail !== undefined) return tail;
    before = position;
  }
  return undefined;
}

/**
 * A checkpoint of a batch whose end never arrived does not count, and neither does one of a writer that
 * came too late: what lies before it tells, so reading begins a little before.
 */
function readFrom(file: OpenFile, position: number, end: number): LogContents {
  for (let pieceBytes: number = STORE_DEFAULTS.lineProbeBytes; ; pieceBytes *= 2) {
    const from = Math.max(0, position - pieceBytes);
    const middle = readMiddleOfLog(file, { from, to: end, startBy: position });
    if (middle !== undefined) return middle;
  }
}

/** An earlier checkpoint may have been the one to find: then a later one that counts lies behind it. */
function fromLastCheckpoint({ entries, damage }: LogContents): LogContents | undefined {
  const index = entries.findLastIndex(({ entry }) => entry.type === "checkpoint");
  const first = entries[index];
  if (first === undefined) return undefined;
  return {
    entries: entries.slice(index),
    damage: damage.filter(({ position }) => position >= first.position),
  };
}

/** Where the last whole checkpoint line begins that starts before `before`. */
function findCheckpointBefore(file: OpenFile, before: number, end: number): number | undefined {
  let pieceBytes: number = STORE_DEFAULTS.tailChunkBytes;
  for (let to = before; to > 0; ) {
    const from = Math.max(0, to - pieceBytes);
    // A line's head may begin before the piece, and its start of a checkpoint may end after it.
    const position = findInPiece(file, { from, to, end });
    if (position !== undefined) return position;
    to = from;
    pieceBytes = Math.min(pieceBytes * 2, STORE_DEFAULTS.tailChunkLimitBytes);
  }
  return undefined;
}

/** The last whole checkpoint whose type stands between `from` and `to`. */
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

/** Where the line begins whose entry begins at `hit`; `undefined` if that is in the middle of a line. */
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
