/**
 * One session in files: combines writer, reader, lease and blobs behind the port.
 *
 * Every write takes the lease first, if the store keeps leases; a writer that lost its lease acquires it again before it
 * appends. A process that takes over from a writer that may wake up appends an entry at once, so that the other's next
 * append does not continue the log and is refused.
 */

import { errorCode, StoreError } from "../../base/errors.ts";
import type { FileSystem, OpenFile } from "../../ports/file-system.ts";
import type { Clock, Hasher, IdSource } from "../../ports/runtime.ts";
import type {
  LogContents,
  LogDamage,
  LogReading,
  PlainCopies,
  SessionLog,
} from "../../ports/session-store.ts";
import type { TaskFiles } from "../../ports/tasks.ts";
import type { Entry } from "../../transcript/entries.ts";
import { assertGoesOn, RepeatedAppend, sessionTaken } from "../shared/append-rules.ts";
import type { SessionPaths } from "../shared/session-paths.ts";
import {
  logClosed,
  readFailure,
  sessionExists,
  sessionInUse,
  sessionNotFound,
  storeFailure,
} from "../shared/store-failure.ts";
import { BlobFolder } from "./blobs/blob-folder.ts";
import { DerivedFolder } from "./blobs/derived-folder.ts";
import { plainFolder } from "./blobs/plain-folder.ts";
import { type LeaseOptions, SessionLease } from "./lease/session-lease.ts";
import type { IndexedWriter } from "./list/session-index.ts";
import { FileLogReading } from "./log/file-log-reading.ts";
import { formatAppend } from "./log/log-line.ts";
import { fenceEntry, LogFileWriter } from "./log/log-writer.ts";
import { forgetEnd, missingTail, recordEnd } from "./log/recorded-end.ts";
import { FileNotes } from "./notes/notes-file.ts";
import { DurableFolders } from "./replace/durable-folders.ts";

interface FileSessionLogOptions {
  readonly sessionId: string;
  readonly paths: SessionPaths;
  readonly fs: FileSystem;
  readonly hasher: Hasher;
  readonly ids: IdSource;
  /** The log's file, open for reading; absent for a new session, whose file the first append creates. */
  readonly file: OpenFile | undefined;
  /** Absent if there is no other process. */
  readonly lease: LeaseOptions | undefined;
  readonly clock: Clock;
  /** True while the session is being moved to the trash or back. */
  readonly isMoving: () => boolean;
  readonly blobQuotaBytes: number;
  /** Absent if the folder has no index. */
  readonly indexed: IndexedWriter | undefined;
  readonly tasks: TaskFiles | undefined;
  /** Absent if no plain copies are kept. */
  readonly plainIn: ((folder: string) => FileSystem) | undefined;
}

