/**
 * How a log ends: its last entry, and what has to stand before the next one. Found by reading backward, so
 * that going on with a long session costs what its last entries take.
 */
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import type { OpenFile } from "../../../ports/file-system.ts";
import { readBuffer } from "../replace/whole-file.ts";
import type { LastEntry } from "./log-assembler.ts";
import { hasWholePart, NEWLINE, VOID_MARK } from "./log-line.ts";
import { readMiddleOfLog } from "./log-middle.ts";

const NOTHING = Buffer.alloc(0);
const LINE_BREAK = Buffer.from("\n", "latin1");
/** Closes a half line for good. */
export const VOID_LINE_BREAK = Buffer.from(`${VOID_MARK}\n`, "latin1");

/** The entry that the next one goes on from; number 0 where there is none. */
export function readLastEntry(file: OpenFile, end: number): LastEntry {
  for (let pieceBytes: number = STORE_DEFAULTS.tailChunkBytes; ; pieceBytes *= 2) {
    const from = Math.max(0, end - pieceBytes);
    const middle = readMiddleOfLog(file, { from, to: end });
    const last = middle?.entries.at(-1)?.entry ?? middle?.before;
    if (last !== undefined) return { seq: last.seq, id: last.id };
    if (from === 0) return { seq: 0, id: undefined };
  }
}

/** The end of a file: what has to be written before a line can begin there, and where its last line begins. */
interface LineEnd {
  readonly separator: Uint8Array;
  readonly lineStart: number;
}

/** Looks at the last line: it may be torn, whole without its line break, or something else's. */
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

/** The bytes after the last line break; `undefined` where they are too many to be a line. */
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
