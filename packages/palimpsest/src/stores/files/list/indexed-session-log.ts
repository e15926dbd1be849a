/**
 * A session's log that keeps the index of its folder up to date: it adds `open` before its first entry and `close` when
 * it is closed. Failures of the index never affect the log.
 */
import type { LogContents, LogReading, NotesFile, SessionLog } from "../../../ports/session-store.ts";
import type { Entry } from "../../../transcript/entries.ts";
import type { IndexRow } from "./index-rows.ts";
import type { SessionIndex } from "./session-index.ts";

interface IndexedSessionLogOptions {
  readonly log: SessionLog;
  readonly index: SessionIndex;
  /** Identifies this writer in the index. */
  readonly writerId: string;
  /** True if the session is not in the folder yet. */
  readonly isNew: boolean;
  /** The current row of the session. */
  readonly rowOf: () => IndexRow | undefined;
}

export class IndexedSessionLog implements SessionLog {
  readonly sessionId: string;
  readonly notes?: NotesFile;
  readonly #options: IndexedSessionLogOptions;
  readonly #log: SessionLog;
  #isOpened = false;
  #isUnsynced = false;
  #isClosed = false;

  constructor(options: IndexedSessionLogOptions) {
    this.sessionId = options.log.sessionId;
    this.#options = options;
    this.#log = options.log;
    if (options.log.notes !== undefined) this.notes = options.log.notes;
  }

  acquire(): Promise<void> {
    return this.#log.acquire();
  }

  append(entries: readonly Entry[]): Promise<readonly number[]> {
    if (!this.#isOpened && !this.#isClosed && entries.length > 0) this.#open();
    return this.#log.append(entries);
  }

  #open(): void {
    this.#isOpened = true;
    this.#isUnsynced = true;
    const { index, writerId, isNew } = this.#options;
    const isAdded = index.add([{ on: "open", sessionId: this.sessionId, by: writerId, isNew }]);
    // Without its line the index would be behind this session.
    if (!isAdded) index.remove();
  }

  async sync(): Promise<void> {
    if (this.#isUnsynced && !this.#isClosed) {
      this.#isUnsynced = false;
      await this.#options.index.sync();
    }
    return this.#log.sync();
  }

  readTail(): Promise<LogContents> {
    return this.#log.readTail();
  }

  readFrom(position: number, toSeq: number): Promise<LogContents> {
    return this.#log.readFrom(position, toSeq);
  }

  readAll(reading?: LogReading): AsyncIterable<LogContents> {
    return this.#log.readAll(reading);
  }

  putBlob(hash: string, text: string): Promise<void> {
    return this.#log.putBlob(hash, text);
  }

  getBlob(hash: string): Promise<string | undefined> {
    return this.#log.getBlob(hash);
  }

  bytesWritten(): number {
    return this.#log.bytesWritten();
  }

  async close(): Promise<void> {
    const isFirst = !this.#isClosed;
    this.#isClosed = true;
    await this.#log.close();
    if (isFirst && this.#isOpened) this.#noteClosed();
  }

  #noteClosed(): void {
    const { index, writerId, rowOf } = this.#options;
    try {
      const row = rowOf();
      if (row !== undefined) index.add([{ on: "close", by: writerId, row }]);
    } catch {
      // The session stays open in the index, so each list reads it again.
    }
  }
}
