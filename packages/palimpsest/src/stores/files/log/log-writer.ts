/**
 * Appends to a log file. When a call returns, the kernel has all its bytes; when it throws, nothing of it counts.
 *
 * DESIGN. The file is good up to `size`. A failed or short write is truncated at once, unless bytes of another process
 * follow it. If truncating fails too, the writer is in doubt: the next append truncates first; if the disk still
 * refuses, it makes the half line void and continues after it. A torn last line of another process is never truncated:
 * it gets a line break, and is made void unless something in it is whole. A crash in any state leaves at most half a
 * line at the end, which no reader takes for an entry.
 *
 * FENCING. The log itself decides between two writers: of two appends that continue one entry, the first in the file
 * counts (`log-assembler.ts`). So a writer checks twice. Before a write it reads bytes that it did not write, and
 * refuses an append that does not continue them. After a write, if the file does not end at the expected place, another
 * process wrote in the same instant; then the append is acknowledged only if it counts. A writer whose append does not
 * count never writes again.
 */

import { StoreError } from "../../../base/errors.ts";
import type { OpenFile } from "../../../ports/file-system.ts";
import type { ProcessIdentity } from "../../../ports/runtime.ts";
import type { StoredEntry } from "../../../ports/session-store.ts";
import { ENTRY_VERSION, type Entry } from "../../../transcript/entries.ts";
import { assertGoesOn, sessionTaken } from "../../shared/append-rules.ts";
import { storeFailure } from "../../shared/store-failure.ts";
import { readBuffer, ShortWriteError } from "../replace/whole-file.ts";
import type { LastEntry } from "./log-assembler.ts";
import { readWholeLog } from "./log-reader.ts";
import { findLineEnd, readLastEntry, VOID_LINE_BREAK } from "./log-tail.ts";

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
  /** Expected end of the file, without another writer. */
  readonly end: number;
  /** Expected start of the first line, without another writer. */
  readonly position: number;
}

/** The end of a log when it was read: its size and its last entry. */
export interface KnownEnd {
  readonly size: number;
  readonly last: LastEntry;
}

interface LogFileWriterOptions {
  readonly file: OpenFile;
  readonly path: string;
  readonly sessionId: string;
  /** The end of the log as a reader found it. */
  readonly known: KnownEnd | undefined;
}

/** The one writer of one log file. */
export class LogFileWriter {
  readonly #file: OpenFile;
  readonly #path: string;
  readonly #sessionId: string;
  #size: number;
  #last: LastEntry;
  /** Start of the last line, which may not be whole; everything before it is known. */
  #lineStart: number;
  /** Bytes to write before the next line. */
  #separator: Uint8Array;
  #isTaken = false;
  /** The bytes of a failed write that may still be in the file. */
  #doubtful: Uint8Array | undefined;
  /** A written append that may not count. */
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

  /** The end of the file as this writer knows it. */
  get end(): KnownEnd {
    return { size: this.#size, last: this.#last };
  }

  /** The last entry that counts now, which the next append continues. */
  look(): LastEntry {
    this.#settle();
    return this.#last;
  }

  /**
   * Writes whole lines in one write; returns the position of the first.
   * @throws `STORE_FAILED` if not all could be written, `SESSION_TAKEN` if they do not continue the log; then none of
   * them counts.
   */
  append({ lines, entries }: NumberedLines): number {
    this.#settle();
    if (this.#isTaken) throw this.#taken("has continued it, so this one appends nothing more");
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

  /** Returns the position of the append, once it is certain that it counts. */
  #confirm(append: Unconfirmed): number {
    try {
      if (this.#file.endsAt(append.end)) return this.#keep(append);
      return this.#confirmAt(append, this.#file.size());
    } catch (error) {
      // The disk took the bytes but does not tell the file's size: the next append checks that they count.
      if (error instanceof StoreError) throw error;
      return append.position;
    }
  }

  #confirmAt(append: Unconfirmed, size: number): number {
    const { entries, end } = append;
    if (size === end) return this.#keep(append);
    // Another process wrote in the same instant.
    const stored = this.#lookAt(size);
    this.#unconfirmed = undefined;
    const index = stored.findIndex(({ entry }) => entry.id === entries[0]!.id);
    const isThere = index !== -1 && entries.every(({ id }, at) => stored[index + at]?.entry.id === id);
    if (isThere) return stored[index]!.position;
    this.#isTaken = true;
    throw this.#taken("appended in the same instant and came first, so this append does not count");
  }

  /** The append is at its expected place, and nothing follows it. */
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
   * Truncates the bytes of a failed write. If they cannot be removed but are complete, the kernel has them, which is
   * what acknowledged means: then the append has succeeded.
   */
  #takeBack(bytes: Uint8Array): "taken-back" | "all-there" | "in-doubt" {
    let landed: Landed | undefined;
    try {
      landed = this.#landed(bytes, this.#file.size());
      if (landed === "part" || landed === "all") this.#file.truncate(this.#size);
      if (landed !== "foreign") return "taken-back";
    } catch {
      // The caller gets the error of the write; `#settle` deals with this one.
      if (landed === "all") return "all-there";
    }
    // A copy: the buffer is used again for the next line.
    this.#doubtful = Buffer.from(bytes);
    return "in-doubt";
  }

  /** Tells how much of a write is at the end of the file; `foreign` if other bytes are. */
  #landed(bytes: Uint8Array, size: number): Landed {
    if (size <= this.#size) return "nothing";
    const length = size - this.#size;
    if (length > bytes.length) return "foreign";
    if (!readBuffer(this.#file, this.#size, length).equals(bytes.subarray(0, length))) return "foreign";
    return length === bytes.length ? "all" : "part";
  }

  /** Brings the file and this writer's idea of its end together. */
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

  /** Removes the bytes of a failed write; returns the size of the file then. */
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

  /** Reads what another process appended or cut; it is trusted like the content at opening. */
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

/**
 * The entry that a process appends when it takes a session over. It moves the log's numbers on, so that the writer before
 * is refused, and has no other effect.
 */
export function fenceEntry(
  last: LastEntry,
  { at, id, process }: { readonly at: number; readonly id: string; readonly process: ProcessIdentity },
): Entry {
  return {
    type: "metadata",
    seq: last.seq + 1,
    id,
    ...(last.id === undefined ? {} : { parentId: last.id }),
    v: ENTRY_VERSION,
    at,
    key: "palimpsest.lease",
    value: { pid: process.pid, host: process.host },
  };
}
