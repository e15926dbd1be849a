/**
 * The trash of a store in files: sessions are moved there whole, brought back, and deleted for good.
 *
 * DESIGN. A session is wherever its log is, and the log moves by one rename: that is when it is in the
 * trash, back, or (renamed to `purged.jsonl`) given up. Its folder follows the log on the way out and goes
 * before it on the way back, so a listed session is never without its blobs. While something is under way
 * `.busy/<session>` is there; what a crash left is finished or undone by whoever comes next:
 *
 * | found | what is done |
 * | --- | --- |
 * | `log.jsonl`, the folder still outside | the folder follows |
 * | `purged.jsonl` | the deletion is finished |
 * | neither | the session is outside; the record is removed |
 *
 * An error in the middle is undone at once, or else by the next. Folders are synced before the one that a
 * session left, so a power loss puts it in the old place or in the new one.
 */
import { setImmediate } from "node:timers/promises";
import { StoreError } from "../../base/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import type { TrashedSession, Trashing } from "../../ports/session-store.ts";
import { isSessionId, type SessionPaths } from "../shared/session-paths.ts";
import {
  errorCode,
  readFailure,
  sessionExists,
  sessionNotFound,
  storeFailure,
  trashHolds,
} from "../shared/store-failure.ts";
import { FolderKeeper } from "./folder-keeper.ts";
import { removeLeases } from "./own-files.ts";
import { SharedWork } from "./shared-work.ts";
import { syncAudit } from "./trash-audit.ts";
import { TrashMoves } from "./trash-moves.ts";
import { busyFolder, hasFile, hasFolder, readRecord, type TrashPlaces, trashPlaces } from "./trash-places.ts";

const LISTED_AT_ONCE = 1_000;

/** Lets go of a folder that was held; a second call does nothing. */
export type ReleaseFolder = () => void;

export interface SessionTrashOptions {
  readonly fs: FileSystem;
  /** The folder that the sessions are moved to. */
  readonly folder: string;
  /** Where the session's files are when it is not in the trash. */
  readonly paths: (sessionId: string) => SessionPaths;
  /**
   * Holds a folder against other processes. Of a session's folder it makes this process the writer; the log
   * has so many bytes. Absent where a store keeps no leases. @throws `SESSION_IN_USE`
   */
  readonly hold?: ((folder: string, sessionId: string, logBytes: number) => ReleaseFolder) | undefined;
  /** Dates the audit, and makes bringing a session back an activity. */
  readonly clock?: Clock | undefined;
}

/** The trash beside the sessions of one folder. */
export class SessionTrash {
  readonly #options: SessionTrashOptions;
  readonly #fs: FileSystem;
  readonly #folder: string;
  /** What is under way in this process, so that it is not taken for something that a crash left. */
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #moves: TrashMoves;
  readonly #synced: SharedWork;

  constructor(options: SessionTrashOptions) {
    this.#options = options;
    this.#fs = options.fs;
    this.#folder = options.folder;
    this.#moves = new TrashMoves(options.fs, options.clock);
    this.#synced = new SharedWork(() => this.#syncFolders());
  }

