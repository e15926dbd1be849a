/**
 * Reads a log file forward: whole entries, and a report of every stretch that is not one.
 *
 * Memory is bounded by one chunk and the longest line that is believed, whatever the file holds; a
 * longer line is passed over. Nothing in a file makes reading fail: only the disk can.
 */
import { STORE_DEFAULTS } from "../../base/defaults/store.ts";
import type { OpenFile } from "../../ports/file-system.ts";
import type { LogContents, LogDamage, StoredEntry } from "../../ports/session-store.ts";
import { type LastEntry, LogAssembler } from "./log-assembler.ts";
import { NEWLINE } from "./log-line.ts";

/** What stands between two line breaks; `bytes` is absent where there are too many. */
export interface RawLine {
  readonly position: number;
  readonly length: number;
  readonly bytes: Buffer | undefined;
  /** False for the rest after the last line break of the file. */
  readonly isTerminated: boolean;
}

/** The part of a file that is read: from one position up to another, which is not included. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
  /** Bytes read first where one entry may be all that is wanted; each next piece is twice as large. */
  readonly firstChunkBytes?: number;
  /** The entry before the range, where it is known. */
  readonly after?: LastEntry;
  /** Messages, calls and answers come without what they hold. */
  readonly isOutline?: boolean;
}

/** Entries and damage in order, about one chunk of the file at a time. */
export function* readLog(file: OpenFile, range: ByteRange): Generator<LogContents> {
  const assembler = new LogAssembler(range.after, range.isOutline);
  let partBytes = range.firstChunkBytes ?? STORE_DEFAULTS.readChunkBytes;
  let readBytes = 0;
  for (const line of readRawLines(file, range)) {
    assembler.add(line);
    readBytes += line.length;
    if (readBytes < partBytes) continue;
    readBytes = 0;
    partBytes = nextChunkBytes(partBytes);
    yield assembler.take();
  }
  assembler.finish();
  yield assembler.take();
}

/** All entries of the range at once. */
export function readWholeLog(file: OpenFile, range: ByteRange): LogContents {
  const contents = [...readLog(file, range)];
  return {
    entries: contents.flatMap((part) => part.entries),
    damage: contents.flatMap((part) => part.damage),
  };
}

/** Entries of the range up to and including `toSeq`, and the damage between them. */
export function readLogUntil(file: OpenFile, range: ByteRange & { readonly toSeq: number }): LogContents {
  const entries: StoredEntry[] = [];
  const damage: LogDamage[] = [];
  const firstChunkBytes = STORE_DEFAULTS.lineProbeBytes;
  for (const part of readLog(file, { from: Math.max(0, range.from), to: range.to, firstChunkBytes })) {
    for (const found of part.damage) damage.push(found);
    for (const stored of part.entries) {
      if (stored.entry.seq <= range.toSeq) entries.push(stored);
      if (stored.entry.seq >= range.toSeq)
        return { entries, damage: damage.filter(({ position }) => position < stored.position) };
    }
  }
  return { entries, damage };
}

/** The file's bytes as a buffer, without a copy. */
export function readBuffer(file: OpenFile, position: number, length: number): Buffer {
  const bytes = file.read(position, length);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function nextChunkBytes(chunkBytes: number): number {
  return Math.min(chunkBytes * 2, STORE_DEFAULTS.readChunkBytes);
}

/** Lines of the range, the last one also without its line break. */
export function* readRawLines(
  file: OpenFile,
  { from, to, firstChunkBytes = STORE_DEFAULTS.readChunkBytes }: ByteRange,
): Generator<RawLine> {
  const line = new LineCollector(from);
  let position = from;
  let chunkBytes: number = firstChunkBytes;
  while (position < to) {
    const chunk = readBuffer(file, position, Math.min(chunkBytes, to - position));
    chunkBytes = nextChunkBytes(chunkBytes);
    // The file became shorter while it was read.
    if (chunk.length === 0) break;
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      line.add(chunk.subarray(start, end));
      yield line.take(true);
      start = end + 1;
    }
    if (start < chunk.length) line.add(chunk.subarray(start));
    position += chunk.length;
  }
  if (line.length > 0) yield line.take(false);
}

/** Collects the pieces of a line that goes over several chunks, as long as it may still be believed. */
class LineCollector {
  #position: number;
  #pieces: Buffer[] = [];
  length = 0;

  constructor(position: number) {
    this.#position = position;
  }

  add(piece: Buffer): void {
    this.length += piece.length;
    if (this.length > STORE_DEFAULTS.lineLimitBytes) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  take(isTerminated: boolean): RawLine {
    const isTooLong = this.length > STORE_DEFAULTS.lineLimitBytes;
    const only = this.#pieces.length === 1 ? this.#pieces[0] : undefined;
    const line: RawLine = {
      position: this.#position,
      length: this.length,
      bytes: isTooLong ? undefined : (only ?? Buffer.concat(this.#pieces)),
      isTerminated,
    };
    this.#position += this.length + (isTerminated ? 1 : 0);
    this.#pieces = [];
    this.length = 0;
    return line;
  }
}
