/**
 * Memories as files that people read and edit: `<folder>/<path>.md`, and beside them one hidden folder of ours
 * (`memory-places.ts`).
 *
 * Programs change them one after the other, under a lock of the whole directory: a change often has several files and
 * takes a few milliseconds, and locks of single files would need a common order. The lock only decides which process may
 * undo a crashed change. People do not take locks, so every step by itself keeps their texts (`change-memories.ts`).
 * Reading takes no lock, and writes only to settle a crashed change.
 */

import { MEMORY_STORE_DEFAULTS } from "../../../base/defaults/memory/store.ts";
import type { FileSystem } from "../../../ports/file-system.ts";
import type {
  ArchivedFile,
  MemoryApplied,
  MemoryChange,
  MemoryFile,
  MemoryFollower,
  MemoryListing,
  MemoryLock,
  MemoryStore,
} from "../../../ports/memory-store.ts";
import type { Clock, Hasher, IdSource } from "../../../ports/runtime.ts";
import {
  type CheckedChange,
  checkMemoryChanges,
  checkRecordName,
  memoryTwin,
} from "../../shared/memory-change-rules.ts";
import { checkMemoryPath, memoryNameKey } from "../../shared/memory-path.ts";
import { memoryFailure, memoryStoreBusy, memoryStoreClosed } from "../../shared/store-failure.ts";
import { LeaseLock } from "../lease/lease-lock.ts";
import type { LeaseOptions } from "../lease/session-lease.ts";
import { type Carried, CHANGE_PATIENCE, MemoryWork, unconfirmed } from "./change-memories.ts";
import { readDerived, writeDerived } from "./derived-file.ts";
import { MemoryFiles } from "./memory-file-steps.ts";
import { PLACES, workAs, workId } from "./memory-places.ts";
import { MemoryReader } from "./memory-reader.ts";
import { MemoryArchive, MemoryRecords } from "./memory-records.ts";
import { MemorySettling } from "./memory-recovery.ts";
import { MemoryTracker } from "./memory-tracker.ts";

/**
 * Time without a sign of life after which a change in progress is taken for dead, in milliseconds. Source: our
 * choice; a change takes milliseconds, and one that is taken for dead too early is refused, never lost.
 */
const CHANGE_TTL_MS = 2_000;

interface FileMemoryStoreOptions {
  /** The memory directory; made with the first memory. */
  readonly folder: string;
  /** The files below that folder and no others, with paths that begin there: see `confinedFileSystem`. */
  readonly fs: FileSystem;
  readonly hasher: Hasher;
  readonly ids: IdSource;
  readonly clock: Clock;
  /** Locks out other processes; absent if there are none. */
  readonly lease?: LeaseOptions;
  /** Most files that are read. @defaultValue `listedFilesCount` */
  readonly listedFilesCount?: number;
}

/** Keeps memories as files in a folder. */
export function fileMemoryStore(options: FileMemoryStoreOptions): MemoryStore {
  return new FileMemoryStore(options);
}

