/**
 * Appends to a log file: a call either has all its bytes in the kernel when it returns, or throws and
 * leaves nothing that counts.
 *
 * DESIGN. The file is good up to `size`. A write that fails or is short is cut off again at once. If
 * cutting fails too, the writer is in doubt: the next append cuts first, and if the disk still refuses
 * it makes the half line void and goes on behind it. Another process's torn last line is never cut off;
 * it is closed by a line break, and made void unless something in it is whole. A crash in any state leaves at most
 * half a line at the end, which no reader takes for an entry.
 *
 * The writer knows the number of the last entry. Bytes that it did not write are read before it goes on,
 * so that an append of somebody who does not know what another writer appended is refused, not stored
 * beside it. Two writes in the same instant can still both succeed: then the next append of each finds it.
 */
import { STORE_DEFAULTS } from "../../base/defaults/store.ts";
import type { OpenFile } from "../../ports/file-system.ts";
import type { Entry } from "../../transcript/entries.ts";
import { assertGoesOn, sessionTaken } from "../shared/entry-order.ts";
import { storeFailure } from "../shared/store-failure.ts";
import { readLastSeq } from "./log-end.ts";
import { hasWholePart, NEWLINE, VOID_MARK } from "./log-line.ts";
import { readBuffer, readWholeLog } from "./log-reader.ts";

const NOTHING = Buffer.alloc(0);
const LINE_BREAK = Buffer.from("\n", "latin1");
const VOID_LINE_BREAK = Buffer.from(`${VOID_MARK}\n`, "latin1");

/** What could not be taken back: the bytes of the write that failed. */
interface Doubt {
  readonly failedBytes: number;
}

class ShortWriteError extends Error {
  override readonly name = "ShortWriteError";
  readonly code = "ESHORT";
}

class DoubtfulTailError extends Error {
  override readonly name = "DoubtfulTailError";
  readonly code = "EIO";
}

/** Lines to append, and the numbers of the entries in them. */
export interface NumberedLines {
  readonly lines: Uint8Array;
  readonly entries: readonly Pick<Entry, "seq">[];
}

/** What was known of a log when it was read: up to which byte, and the number of its last entry. */
export interface KnownEnd {
  readonly size: number;
  readonly lastSeq: number;
}

export interface LogWriterOptions {
  readonly file: OpenFile;
  readonly path: string;
  readonly sessionId: string;
  /** What a reader has found out already. */
  readonly known: KnownEnd | undefined;
}

/** The one writer of one log file. */
export class LogWriter {
  readonly #file: OpenFile;
  readonly #path: string;
  readonly #sessionId: string;
  #size: number;
  #lastSeq: number;
  /** Where the last append of this writer begins; what was there before is as it was read. */
  #appendedFrom: number;
  #isTaken = false;
  /** What has to stand before the next line. */
  #separator: Uint8Array;
  #doubt: Doubt | undefined;

  constructor({ file, path, sessionId, known }: LogWriterOptions) {
    this.#file = file;
    this.#path = path;
    this.#sessionId = sessionId;
    this.#size = file.size();
    this.#appendedFrom = this.#size;
    this.#separator = findSeparator(file, this.#size);
    this.#lastSeq = known?.size === this.#size ? known.lastSeq : readLastSeq(file, this.#size);
  }

  get file(): OpenFile {
    return this.#file;
  }

  /** Bytes of the file that count. */
  get size(): number {
    return this.#size;
  }

  /**
   * Writes whole lines in one write; returns where the first begins.
   * @throws `STORE_FAILED` if they could not all be written, `SESSION_TAKEN` if they do not go on where
   * the log ends; none of them counts then.
   */
  append({ lines, entries }: NumberedLines): number {
    this.#settle();
    if (this.#isTaken)
      throw sessionTaken(`Another writer appended to session ${this.#sessionId} in the same instant.`);
    assertGoesOn(entries, this.#lastSeq, this.#sessionId);
    const separator = this.#separator;
    const bytes = separator.length === 0 ? lines : Buffer.concat([separator, lines]);
    const failure = this.#write(bytes);
    if (failure !== undefined && this.#takeBack(bytes.length) !== "all-there") throw failure;

    const position = this.#size + separator.length;
    this.#appendedFrom = position;
    this.#lastSeq += entries.length;
    this.#size += bytes.length;
    this.#separator = NOTHING;
    return position;
  }

  #write(bytes: Uint8Array): Error | undefined {
    const what = `${bytes.length} bytes could not be appended to ${this.#path} at ${this.#size}`;
    try {
      const written = this.#file.write(bytes);
      if (written === bytes.length) return undefined;
      return storeFailure(what, new ShortWriteError(`only ${written} of them were taken`));
    } catch (error) {
      return storeFailure(what, error);
    }
  }

  /**
   * Cuts off what a failed write left. If it cannot be cut but is complete, it is in the kernel, which
   * is what acknowledged means: then the append did succeed.
   */
  #takeBack(failedBytes: number): "taken-back" | "all-there" | "in-doubt" {
    try {
      this.#file.truncate(this.#size);
      return "taken-back";
    } catch {
      // The failure that the caller hears of is the one of the write; this one is dealt with below.
      return this.#isAllThere(failedBytes) ? "all-there" : this.#beInDoubt(failedBytes);
    }
  }

  #isAllThere(failedBytes: number): boolean {
    try {
      return this.#file.size() === this.#size + failedBytes;
    } catch {
      // Not knowing the size is the same as not having succeeded.
      return false;
    }
  }

  #beInDoubt(failedBytes: number): "in-doubt" {
    this.#doubt = { failedBytes };
    return "in-doubt";
  }

  /** Makes sure that the file ends where this writer thinks it does. */
  #settle(): void {
    try {
      const size = this.#file.size();
      if (this.#doubt !== undefined) this.#resolve(this.#doubt, size);
      else if (size !== this.#size) this.#takeOver(size);
    } catch (error) {
      throw storeFailure(`${this.#path} could not be prepared for an append at ${this.#size}`, error);
    }
  }

  /** Someone else appended or cut: what they left is as good as what was there at opening. */
  #takeOver(size: number): void {
    this.#separator = findSeparator(this.#file, size);
    this.#lastSeq = size < this.#size ? readLastSeq(this.#file, size) : this.#readOn(size);
    this.#size = size;
  }

  #readOn(size: number): number {
    const { entries, damage } = readWholeLog(this.#file, { from: this.#appendedFrom, to: size });
    if (damage.some(({ reason }) => reason === "duplicate-seq")) this.#isTaken = true;
    return Math.max(this.#lastSeq, entries.at(-1)?.entry.seq ?? 0);
  }

  #resolve({ failedBytes }: Doubt, size: number): void {
    if (size > this.#size && !this.#canTruncate()) {
      if (size === this.#size + failedBytes)
        throw new DoubtfulTailError(
          `the last ${failedBytes} bytes were refused, are there nevertheless, and cannot be taken back`,
        );
      this.#size = size;
      this.#separator = VOID_LINE_BREAK;
    }
    this.#doubt = undefined;
  }

  #canTruncate(): boolean {
    try {
      this.#file.truncate(this.#size);
      return true;
    } catch {
      // The half line is made void instead.
      return false;
    }
  }
}

/** What has to be written before a line can begin at the end of the file. */
function findSeparator(file: OpenFile, size: number): Uint8Array {
  if (size === 0 || readBuffer(file, size - 1, 1)[0] === NEWLINE) return NOTHING;
  const lastLine = readLastLine(file, size);
  return lastLine !== undefined && hasWholePart(lastLine) ? LINE_BREAK : VOID_LINE_BREAK;
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