  /** @throws `SESSION_NOT_FOUND`, `SESSION_IN_USE`, `SESSION_EXISTS` */
  trash(sessionId: string, trashing: Trashing): Promise<void> {
    const assertMovable = (places: TrashPlaces) => {
      if (!hasFile(this.#fs, places.live.logFile)) throw sessionNotFound(sessionId, places.live.rootFolder);
      if (hasFile(this.#fs, places.log)) throw trashHolds(sessionId);
      hasFolder(this.#fs, places.live.sessionFolder);
    };
    return this.#do(sessionId, assertMovable, async (places) => {
      const release = this.#holdSession(places);
      try {
        assertMovable(places);
        await this.#moves.announce(places, trashing);
        await this.#moveToTrash(places, release);
      } finally {
        letGo(release);
      }
    });
  }

  /** What is in the trash, sorted by id. Changes nothing. */
  async list(): Promise<readonly TrashedSession[]> {
    const found: TrashedSession[] = [];
    for (const [index, sessionId] of [...this.#namesIn(this.#folder)].sort().entries()) {
      if (index % LISTED_AT_ONCE === LISTED_AT_ONCE - 1) await setImmediate();
      if (!isSessionId(sessionId)) continue;
      const places = this.#places(sessionId);
      if (this.#isListed(places)) found.push(readRecord(this.#fs, places));
    }
    return found;
  }

  /** @throws `SESSION_NOT_FOUND`, `SESSION_EXISTS`, `SESSION_IN_USE` */
  restore(sessionId: string): Promise<void> {
    const assertRestorable = (places: TrashPlaces) => {
      this.#assertTrashed(places);
      if (hasFile(this.#fs, places.live.logFile)) throw sessionExists(sessionId);
    };
    return this.#do(sessionId, assertRestorable, async (places) => {
      this.#clearWay(places);
      this.#moves.audit(places, { action: "restore" });
      this.#moves.moveBack(places);
      this.#moves.touch(places);
      this.#moves.removeRecord(places);
      await this.#sync(places.live.rootFolder, this.#folder);
    });
  }

  /** @throws `SESSION_NOT_FOUND` */
  purge(sessionId: string): Promise<void> {
    const assertTrashed = (places: TrashPlaces) => this.#assertTrashed(places);
    return this.#do(sessionId, assertTrashed, async (places) => {
      this.#moves.audit(places, { action: "purge" });
      await this.#synced.run();
      this.#moves.giveUp(places);
      this.#moves.deleteFiles(places);
      await this.#synced.run();
    });
  }

  /** Finishes or undoes what earlier processes were in the middle of. One that fails waits for the next time. */
  async settle(): Promise<void> {
    for (const sessionId of this.#namesIn(busyFolder(this.#folder))) {
      if (!isSessionId(sessionId) || this.#running.has(sessionId)) continue;
      try {
        await this.#queued(sessionId, (places) => this.#enter(places, async () => undefined));
      } catch {
        // Somebody else is at it, or the disk still refuses: its session is whole either way.
      }
    }
  }

  /** Finishes what a crash left of this session. Costs one look where there is nothing. */
  async settleOne(sessionId: string): Promise<void> {
    try {
      const places = this.#places(sessionId);
      if (this.#fs.stat(places.busy) === undefined) return;
      await this.#queued(sessionId, () => this.#enter(places, async () => undefined));
    } catch (error) {
      throw storeFailure(`The trash ${this.#folder} could not be looked at`, error);
    }
  }

  #places(sessionId: string): TrashPlaces {
    return trashPlaces(this.#folder, sessionId, this.#options.paths(sessionId));
  }

  /** Does the work under the session's mark. It is checked before too, so that what is refused leaves nothing. */
  async #do(
    sessionId: string,
    check: (places: TrashPlaces) => void,
    work: (places: TrashPlaces) => Promise<void>,
  ): Promise<void> {
    try {
      await this.settle();
      await this.#queued(sessionId, async (places) => {
        if (this.#fs.stat(places.busy) === undefined) check(places);
        await this.#enter(places, async () => {
          check(places);
          await work(places);
        });
      });
    } catch (error) {
      throw storeFailure(`The session ${sessionId} could not be moved or deleted`, error);
    }
  }

  /** One operation on a session at a time. */
  async #queued(sessionId: string, work: (places: TrashPlaces) => Promise<void>): Promise<void> {
    const before = this.#running.get(sessionId) ?? Promise.resolve();
    const after = before.then(() => work(this.#places(sessionId)));
    const quiet = after.catch(() => undefined);
    this.#running.set(sessionId, quiet);
    try {
      await after;
    } finally {
      if (this.#running.get(sessionId) === quiet) this.#running.delete(sessionId);
    }
  }

  /** Marks the session as busy while `work` is done, after what a crash left of it was settled. */
  async #enter(places: TrashPlaces, work: () => Promise<void>): Promise<void> {
    const isNew = !hasFolder(this.#fs, this.#folder);
    const folders = new FolderKeeper(this.#fs);
    const isAfterCrash = this.#fs.stat(places.busy) !== undefined;
    folders.ensure(places.busy);
    // A new trash is durable before anything moves into it.
    if (isNew) await folders.sync();
    const release = this.#options.hold?.(places.holder, places.sessionId, 0);
    let isSettled = false;
    try {
      this.#moves.settle(places);
      if (isAfterCrash) this.#freeSession(places);
      await work();
      isSettled = true;
    } catch (error) {
      isSettled = this.#isSettledAfter(places);
      throw error;
    } finally {
      letGo(release);
      if (isSettled) this.#leave(places);
    }
  }

  #isSettledAfter(places: TrashPlaces): boolean {
    try {
      this.#moves.settle(places);
      return true;
    } catch {
      // The caller hears of the error before; the next operation settles it.
      return false;
    }
  }

  /** The lease that a killed process held while it moved the session. */
  #freeSession(places: TrashPlaces): void {
    if (this.#options.hold === undefined || !hasFolder(this.#fs, places.live.sessionFolder)) return;
    try {
      this.#holdSession(places)?.();
    } catch (error) {
      // Somebody writes it by now.
      if ((error as StoreError).code !== "SESSION_IN_USE") throw error;
    }
  }

  #leave({ busy, holder }: TrashPlaces): void {
    try {
      for (const folder of [holder, busy]) if (hasFolder(this.#fs, folder)) removeLeases(this.#fs, folder);
    } catch {
      // An empty mark; the next operation finds nothing to settle and removes it.
    }
  }

  async #moveToTrash(places: TrashPlaces, release: ReleaseFolder | undefined): Promise<void> {
    try {
      this.#moves.moveLogOut(places);
      // Its lease is not to go along. Whoever gets one now finds no log.
      release?.();
      this.#moves.moveFolderOut(places);
      await this.#sync(places.folder, places.live.rootFolder);
    } catch (error) {
      this.#moves.takeBack(places);
      throw error;
    }
  }

  #holdSession({ live, sessionId }: TrashPlaces): ReleaseFolder | undefined {
    const bytes = this.#fs.stat(live.logFile)?.size ?? 0;
    return this.#options.hold?.(live.sessionFolder, sessionId, bytes);
  }

  /** A folder without a log may stand where the session's is to go: of a writer that has stored nothing yet. */
  #clearWay(places: TrashPlaces): void {
    const { files, live, sessionId } = places;
    const { sessionFolder } = live;
    if (!hasFolder(this.#fs, files) || !hasFolder(this.#fs, sessionFolder)) return;
    this.#holdSession(places)?.();
    if (hasFolder(this.#fs, sessionFolder)) removeLeases(this.#fs, sessionFolder);
    if (hasFolder(this.#fs, sessionFolder)) throw sessionExists(sessionId);
  }

  /** The folder that was moved into is durable before the one that was left. */
  async #sync(into: string, from: string): Promise<void> {
    await this.#fs.syncDirectory(into);
    await this.#synced.run();
    await this.#fs.syncDirectory(from);
  }

  async #syncFolders(): Promise<void> {
    await syncAudit(this.#fs, this.#folder);
    await this.#fs.syncDirectory(this.#folder);
  }

  #assertTrashed({ folder, log, sessionId }: TrashPlaces): void {
    if (!hasFolder(this.#fs, folder) || !hasFile(this.#fs, log))
      throw sessionNotFound(sessionId, this.#folder);
  }

  #isListed(places: TrashPlaces): boolean {
    try {
      return hasFolder(this.#fs, places.folder) && hasFile(this.#fs, places.log);
    } catch (error) {
      // A link in its place is nothing that was put there by this store.
      if (error instanceof StoreError) return false;
      throw readFailure(places.folder, error);
    }
  }

  #namesIn(folder: string): readonly string[] {
    try {
      return hasFolder(this.#fs, folder) ? this.#fs.list(folder) : [];
    } catch (error) {
      if (errorCode(error) === "ENOENT") return [];
      throw readFailure(folder, error);
    }
  }
}

/** What was to be done is done, or its error is on the way to the caller. A lease that stays runs out. */
function letGo(release: ReleaseFolder | undefined): void {
  try {
    release?.();
  } catch {
    // See above.
  }
}
