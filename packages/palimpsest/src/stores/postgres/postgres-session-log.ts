/** One session in PostgreSQL. Its operations run one after another. */
import { assert } from "../../base/assert.ts";
import { StoreError } from "../../base/errors.ts";
import type { Hasher } from "../../ports/runtime.ts";
import type { LogContents, NotesFile, SessionLog, StoredEntry } from "../../ports/session-store.ts";
import type { Entry } from "../../transcript/entries.ts";
import { RepeatedAppend } from "../shared/append-rules.ts";
import { encodeParts } from "../shared/encode-parts.ts";
import { logClosed, sessionNotFound } from "../shared/store-failure.ts";
import { batchOf } from "./log/entry-rows.ts";
import type { LogRows } from "./log/log-rows.ts";
import type { ReaderRows } from "./log/reader-rows.ts";
import type { SessionWriter } from "./log/session-writer.ts";
import type { WriterRows } from "./log/writer-rows.ts";
import type { PostgresNotesOptions } from "./postgres-notes.ts";

const HASH_PATTERN = /^[0-9a-f]{64}$/;

interface PostgresSessionLogOptions {
  readonly sessionId: string;
  readonly writer: SessionWriter;
  readonly writerRows: WriterRows;
  readonly readerRows: ReaderRows;
  readonly logRows: LogRows;
  readonly hasher: Hasher;
  /** The notes of the session, given how to find its row and to make sure that it is there. */
  readonly notesOf: (options: Pick<PostgresNotesOptions, "key" | "reserve" | "assertOpen">) => NotesFile;
}

export class PostgresSessionLog implements SessionLog {
  readonly sessionId: string;
  readonly notes: NotesFile;
  readonly #writer: SessionWriter;
  readonly #writerRows: WriterRows;
  readonly #reader: ReaderRows;
  readonly #rows: LogRows;
  readonly #hasher: Hasher;
  readonly #repeated = new RepeatedAppend();
  readonly #knownBlobs = new Set<string>();
  #queue: Promise<unknown> = Promise.resolve();
  #bytesWritten = 0;
  #isClosed = false;

  constructor(options: PostgresSessionLogOptions) {
    this.sessionId = options.sessionId;
    this.#writer = options.writer;
    this.#writerRows = options.writerRows;
    this.#reader = options.readerRows;
    this.#rows = options.logRows;
    this.#hasher = options.hasher;
    this.notes = options.notesOf({
      key: () => this.#writer.key,
      reserve: () => this.#inTurn(() => this.#writer.reserve()),
      assertOpen: () => this.#assertOpen(),
    });
  }

  async acquire(): Promise<void> {
    this.#assertOpen();
    await this.#inTurn(() => this.#writer.acquire());
  }

  async append(entries: readonly Entry[]): Promise<readonly number[]> {
    this.#assertOpen();
    if (entries.length === 0) return [];
    const batch = batchOf(entries);
    return this.#inTurn(async () => {
      const repeated = this.#repeated.find(batch.entries);
      if (repeated !== undefined) return repeated;
      await this.#writer.append(batch);
      this.#bytesWritten += batch.bytes;
      return this.#repeated.keep(
        batch.entries,
        batch.entries.map(({ seq }) => seq),
      );
    });
  }

  /** Waits for operations under way. Acknowledged ones are committed, and so durable. */
  async sync(): Promise<void> {
    this.#assertOpen();
    await this.#inTurn(async () => {});
  }

  async readTail(throughSeq?: number): Promise<LogContents> {
    this.#assertOpen();
    const key = this.#writer.key;
    if (key === undefined || throughSeq !== undefined) return { entries: [], damage: [] };
    return this.#rows.tail(key);
  }

  /** An index leads to the row. */
  async find(seq: number): Promise<StoredEntry | undefined> {
    const { entries } = await this.readFrom(seq, seq);
    return entries.find(({ entry }) => entry.seq === seq);
  }

  async readFrom(position: number, toSeq: number): Promise<LogContents> {
    this.#assertOpen();
    const key = this.#writer.key;
    if (key === undefined) return { entries: [], damage: [] };
    return this.#rows.stretch(key, wholeSeq(position), wholeSeq(toSeq));
  }

  async *readAll(): AsyncGenerator<LogContents> {
    this.#assertOpen();
    const key = this.#writer.key;
    if (key === undefined) return;
    for await (const page of this.#rows.all(key)) {
      yield page;
      this.#assertOpen();
    }
  }

  readonly putBlob = (hash: string, text: string): Promise<void> => this.putBlobInParts(hash, [text]);
  /** The driver copies the bytes into its message at once: a few milliseconds for ten megabytes. */
  async putBlobInParts(hash: string, parts: readonly string[]): Promise<void> {
    this.#assertOpen();
    assert(HASH_PATTERN.test(hash), "a blob is named by a SHA-256 in small hex digits");
    await this.#inTurn(async () => {
      if (this.#knownBlobs.has(hash)) return;
      const content = await encodeParts(parts);
      const isNew = await this.#writerRows.putBlob(await this.#writer.reserve(), hash, content);
      if (isNew === undefined) throw sessionNotFound(this.sessionId, "the database");
      this.#knownBlobs.add(hash);
      if (isNew) this.#bytesWritten += content.length;
    });
  }

  async getBlob(hash: string): Promise<string | undefined> {
    this.#assertOpen();
    const key = this.#writer.key;
    if (key === undefined || !HASH_PATTERN.test(hash)) return undefined;
    const content = await this.#reader.blob(key, hash);
    if (content === undefined) return undefined;
    const text = Buffer.from(content).toString("utf8");
    if (this.#hasher.sha256(text) === hash) return text;
    throw new StoreError("BLOB_MISSING", {
      message: `The blob ${hash} of session ${this.sessionId} is not what was stored: its ${content.length} bytes have another hash.`,
      hint: "Store the same text again, or restore it from a backup; everything else in the session is readable.",
    });
  }

  bytesWritten(): number {
    return this.#bytesWritten;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#inTurn(() => this.#writer.close());
  }

  /** After everything that was asked for before, whether or not it went well. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    // The caller gets the failure.
    this.#queue = done.catch(() => {});
    return done;
  }

  #assertOpen(): void {
    if (this.#isClosed) throw logClosed(this.sessionId);
  }
}

/** Numbers that a caller may pass for "to the end" included. */
function wholeSeq(seq: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.ceil(seq) || 0));
}
