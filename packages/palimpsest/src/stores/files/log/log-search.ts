/**
 * Finds an entry far back in a log without reading all of it, and the end of the log as it was then.
 *
 * DESIGN. Numbers grow along a file, so halving it finds the stretch of an entry in some twenty reads. Reading then begins
 * at an append that certainly counts (`log-tail.ts`). Where the lines found are not in order, or the entry is not among
 * them, nothing is returned: only a scan of the whole file can tell then.
 */
import type { OpenFile } from "../../../ports/file-system.ts";
import type { LogContents, StoredEntry } from "../../../ports/session-store.ts";
import { readBuffer } from "../replace/whole-file.ts";
import { LINE_HEAD_LIMIT_BYTES } from "./log-line.ts";
import { readLogUntil } from "./log-reader.ts";
import { findCheckpointBefore, fromLastCheckpoint, startBefore } from "./log-tail.ts";
import { isInOrder, LINE_SEQ } from "./verify-log-end.ts";

/** Bytes of a stretch that is not halved further. Source: our choice; reading it takes a millisecond. */
const STRETCH_BYTES = 65_536;
/** First bytes read at a place; each further piece is twice as large, because a line may be long. Source: our choice. */
const PROBE_BYTES = 4_096;
/** Checkpoints before an entry that are tried. Source: our choice; the first one counts in any log without damage. */
const CHECKPOINTS_TRIED = 2;

/** Entry `seq`; `undefined` if it is not found for certain. The lines before it are verified, and only its own is parsed. */
export function findCertain(file: OpenFile, size: number, seq: number): StoredEntry | undefined {
  const position = findPosition(file, size, seq);
  if (position === undefined) return undefined;
  const found = readLogUntil(file, { from: position, to: size, toSeq: seq }).entries[0];
  return found?.entry.seq === seq && found.position === position ? found : undefined;
}

function findPosition(file: OpenFile, size: number, seq: number): number | undefined {
  const near = findNear(file, size, seq);
  return readCertain(file, { near, size, seq, isOutline: true })?.entries.at(-1)?.position;
}

/** The entries from the last checkpoint before `seq` up to it; `undefined` if they are not found for certain. */
export function readTailThrough(file: OpenFile, size: number, seq: number): LogContents | undefined {
  const position = findPosition(file, size, seq);
  // The entry may be a checkpoint itself: its type, behind the head of its line, says so.
  let before = position === undefined ? 0 : position + LINE_HEAD_LIMIT_BYTES;
  for (let attempt = 0; attempt < CHECKPOINTS_TRIED; attempt++) {
    const near = findCheckpointBefore(file, { before, end: size });
    if (near === undefined) return undefined;
    const contents = readCertain(file, { near, size, seq });
    const tail = contents && fromLastCheckpoint(contents);
    if (tail !== undefined) return tail;
    before = near;
  }
  return undefined;
}

function readCertain(
  file: OpenFile,
  {
    near,
    size,
    seq,
    isOutline = false,
  }: {
    readonly near: number;
    readonly size: number;
    readonly seq: number;
    readonly isOutline?: boolean;
  },
): LogContents | undefined {
  const { position: from, after } = startBefore(file, near, size, isOutline);
  const contents = readLogUntil(file, { from, to: size, toSeq: seq, after, isOutline });
  const isThere = contents.entries.at(-1)?.entry.seq === seq;
  return isThere && isInOrder(contents) ? contents : undefined;
}

/** A place in the file before entry `seq`, and not far from it. */
function findNear(file: OpenFile, size: number, seq: number): number {
  let [low, high] = [0, size];
  while (high - low > STRETCH_BYTES) {
    const middle = Math.floor((low + high) / 2);
    const line = firstLineAfter(file, middle, high);
    if (line !== undefined && line.seq < seq) low = line.position;
    else high = middle;
  }
  return low;
}

/** The first line that begins behind `from` and has a number at its start. */
function firstLineAfter(
  file: OpenFile,
  from: number,
  to: number,
): { readonly position: number; readonly seq: number } | undefined {
  for (let pieceBytes = PROBE_BYTES; ; pieceBytes *= 2) {
    const piece = readBuffer(file, from, Math.min(pieceBytes, to - from)).toString("latin1");
    const found = LINE_SEQ.exec(piece);
    if (found !== null) return { position: from + found.index + 1, seq: Number(found[1]) };
    if (piece.length < pieceBytes) return undefined;
  }
}