/** A session's log file and the folder beside it. */
export class FileSessionLog implements SessionLog {
  readonly sessionId: string;
  readonly notes: FileNotes;
  readonly tasks?: TaskFiles;
  readonly derived: DerivedFolder;
  readonly plainCopies?: (folder?: string) => PlainCopies;
  readonly #paths: SessionPaths;
  readonly #fs: FileSystem;
  readonly #folders: DurableFolders;
  readonly #blobs: BlobFolder;
  readonly #ids: IdSource;
  readonly #leaseOptions: LeaseOptions | undefined;
  readonly #lease: SessionLease | undefined;
  readonly #isMoving: () => boolean;
  readonly #indexed: IndexedWriter | undefined;
  readonly #isNew: boolean;
  readonly #repeated = new RepeatedAppend();
  #reader: OpenFile | undefined;
  #writer: LogFileWriter | undefined;
  /** True if the previous holder of the lease may wake up and the fence entry is not written yet. */
  #needsFence = false;
  /** True once it was the writer: another writer has taken the session over. */
  #wasWriter = false;
  readonly #reading = new FileLogReading((work) => this.#read(work));
  #hasUnsynced: boolean;
  #missingTail: readonly LogDamage[] | undefined;
  #areFoundFoldersMarked = false;
  #bytesWritten = 0;
  #isClosed = false;
  #closing: Promise<void> | undefined;
  /** Ends when every sync and blob that was begun has ended. */
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: FileSessionLogOptions) {
    const { sessionId, paths, fs, hasher, ids, file, lease, blobQuotaBytes: quotaBytes, plainIn } = options;
    this.sessionId = sessionId;
    if (options.tasks !== undefined) this.tasks = options.tasks;
    const { sessionFolder } = paths;
    const place = { sessionFolder, ids, hasher, quotaBytes, begin: () => this.#beginCopy() };
    this.derived = new DerivedFolder({ fs, ...place });
    if (plainIn !== undefined) this.plainCopies = (folder) => plainFolder(folder, { ...place, plainIn });
    this.#paths = paths;
    this.#fs = fs;
    this.#ids = ids;
    this.#reader = file;
    this.#isNew = file === undefined;
    this.#hasUnsynced = !this.#isNew;
    this.#folders = new DurableFolders(fs);
    const folders = this.#folders;
    this.#blobs = new BlobFolder({ folder: paths.blobFolder, fs, hasher, ids, folders, quotaBytes });
    this.notes = new FileNotes({
      ...{ sessionId, paths, fs, hasher, ids, lease, clock: options.clock },
      assertOpen: () => this.#assertOpen(),
      assertStays: () => this.#assertNotMoved(),
    });
    this.#leaseOptions = lease;
    this.#isMoving = options.isMoving;
    this.#indexed = options.indexed;
    this.#lease =
      lease === undefined
        ? undefined
        : new SessionLease({
            ...lease,
            sessionId,
            fs,
            sessionFolder: paths.sessionFolder,
            leaseId: ids.entryId(),
            ensureFolder: () => this.#folders.ensure(paths.sessionFolder),
          });
  }

  async acquire(): Promise<void> {
    this.#assertOpen();
    this.#acquire();
  }

  /** Becomes the writer. Costs one comparison if it already is. */
  #acquire(): void {
    const lease = this.#lease;
    if (lease === undefined || (lease.isHeld && !this.#needsFence)) return;
    try {
      if (this.#reader === undefined && this.#fs.stat(this.#paths.logFile) !== undefined)
        throw sessionExists(this.sessionId);
      const acquired = lease.acquire(this.#reader?.size() ?? 0);
      this.#assertStaysHere(lease);
      this.#needsFence ||= acquired === "over-living" && this.#reader !== undefined;
      if (this.#needsFence) {
        this.#lookForMissingTail();
        this.#fence(this.#leaseOptions!);
      }
      this.#needsFence = false;
    } catch (error) {
      const isTaken = this.#wasWriter && error instanceof StoreError && error.code === "SESSION_IN_USE";
      if (isTaken) throw sessionTaken(`Session ${this.sessionId} was taken over. ${error.message}`);
      throw storeFailure(`${this.#paths.logFile} could not be taken`, error);
    }
    this.#wasWriter = true;
    this.#tidyBlobs();
  }

  /**
   * The session may have moved to the trash since it was opened, or be moving. No move begins while the lease is held.
   * The mark is checked first, so that a move that has just ended is seen by its effect.
   */
  #assertStaysHere(lease: SessionLease): void {
    try {
      this.#assertNotMoved();
    } catch (error) {
      lease.release();
      throw error;
    }
  }

  #assertNotMoved(): void {
    if (this.#isMoving()) throw sessionInUse(this.sessionId, "it is being moved to the trash or restored");
    if (this.#reader !== undefined && this.#fs.stat(this.#paths.logFile) === undefined)
      throw sessionNotFound(this.sessionId, this.#paths.rootFolder);
  }

  #tidyBlobs(): void {
    try {
      this.#blobs.tidy();
    } catch {
      // The first blob that is stored tries again.
    }
  }

  /** Appends an entry, so that the previous writer is refused if it wakes up. */
  #fence({ clock, process }: LeaseOptions): void {
    // The session reads the log after this, and has to continue the same entry.
    if (this.#writer === undefined) this.#reading.lookAtEnd();
    this.#writer ??= this.#openWriter();
    const { seq, id } = this.#writer.look();
    this.#store([fenceEntry({ seq, id }, { at: clock.nowMs(), id: this.#ids.entryId(), process })]);
  }

  async append(entries: readonly Entry[]): Promise<readonly number[]> {
    this.#assertOpen();
    if (entries.length === 0) return [];
    this.#indexed?.beforeAppend();
    const repeated = this.#repeated.find(entries);
    if (repeated !== undefined) return repeated;
    // Checked before a file of a new session is created.
    if (this.#reader === undefined) assertGoesOn(entries, 0, this.sessionId);
    this.#acquire();
    return this.#repeated.keep(entries, this.#store(entries));
  }

  #store(entries: readonly Entry[]): readonly number[] {
    const batch = formatAppend(entries, this.#paths.logFile);
    this.#writer ??= this.#openWriter();
    const position = this.#writer.append({ lines: batch.bytes, entries });
    this.#hasUnsynced = true;
    this.#bytesWritten += batch.bytes.length;
    return batch.offsets.map((offset) => position + offset);
  }

  #openWriter(): LogFileWriter {
    const { logFile, rootFolder } = this.#paths;
    try {
      if (this.#isNew) this.#folders.ensure(rootFolder);
      // It may have been created by an append that failed afterwards.
      this.#reader ??= this.#createFile();
      this.#folders.markChanged(rootFolder);
      const file = this.#isNew ? this.#reader : this.#fs.open(logFile, "append");
      return this.#startWriter(file);
    } catch (error) {
      throw storeFailure(`${logFile} could not be opened for appending`, error);
    }
  }

  #createFile(): OpenFile {
    try {
      forgetEnd(this.#fs, this.#paths.endFile);
      return this.#fs.open(this.#paths.logFile, "create");
    } catch (error) {
      throw errorCode(error) === "EEXIST" ? sessionExists(this.sessionId) : error;
    }
  }

  #startWriter(file: OpenFile): LogFileWriter {
    try {
      return new LogFileWriter({
        file,
        path: this.#paths.logFile,
        sessionId: this.sessionId,
        known: this.#reading.known,
      });
    } catch (error) {
      if (file !== this.#reader) file.close();
      throw error;
    }
  }

  /** Runs syncs one after the other, so that the second never returns before the first is durable. */
  async sync(): Promise<void> {
    this.#assertOpen();
    const sync = this.#running.then(() => this.#syncNow());
    // The caller gets the failure; the next sync in the queue does not.
    this.#running = sync.catch(() => undefined);
    return sync;
  }

  async #syncNow(): Promise<void> {
    await this.#indexed?.beforeSync();
    try {
      // Blobs first, so that the blobs of an entry are durable before the entry.
      this.#markFoundFolders();
      await this.#folders.sync();
      if (this.#hasUnsynced) await this.#syncLog();
    } catch (error) {
      throw storeFailure(`${this.#paths.logFile} could not be synced to the disk`, error);
    }
  }

  /** Files of another process in an opened session may not be durable yet either. */
  #markFoundFolders(): void {
    const { blobFolder, rootFolder, sessionFolder } = this.#paths;
    if (this.#isNew || this.#areFoundFoldersMarked) return;
    if (this.#fs.stat(blobFolder) !== undefined) {
      this.#folders.markChanged(sessionFolder);
      this.#folders.markChanged(blobFolder);
    }
    this.#folders.markChanged(rootFolder);
    this.#areFoundFoldersMarked = true;
  }

  async #syncLog(): Promise<void> {
    const writer = this.#writer;
    const end = writer?.end;
    this.#hasUnsynced = false;
    try {
      await (writer?.file ?? this.#reader)?.sync();
    } catch (error) {
      this.#hasUnsynced = true;
      throw error;
    }
    if (writer !== undefined && end !== undefined)
      recordEnd(this.#fs, this.#paths.endFile, { file: writer.file, end });
  }

  async readTail(throughSeq?: number): Promise<LogContents> {
    const missing = throughSeq === undefined ? this.#lookForMissingTail() : [];
    const { entries, damage } = await this.#reading.readTail(throughSeq);
    return { entries, damage: [...damage, ...missing] };
  }

  readonly readFrom: FileLogReading["readFrom"] = (...place) => this.#reading.readFrom(...place);
  readonly find: FileLogReading["find"] = (seq) => this.#reading.find(seq);

  async *readAll(reading?: LogReading): AsyncGenerator<LogContents> {
    const damage = this.#lookForMissingTail();
    yield* this.#reading.readAll(reading);
    if (damage.length > 0) yield { entries: [], damage };
  }

  /** Checks the recorded end once, before the first append. */
  #lookForMissingTail(): readonly LogDamage[] {
    this.#missingTail ??= this.#isNew
      ? []
      : (this.#read((file) => [missingTail(this.#fs, this.#paths.endFile, file) ?? []].flat()) ?? []);
    return this.#missingTail;
  }

  #read<Result>(work: (file: OpenFile) => Result): Result | undefined {
    this.#assertOpen();
    if (this.#reader === undefined) return undefined;
    try {
      return work(this.#reader);
    } catch (error) {
      throw readFailure(this.#paths.logFile, error);
    }
  }

  readonly putBlob = (hash: string, text: string): Promise<void> => this.putBlobInParts(hash, [text]);
  async putBlobInParts(hash: string, parts: readonly string[]): Promise<void> {
    this.#assertOpen();
    this.#acquire();
    const put = this.#blobs.put(hash, parts);
    this.#running = Promise.all([this.#running, put.catch(() => undefined)]);
    this.#bytesWritten += await put;
  }

  async getBlob(hash: string): Promise<string | undefined> {
    this.#assertOpen();
    return this.#blobs.get(hash);
  }

  #beginCopy(): void {
    this.#assertOpen();
    this.#acquire();
    this.#folders.ensure(this.#paths.sessionFolder);
  }

  bytesWritten(): number {
    return this.#bytesWritten;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // Shared by all callers: a second one must not release the lease before all work has ended.
    const running = Promise.all([this.#running, this.notes.whenIdle()]);
    this.#closing ??= running.then(() => this.#closeFiles());
    try {
      await this.#closing;
    } catch (error) {
      this.#closing = Promise.resolve();
      throw storeFailure(`${this.#paths.logFile} could not be closed`, error);
    } finally {
      this.#release();
    }
    this.#indexed?.afterClose();
  }

  #closeFiles(): void {
    const written = this.#writer?.file;
    try {
      if (written !== this.#reader) written?.close();
    } finally {
      this.#reader?.close();
    }
  }

  /** If it fails, a second `close` tries again. */
  #release(): void {
    try {
      this.#lease?.release();
    } catch (error) {
      throw storeFailure(`The lease of ${this.#paths.sessionFolder} could not be given back`, error);
    }
  }

  #assertOpen(): void {
    if (this.#isClosed) throw logClosed(this.sessionId);
  }
}
