/**
 * Finds the number of a log's last entry by reading backward, so that going on with a long session
 * costs what its last entries take.
 */
import { STORE_DEFAULTS } from "../../base/defaults/store.ts";
import type { OpenFile } from "../../ports/file-system.ts";
import { NEWLINE } from "./log-line.ts";
import { readBuffer, readWholeLog } from "./log-reader.ts";

/**
 * The number of the last entry before `end`; 0 where there is none.
 *
 * A piece that holds an entry that counts holds everything after it, so its last one is that of the log.
 */
export function readLastSeq(file: OpenFile, end: number): number {
  let pieceBytes: number = STORE_DEFAULTS.tailChunkBytes;
  for (;;) {
    const from = Math.max(0, end - pieceBytes);
    const start = from === 0 ? 0 : findLineStart(file, from, end);
    const last =
      start === undefined ? undefined : readWholeLog(file, { from: start, to: end }).entries.at(-1);
    if (last !== undefined) return last.entry.seq;
    if (from === 0) return 0;
    pieceBytes *= 2;
  }
}

/** Where the first line begins that starts in the piece. */
function findLineStart(file: OpenFile, from: number, end: number): number | undefined {
  for (let position = from; position < end; ) {
    const chunk = readBuffer(file, position, Math.min(STORE_DEFAULTS.readChunkBytes, end - position));
    if (chunk.length === 0) return undefined;
    const lineBreak = chunk.indexOf(NEWLINE);
    if (lineBreak !== -1) return position + lineBreak + 1;
    position += chunk.length;
  }
  return undefined;
}
