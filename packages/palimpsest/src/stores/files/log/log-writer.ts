/**
 * Appends to a log file: a call either has all its bytes in the kernel when it returns, or throws and
 * leaves nothing that counts.
 *
 * DESIGN. The file is good up to `size`. A write that fails or is short is cut off again at once, unless
 * somebody else's bytes lie behind it. If cutting fails too, the writer is in doubt: the next append cuts
 * first, and if the disk still refuses it makes the half line void and goes on behind it. Another process's
 * torn last line is never cut off; it is closed by a line break, and made void unless something in it is
 * whole. A crash in any state leaves at most half a line at the end, which no reader takes for an entry.
 *
 * FENCING. The log itself decides between two writers: of two appends that go on from one entry, the first
 * in the file counts (`log-assembler.ts`). So a writer looks twice. Before a write: bytes that it did not
 * write are read, and an append that does not go on from them is refused and leaves nothing. After it: if
 * the file does not end where it should, somebody wrote in the same instant, and the append is acknowledged
 * only if it counts. A writer whose append does not count writes nothing any more.
 */

import { StoreError } from "../../../base/errors.ts";
import type { OpenFile } from "../../../ports/file-system.ts";
import type { StoredEntry } from "../../../ports/session-store.ts";
import type { Entry } from "../../../transcript/entries.ts";
import { assertGoesOn, sessionTaken } from "../../shared/entry-order.ts";
import { storeFailure } from "../../shared/store-failure.ts";
import { readBuffer, ShortWriteError } from "../replace/whole-file.ts";
import type { LastEntry } from "./log-assembler.ts";
import { findLineEnd, readLastEntry, VOID_LINE_BREAK } from "./log-end.ts";
import { readWholeLog } from "./log-reader.ts";

const NOTHING = Buffer.alloc(0);

class DoubtfulTailError extends Error {
  override readonly name = "DoubtfulTailError";
  readonly code = "EIO";
}

/** Lines to append, and the entries in them. */
interface NumberedLines {
  readonly lines: Uint8Array;
  readonly entries: readonly Pick<Entry, "seq" | "id">[];
}

interface Unconfirmed {
  readonly entries: NumberedLines["entries"];
  /** Where the file ends if nobody else wrote. */
  readonly end: number;
  /** Where the first line begins if nobody else wrote. */
  readonly position: number;
}

/** What was known of a log when it was read: up to which byte, and its last entry. */
export interface KnownEnd {
  readonly size: number;
  readonly last: LastEntry;
}

interface LogFileWriterOptions {
  readonly file: OpenFile;
  readonly path: string;
  readonly sessionId: string;
  /** What a reader has found out already. */
  readonly known: KnownEnd | undefined;
}

/** The one writer of one log file. */
export class LogFileWriter {
  readonly #file: OpenFile;
  readonly #path: string;
  readonly #sessionId: string;
  #size: number;
  #last: LastEntry;
  /** Where the last line begins that may not be whole; what lies before it is known. */
  #lineStart: number;
  /** What has to stand before the next line. */
  #separator: Uint8Array;
  #isTaken = false;
  /** The bytes of a write that failed, while it is not known whether they are gone again. */
  #doubtful: Uint8Array | undefined;
  /** An append that was written, while it is not known whether it counts. */
  #unconfirmed: Unconfirmed | undefined;

