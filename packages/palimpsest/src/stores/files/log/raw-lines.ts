/**
 * The lines of a log file as bytes, before anything is parsed.
 *
 * One chunk and the longest allowed line bound the memory; a longer line has no bytes.
 */
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import type { OpenFile } from "../../../ports/file-system.ts";
import { readBuffer } from "../replace/whole-file.ts";
import { NEWLINE } from "./log-line.ts";

/** The bytes between two line breaks; `bytes` is absent if the line is too long. */
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
  /** Bytes of the first read, for a caller that may need one entry only; each next read is twice as large. */
  readonly firstChunkBytes?: number;
}

/** Yields the lines of the range, the last one even without a line break. */
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

/** The size of the next read. */
export function nextChunkBytes(chunkBytes: number): number {
  return Math.min(chunkBytes * 2, STORE_DEFAULTS.readChunkBytes);
}

/** Collects the pieces of a line that spans several chunks, up to the limit. */
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
