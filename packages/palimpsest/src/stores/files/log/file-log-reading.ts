/**
 * Reads the log of one session: its end at opening, single stretches, or all of it.
 *
 * All three give the same log. The end and single stretches are read alone as long as nothing contradicts them;
 * otherwise one scan of the whole file decides.
 */
import { setImmediate } from "node:timers/promises";
import type { OpenFile } from "../../../ports/file-system.ts";
import type { LogContents, LogReading, StoredEntry } from "../../../ports/session-store.ts";
import { readLogUntil } from "./log-reader.ts";
import { findCertain, readTailThrough } from "./log-search.ts";
import { readLogTail } from "./log-tail.ts";
import type { KnownEnd } from "./log-writer.ts";
import {
  type LogScan,
  readScanned,
  readSeqs,
  readTailOf,
  scanAtOnce,
  scanLog,
  seqAt,
} from "./ordered-log.ts";
import { isInOrder, isTailInPlace } from "./verify-log-end.ts";

const EMPTY: LogContents = { entries: [], damage: [] };
/** Stands before the first entry. */
const NO_ENTRY = { seq: 0, id: undefined } as const;

/** Does `work` with the open file; returns `undefined` if there is none yet. */
type ReadFile = <Result>(work: (file: OpenFile) => Result) => Result | undefined;

export class FileLogReading {
  readonly #read: ReadFile;
  /** The last scan of the whole file. */
  #scan: LogScan | undefined;
  /** The end of the log when it was read, so that the first append does not read it again. */
  known: KnownEnd | undefined;

  constructor(read: ReadFile) {
    this.#read = read;
  }

  async readTail(throughSeq?: number): Promise<LogContents> {
    const size = this.#read((file) => file.size()) ?? 0;
    if (throughSeq !== undefined)
      return this.#search((file) => readTailThrough(file, size, throughSeq)) ?? EMPTY;
    const tail = this.#read((file) => readLogTail(file, size));
    const isSure = tail === undefined || this.#read((file) => isTailInPlace(file, tail));
    const contents = isSure ? tail : await this.#readOrderedTail(size, tail);
    if (contents !== undefined) this.#know(size, contents.entries);
    return contents ?? EMPTY;
  }

  /** An entry, found without reading the whole file; `undefined` where only that can tell. */
  async find(seq: number): Promise<StoredEntry | undefined> {
    const size = this.#read((file) => file.size()) ?? 0;
    return this.#search((file) => findCertain(file, size, seq));
  }

  /** Nothing of a file that is known to be out of order. */
  #search<Found>(work: (file: OpenFile) => Found | undefined): Found | undefined {
    return this.#scan?.pieces === undefined ? this.#read(work) : undefined;
  }

  /** Finds the end of the log synchronously; scans all of it if the end alone cannot tell. */
  lookAtEnd(): void {
    const size = this.#read((file) => file.size()) ?? 0;
    const tail = this.#read((file) => readLogTail(file, size));
    const isSure = tail !== undefined && this.#read((file) => isTailInPlace(file, tail)) === true;
    if (isSure) this.#know(size, tail.entries);
    else this.known = { size, last: this.#read((file) => scanAtOnce(file, size))?.last ?? NO_ENTRY };
  }

  /** A reader that saw the end continues from it, even if the end alone of a damaged log would say otherwise. */
  #know(size: number, entries: LogContents["entries"]): void {
    const last = entries.at(-1)?.entry;
    if (last !== undefined) this.known = { size, last: { seq: last.seq, id: last.id } };
  }

  /** The tail of the whole log, if the lines of the file are not in order. */
  async #readOrderedTail(size: number, tail: LogContents): Promise<LogContents | undefined> {
    const scan = await this.#scanned(size);
    const last = tail.entries.at(-1)?.entry;
    const isSame = scan?.pieces === undefined && scan?.last?.id === last?.id;
    return scan === undefined || isSame ? tail : this.#read((file) => readTailOf(file, scan));
  }

  async readFrom(position: number, toSeq: number): Promise<LogContents> {
    const size = this.#read((file) => file.size()) ?? 0;
    const contents = await this.#readUntil(size, position, toSeq);
    if (toSeq === Number.MAX_SAFE_INTEGER) this.#know(size, contents.entries);
    return contents;
  }

  async #readUntil(size: number, position: number, toSeq: number): Promise<LogContents> {
    const found = this.#read((file) => readLogUntil(file, { from: position, to: size, toSeq }));
    if (found === undefined) return EMPTY;
    if (this.#scan?.pieces === undefined && isInOrder(found)) return found;
    const scan = await this.#scanned(size);
    if (scan?.pieces === undefined) return found;
    const fromSeq = this.#read((file) => seqAt(file, scan, position));
    if (fromSeq === undefined) return found;
    return this.#read((file) => readSeqs(file, scan, { fromSeq, toSeq })) ?? EMPTY;
  }

  async *readAll({ outline: isOutline = false, damageOnly }: LogReading = {}): AsyncGenerator<LogContents> {
    const size = this.#read((file) => file.size()) ?? 0;
    // The caller paces a search for damage; nothing else may block the rest of the process.
    const scan = damageOnly ? yield* this.#scanning(size) : await this.#scanned(size);
    if (scan === undefined) return;
    if (damageOnly) {
      yield { entries: [], damage: scan.damage };
      return;
    }
    const parts = this.#read((file) => readScanned(file, scan, isOutline));
    // In a log without entries the first number is 1, whatever the file has.
    let last: KnownEnd["last"] = NO_ENTRY;
    for (;;) {
      const next = this.#read(() => parts?.next());
      if (next === undefined || next.done === true) break;
      last = next.value.entries.at(-1)?.entry ?? last;
      yield next.value;
      await setImmediate();
    }
    // Only here: an append that comes while the log is read continues its end, not the last entry that was read. An outline
    // may hold lines that are not entries.
    if (!isOutline) this.known = { size, last: { seq: last.seq, id: last.id } };
  }

  async #scanned(size: number): Promise<LogScan | undefined> {
    const steps = this.#scanning(size);
    for (;;) {
      const step = await steps.next();
      if (step.done === true) return step.value;
      await setImmediate();
    }
  }

  /** Scans the whole file, unless the last scan still holds. */
  async *#scanning(size: number): AsyncGenerator<LogContents, LogScan | undefined> {
    const steps = this.#scan?.size === size ? undefined : this.#read((file) => scanLog(file, size));
    for (;;) {
      const step = this.#read(() => steps?.next());
      if (step === undefined) return this.#scan;
      if (step.done === true) this.#scan = step.value;
      if (step.done === true) return step.value;
      yield EMPTY;
    }
  }
}