  constructor({ file, path, sessionId, known }: LogFileWriterOptions) {
    this.#file = file;
    this.#path = path;
    this.#sessionId = sessionId;
    this.#size = file.size();
    const { separator, lineStart } = findLineEnd(file, this.#size);
    this.#separator = separator;
    this.#lineStart = lineStart;
    this.#last = known?.size === this.#size ? known.last : readLastEntry(file, this.#size);
  }

  get file(): OpenFile {
    return this.#file;
  }

  /** What this writer knows to be in the file. */
  get end(): KnownEnd {
    return { size: this.#size, last: this.#last };
  }

  /** The last entry that counts now: what the next append goes on from. */
  look(): LastEntry {
    this.#settle();
    return this.#last;
  }

  /**
   * Writes whole lines in one write; returns where the first begins.
   * @throws `STORE_FAILED` if they could not all be written, `SESSION_TAKEN` if they do not go on where
   * the log ends; none of them counts then.
   */
  append({ lines, entries }: NumberedLines): number {
    this.#settle();
    if (this.#isTaken) throw this.#taken("has gone on with it, so nothing more is appended here");
    assertGoesOn(entries, this.#last.seq, this.#sessionId);
    const separator = this.#separator;
    const bytes = separator.length === 0 ? lines : Buffer.concat([separator, lines]);
    const failure = this.#write(bytes);
    if (failure !== undefined && this.#takeBack(bytes) !== "all-there") throw failure;

    this.#unconfirmed = {
      entries,
      end: this.#size + bytes.length,
      position: this.#size + separator.length,
    };
    return this.#confirm(this.#unconfirmed);
  }

  /** Where the append lies, once it is known that it counts. */
  #confirm(append: Unconfirmed): number {
    try {
      if (this.#file.endsAt(append.end)) return this.#keep(append);
      return this.#confirmAt(append, this.#file.size());
    } catch (error) {
      // The disk took the bytes and will not tell where it ends: whether they count is seen with the next append.
      if (error instanceof StoreError) throw error;
      return append.position;
    }
  }

  #confirmAt(append: Unconfirmed, size: number): number {
    const { entries, end } = append;
    if (size === end) return this.#keep(append);
    // Somebody wrote in the same instant.
    const stored = this.#lookAt(size);
    this.#unconfirmed = undefined;
    const index = stored.findIndex(({ entry }) => entry.id === entries[0]!.id);
    const isThere = index !== -1 && entries.every(({ id }, at) => stored[index + at]?.entry.id === id);
    if (isThere) return stored[index]!.position;
    this.#isTaken = true;
    throw this.#taken("appended in the same instant and came first, so this append does not count");
  }

  /** It lies where it was written to, and nothing behind it. */
  #keep({ entries, end, position }: Unconfirmed): number {
    this.#size = end;
    this.#lineStart = end;
    this.#separator = NOTHING;
    this.#last = entries[entries.length - 1]!;
    this.#unconfirmed = undefined;
    return position;
  }

  #write(bytes: Uint8Array): Error | undefined {
    try {
      const written = this.#file.write(bytes);
      if (written === bytes.length) return undefined;
      return this.#failure(bytes, new ShortWriteError(`only ${written} of them were taken`));
    } catch (error) {
      return this.#failure(bytes, error);
    }
  }

  #failure(bytes: Uint8Array, error: unknown): Error {
    return storeFailure(
      `${bytes.length} bytes could not be appended to ${this.#path} at ${this.#size}`,
      error,
    );
  }

  #taken(what: string): Error {
    return sessionTaken(`Another writer of session ${this.#sessionId} ${what}.`);
  }

  /**
   * Cuts off what a failed write left. If it cannot be cut but is complete, it is in the kernel, which
   * is what acknowledged means: then the append did succeed.
   */
  #takeBack(bytes: Uint8Array): "taken-back" | "all-there" | "in-doubt" {
    let landed: Landed | undefined;
    try {
      landed = this.#landed(bytes, this.#file.size());
      if (landed === "part" || landed === "all") this.#file.truncate(this.#size);
      if (landed !== "foreign") return "taken-back";
    } catch {
      // The failure that the caller hears of is the one of the write; this one is dealt with by `#settle`.
      if (landed === "all") return "all-there";
    }
    // The bytes of a line are used again for the next.
    this.#doubtful = Buffer.from(bytes);
    return "in-doubt";
  }

  /** How much of a write lies at the end of the file; `foreign` if anything else does. */
  #landed(bytes: Uint8Array, size: number): Landed {
    if (size <= this.#size) return "nothing";
    const length = size - this.#size;
    if (length > bytes.length) return "foreign";
    if (!readBuffer(this.#file, this.#size, length).equals(bytes.subarray(0, length))) return "foreign";
    return length === bytes.length ? "all" : "part";
  }

  /** Makes sure that the file ends where this writer thinks it does. */
  #settle(): void {
    try {
      const isClear = this.#doubtful === undefined && this.#unconfirmed === undefined;
      if (isClear && this.#file.endsAt(this.#size)) return;
      let size = this.#file.size();
      if (this.#doubtful !== undefined) size = this.#resolve(this.#doubtful, size);
      if (this.#unconfirmed !== undefined) this.#confirmAt(this.#unconfirmed, size);
      else if (size !== this.#size) this.#lookAt(size);
    } catch (error) {
      throw storeFailure(`${this.#path} could not be prepared for an append at ${this.#size}`, error);
    }
  }

  /** Gets rid of what a failed write left; returns where the file ends then. */
  #resolve(bytes: Uint8Array, size: number): number {
    const landed = this.#landed(bytes, size);
    const isOurs = landed === "part" || landed === "all";
    if (isOurs && !this.#canTruncate()) {
      if (landed === "all")
        throw new DoubtfulTailError(
          `the last ${bytes.length} bytes were refused, are there nevertheless, and cannot be taken back`,
        );
      this.#size = size;
      this.#separator = VOID_LINE_BREAK;
    }
    this.#doubtful = undefined;
    return isOurs ? this.#size : size;
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

  /** Someone else appended or cut: what they left is as good as what was there at opening. */
  #lookAt(size: number): readonly StoredEntry[] {
    const isCut = size < this.#size;
    const from = this.#lineStart;
    const entries = isCut ? [] : readWholeLog(this.#file, { from, to: size, after: this.#last }).entries;
    const last = isCut ? readLastEntry(this.#file, size) : (entries.at(-1)?.entry ?? this.#last);
    const { separator, lineStart } = findLineEnd(this.#file, size);
    this.#size = size;
    this.#last = last;
    this.#separator = separator;
    this.#lineStart = lineStart;
    return entries;
  }
}

type Landed = "nothing" | "part" | "all" | "foreign";
