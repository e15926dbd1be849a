/**
 * Reads what a list shows of a session from the two ends of its log.
 *
 * The beginning has the header and the first prompt. The end has the newest entry and, after a clean close, the
 * metadata. Otherwise the last checkpoint has it, which a backward search finds within a limit. Damage is skipped.
 */
import { SESSION_LIST_DEFAULTS } from "../../../base/defaults/session-list.ts";
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import type { OpenFile } from "../../../ports/file-system.ts";
import type { StoredEntry } from "../../../ports/session-store.ts";
import { SessionInfoBuilder } from "../../shared/session-info.ts";
import { LINE_HEAD_LIMIT_BYTES, NEWLINE, parseLine } from "../log/log-line.ts";
import { readLog, readWholeLog } from "../log/log-reader.ts";
import { findCheckpointBefore } from "../log/log-tail.ts";
import { readRawLines } from "../log/raw-lines.ts";
import { readBuffer } from "../replace/whole-file.ts";

/** First bytes of a log that are read; most hold the first prompt. Source: `npm run bench:sessions`. */
const HEAD_BYTES = 4_096;
/**
 * Bytes from the start of a log within which its first prompt is looked for. Source: our choice; a prompt with
 * pasted files is cut at arrival long before.
 */
const HEAD_LIMIT_BYTES = 262_144;
/**
 * Bytes back from the end within which the last checkpoint is looked for, where the tail has none. Source: our
 * choice, four times the distance of two checkpoints.
 */
const CHECKPOINT_SEARCH_BYTES = 4_194_304;

const CHECKPOINT_TYPE = Buffer.from('"type":"checkpoint",', "latin1");
const METADATA_TYPE = Buffer.from('"type":"metadata",', "latin1");

/** Reads the ends of a log of `size` bytes. */
export function readSessionInfo(file: OpenFile, size: number): SessionInfoBuilder {
  const builder = new SessionInfoBuilder();
  readHead(file, size, builder);
  const { entries, from } = readTail(file, size);
  if (from > 0 && !entries.some(({ entry }) => entry.type === "checkpoint"))
    readBack(file, { end: from, size }, builder);
  for (const { entry } of entries) builder.add(entry);
  return builder;
}

/** Time of the last entry of a log; `undefined` if its last bytes have no whole entry. */
export function readLastAt(file: OpenFile, size: number): number | undefined {
  const from = Math.max(0, size - STORE_DEFAULTS.lineProbeBytes);
  const piece = readBuffer(file, from, size - from);
  for (let end = piece.lastIndexOf(NEWLINE); end > 0; ) {
    const start = piece.lastIndexOf(NEWLINE, end - 1);
    // The line begins before the piece.
    if (start === -1 && from > 0) return undefined;
    const parsed = parseLine(piece.subarray(start + 1, end));
    if (parsed.ok) return parsed.entry.at;
    end = start;
  }
  return undefined;
}

function readHead(file: OpenFile, size: number, builder: SessionInfoBuilder): void {
  const to = Math.min(size, HEAD_LIMIT_BYTES);
  for (const { entries } of readLog(file, {
    from: 0,
    to,
    firstChunkBytes: HEAD_BYTES,
  })) {
    for (const { entry } of entries) builder.add(entry);
    if (builder.hasHead) return;
  }
  if (to < size) readCutBatch(file, to, builder);
}

/** A fork is one append, whose entries count only with its last line: that may be behind the limit. */
function readCutBatch(file: OpenFile, to: number, builder: SessionInfoBuilder): void {
  for (const { bytes } of readRawLines(file, { from: 0, to, firstChunkBytes: HEAD_BYTES })) {
    const parsed = bytes === undefined ? undefined : parseLine(bytes);
    if (parsed?.ok === true) builder.add(parsed.entry);
    if (builder.hasHead) return;
  }
}

interface Tail {
  readonly entries: readonly StoredEntry[];
  readonly from: number;
}

/** The last entries of the log: those in its last bytes, or the last one if it is longer. */
function readTail(file: OpenFile, to: number): Tail {
  let bytes: number = SESSION_LIST_DEFAULTS.tailBytes;
  for (;;) {
    const from = Math.max(0, to - bytes);
    const entries = readEntriesBetween(file, from, to);
    const isEnough = from === 0 || bytes >= CHECKPOINT_SEARCH_BYTES;
    if (entries.length > 0 || isEnough) return { entries, from };
    bytes *= 2;
  }
}

function readEntriesBetween(file: OpenFile, from: number, to: number): readonly StoredEntry[] {
  if (from === 0) return readWholeLog(file, { from, to }).entries;
  const lineBreak = readBuffer(file, from - 1, to - from + 1).indexOf(NEWLINE);
  return lineBreak === -1 ? [] : readWholeLog(file, { from: from + lineBreak, to }).entries;
}

/** The last checkpoint before `end`, and the metadata between the two. */
function readBack(
  file: OpenFile,
  { end, size }: { end: number; size: number },
  builder: SessionInfoBuilder,
): void {
  const least = Math.max(0, end - CHECKPOINT_SEARCH_BYTES);
  const from = findCheckpointBefore(file, { before: end, end: size, least }) ?? least;
  // `end` may be in the middle of a line.
  const to = Math.min(size, end + SESSION_LIST_DEFAULTS.tailBytes);
  for (const { bytes } of readRawLines(file, { from, to })) {
    const head = bytes?.subarray(0, LINE_HEAD_LIMIT_BYTES + CHECKPOINT_TYPE.length);
    const isWanted = head?.includes(CHECKPOINT_TYPE) === true || head?.includes(METADATA_TYPE) === true;
    const parsed = isWanted ? parseLine(bytes!) : undefined;
    if (parsed?.ok === true) builder.add(parsed.entry);
  }
}