class FileMemoryStore implements MemoryStore {
  readonly path: string;
  readonly #options: FileMemoryStoreOptions;
  readonly #files: MemoryFiles;
  readonly #settling: MemorySettling;
  readonly #work: MemoryWork;
  readonly #reader: MemoryReader;
  readonly #records: MemoryRecords;
  readonly #archive: MemoryArchive;
  readonly #lock: LeaseLock;
  readonly #trackers = new Set<MemoryTracker>();
  /** Ends when every change that was begun has ended. */
  #running: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: FileMemoryStoreOptions) {
    const { folder, fs, hasher, ids, clock, lease } = options;
    this.#options = options;
    this.path = folder;
    this.#files = new MemoryFiles(fs, hasher);
    this.#settling = new MemorySettling(this.#files, clock);
    this.#work = new MemoryWork(this.#files, this.#settling);
    this.#records = new MemoryRecords(this.#files);
    this.#archive = new MemoryArchive(this.#files);
    this.#lock = this.#lockAt(PLACES.own, lease && { ttlMs: CHANGE_TTL_MS, ...lease });
    const settleCrash = () => this.#settleCrash();
    this.#reader = new MemoryReader({
      files: this.#files,
      settling: this.#settling,
      clock,
      ids,
      settleCrash,
      listedFilesCount: options.listedFilesCount,
    });
  }

  list(): Promise<MemoryListing> {
    return this.#try(`${this.path} could not be listed`, () => this.#reader.list());
  }

  follow(): MemoryFollower {
    const { clock, listedFilesCount = MEMORY_STORE_DEFAULTS.listedFilesCount } = this.#options;
    const tracker = new MemoryTracker({ files: this.#files, reader: this.#reader, clock, listedFilesCount });
    this.#trackers.add(tracker);
    return {
      next: () => this.#try(`${this.path} could not be listed`, () => tracker.next()),
      read: (path) => this.#reader.readNow(path),
      isLasting: (path, stamp) => tracker.isLasting(path, stamp),
      kept: () => readDerived(this.#files),
      keep: (pieces) => this.#keep(pieces),
      close: () => {
        this.#trackers.delete(tracker);
        tracker.close();
      },
    };
  }

  async #keep(pieces: Iterable<Uint8Array>): Promise<void> {
    // The folder is full or read-only, or the caller gave up: then the next one does it.
    await writeDerived(this.#files, this.#newWork().id, pieces).catch(() => undefined);
  }

  read(path: string): Promise<MemoryFile | undefined> {
    return this.#try(`${path} could not be read`, () => {
      checkMemoryPath(path);
      return this.#reader.read(path);
    });
  }

  apply(changes: readonly MemoryChange[]): Promise<MemoryApplied> {
    return this.#inTurn(`${this.path} could not be changed`, async () => {
      const checked = checkMemoryChanges(changes, this.#options.hasher);
      const versions = new Map(checked.map(({ path, next }) => [path, next?.version]));
      if (checked.length === 0) return { isApplied: true, versions };
      const conflicts = await this.#apply(checked).finally(() => {
        for (const tracker of this.#trackers) tracker.expect(checked.map(({ path }) => path));
      });
      return conflicts.length === 0 ? { isApplied: true, versions } : { isApplied: false, conflicts };
    });
  }

  archived(): Promise<readonly ArchivedFile[]> {
    return this.#inTurn(`The archive of ${this.path} could not be listed`, async () => {
      // What was just put away may not lie there yet.
      await this.#settleCrash();
      return this.#archive.list();
    });
  }

  readArchived(id: string): Promise<string | undefined> {
    return this.#try("The archived memory could not be read", async () => this.#archive.read(id));
  }

  readRecord(name: string): Promise<string | undefined> {
    return this.#try(`The record ${name} could not be read`, async () => this.#records.read(name));
  }

  writeRecord(name: string, text: string): Promise<void> {
    return this.#inTurn(`The record ${name} could not be written`, () =>
      this.#records.write(name, text, this.#newWork()),
    );
  }

  appendRecord(name: string, line: string): Promise<void> {
    return this.#inTurn(`The record ${name} could not be written`, () => this.#records.append(name, line));
  }

  listRecords(prefix: string): Promise<readonly string[]> {
    return this.#try("The records could not be listed", async () => this.#records.list(prefix));
  }

  tryLock(name: string): Promise<MemoryLock | undefined> {
    return this.#try(`The lock ${name} could not be taken`, async () => {
      checkRecordName(name);
      const held = this.#lockAt(`${PLACES.locks}/${name}`, this.#options.lease).tryHold();
      return held && { isHeld: () => held.isHeld(), release: async () => held.release() };
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const tracker of this.#trackers) tracker.close();
    await this.#running;
  }

  /** Paths that are not as they were to be. */
  async #apply(changes: readonly CheckedChange[]): Promise<readonly string[]> {
    for (let attempt = 1; attempt <= MEMORY_STORE_DEFAULTS.attempts; attempt++) {
      const carried = await this.#carryOutLocked(changes);
      if (carried.type === "conflicts") return carried.paths;
      if (carried.type === "done") return this.#confirm(carried.unsynced);
    }
    throw memoryStoreBusy();
  }

  /** Others may go on meanwhile: what they build on this is durable only with it. */
  async #confirm(folders: readonly string[]): Promise<readonly string[]> {
    try {
      for (const folder of folders) await this.#files.sync(folder);
      return [];
    } catch (error) {
      throw unconfirmed(error);
    }
  }

  /** Preparing it takes a disk some time; done before, it would often be for nothing, as others come first. */
  async #carryOutLocked(changes: readonly CheckedChange[]): Promise<Carried> {
    let held = this.#lock.tryHold();
    if (held === undefined) {
      // The other program may have changed these: then there is nothing to wait for.
      const early = await this.#conflicts(changes);
      if (early.length > 0) return { type: "conflicts", paths: early };
      held = await this.#lock.hold(CHANGE_PATIENCE);
    }
    if (held === undefined) throw memoryStoreBusy();
    try {
      await this.#settling.settle();
      const isOther = ({ path, base }: CheckedChange): boolean =>
        base === undefined && !this.#files.exists(path) ? false : this.#files.read(path)?.version !== base;
      const conflicts = changes.filter(isOther);
      if (conflicts.length > 0) return { type: "conflicts", paths: conflicts.map(({ path }) => path) };
      await this.#refuseTwins(changes);
      // A file that already has the text needs no change; its old and new version would look the same.
      const others = changes.filter(({ base, next }) => base !== next?.version);
      if (others.length === 0) return { type: "done", unsynced: [] };
      return await this.#work.carryOut(await this.#work.prepare(this.#newWork(), others));
    } finally {
      held.release();
    }
  }

  async #conflicts(changes: readonly CheckedChange[]): Promise<readonly string[]> {
    const conflicts: string[] = [];
    for (const { path, base } of changes)
      if ((await this.#reader.read(path))?.version !== base) conflicts.push(path);
    return conflicts;
  }

  /** Refuses new files and folders whose names some systems cannot tell apart from existing ones. */
  async #refuseTwins(changes: readonly CheckedChange[]): Promise<void> {
    const created = changes.filter(({ base }) => base === undefined);
    const [tracker] = this.#trackers;
    if (created.length > 0) await tracker?.catchUp();
    for (const { path, names } of created)
      for (const [depth, name] of names.entries()) {
        const folder = names.slice(0, depth).join("/");
        const isThere = tracker?.hasName(folder, name);
        // Listing a large folder takes long.
        if (isThere === false) break;
        if (isThere === true) continue;
        const key = memoryNameKey(name);
        const there = this.#files.names(folder);
        const twin = there.find((other) => other !== name && memoryNameKey(other) === key);
        if (twin !== undefined) throw memoryTwin(path, [...names.slice(0, depth), twin].join("/"));
        if (!there.includes(name)) break;
      }
  }

  /** Settles crashed changes, unless one is under way or the disk refuses. */
  async #settleCrash(): Promise<boolean> {
    try {
      const held = this.#lock.tryHold();
      if (held === undefined) return false;
      try {
        await this.#settling.settle();
        return true;
      } finally {
        held.release();
      }
    } catch {
      // For example on a read-only disk: reading gives the settled state anyway.
      return false;
    }
  }

  #newWork() {
    const { clock, ids } = this.#options;
    const atMs = clock.nowMs();
    return workAs({ id: workId(atMs, ids.entryId()), atMs }, "new");
  }

  #lockAt(folder: string, lease: LeaseOptions | undefined): LeaseLock {
    const { fs, ids } = this.#options;
    return new LeaseLock({ id: folder, folder, fs, ids, lease });
  }

  /** One after the other; other processes are no different from other stores of the same folder. */
  #inTurn<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    return this.#try(what, () => {
      const turn = this.#running.then(work);
      this.#running = turn.catch(() => undefined);
      return turn;
    });
  }

  async #try<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw memoryStoreClosed();
    try {
      return await work();
    } catch (error) {
      throw memoryFailure(what, error);
    }
  }
}
