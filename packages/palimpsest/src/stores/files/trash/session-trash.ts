/**
 * The trash of a file store: sessions are moved there whole, restored, and purged.
 *
 * DESIGN. A session is where its log is, and the log moves by one rename: at that moment the session is in the trash,
 * restored, or (renamed to `purged.jsonl`) purged. Its folder follows the log on the way out and precedes it on the way
 * back, so a listed session always has its blobs. During an operation `.busy/<session>` exists (`trash-guard.ts`). The
 * next operation finishes or undoes what a crash interrupted:
 *
 * | found | what is done |
 * | --- | --- |
 * | `log.jsonl`, the folder still outside | the folder follows |
 * | `purged.jsonl` | the deletion is finished |
 * | neither | the session is outside; the record is removed |
 *
 * An error in the middle is undone at once, or else by the next operation. The new folder is synced before the old one,
 * so after a power loss the session is in one of the two.
 *
 * WRITERS. A move makes its mark and then looks for a lease; a writer takes its lease and then looks for a mark
 * (`isMoving`). So one of the two sees the other before it acts, and a session without a folder moves without a lease. A
 * session with a folder may have leases of dead writers, or a doctor that repairs it and ignores marks: there the move
 * takes the lease.
 */
import { setImmediate } from "node:timers/promises";
import { errorCode, StoreError } from "../../../base/errors.ts";
import type { FileStat, FileSystem, OpenFile } from "../../../ports/file-system.ts";
import type { Clock } from "../../../ports/runtime.ts";
import type { SeenSession, TrashedSession, Trashing } from "../../../ports/session-store.ts";
import { plausibleTime } from "../../shared/session-info.ts";
import { isSessionId, type SessionPaths } from "../../shared/session-paths.ts";
import {
  readFailure,
  sessionExists,
  sessionInUse,
  sessionNotFound,
  storeFailure,
  trashHolds,
} from "../../shared/store-failure.ts";
import { removeLeases } from "./delete-own-files.ts";
import { Gathered, SyncGroup, Turns } from "./sync-group.ts";
import { TrashAudit } from "./trash-audit.ts";
import { type GuardedFolder, TrashGuard } from "./trash-guard.ts";
import { TrashMoves } from "./trash-moves.ts";
import { fileStat, hasFile, hasFolder, readRecord, type TrashPlaces, trashPlaces } from "./trash-places.ts";

const LISTED_AT_ONCE = 1_000;

interface SessionTrashOptions {
  readonly fs: FileSystem;
  /** The folder of the trash. */
  readonly folder: string;
  /** Paths of the session's files outside the trash. */
  readonly paths: (sessionId: string) => SessionPaths;
  /**
   * Locks a folder against other processes; for a session's folder, makes this process the writer of a log of
   * `logBytes`. Absent if the store keeps no leases. @throws `SESSION_IN_USE`
   */
  readonly hold?: ((folder: string, sessionId: string, logBytes: number) => GuardedFolder) | undefined;
  /** Dates the audit and restored sessions. */
  readonly clock?: Clock | undefined;
}

/** A session outside the trash. */
interface Movable {
  readonly log: FileStat;
  readonly hasFolder: boolean;
}

/** The trash beside the sessions of one folder. */
export class SessionTrash {
  readonly #options: SessionTrashOptions;
  readonly #fs: FileSystem;
  readonly #folder: string;
  readonly #moves: TrashMoves;
  readonly #guard: TrashGuard;
  readonly #syncs: SyncGroup;
  /** Deletions sync only what all of them share: once for all that are under way, and never beside a deletion, which would wait for it. */
  readonly #purgeSyncs: Gathered<undefined>;
  readonly #turns = new Turns();

  constructor(options: SessionTrashOptions) {
    const { fs, folder, hold, clock } = options;
    this.#options = options;
    this.#fs = fs;
    this.#folder = folder;
    const audit = new TrashAudit(fs, folder);
    this.#moves = new TrashMoves(fs, clock, audit);
    const syncShared = async () => {
      await audit.sync();
      await fs.syncDirectory(folder);
    };
    this.#syncs = new SyncGroup(fs, syncShared);
    this.#purgeSyncs = new Gathered(syncShared, Number.POSITIVE_INFINITY, () => this.#turns.isTaken);
    this.#guard = new TrashGuard({
      fs,
      folder,
      standingFile: audit.path,
      hold: hold && ((held, sessionId) => hold(held, sessionId, 0)),
      settle: (sessionId) => this.#settle(this.#places(sessionId)),
    });
  }

  /**
   * Moves a session to the trash. Returns false if it changed since it was listed.
   * @throws `SESSION_NOT_FOUND`, `SESSION_IN_USE`, `SESSION_EXISTS`
   */
  async trash(sessionId: string, trashing: Trashing, seen?: SeenSession): Promise<boolean> {
    let isMoved = false;
    const check = (places: TrashPlaces) => void this.#getMovable(places);
    await this.#do(sessionId, check, async (places) => {
      const found = this.#getMovable(places);
      const lease = found.hasFolder ? this.#holdSession(places) : undefined;
      try {
        const movable = lease === undefined ? found : this.#getMovable(places);
        if (seen !== undefined && !isAsSeen(movable.log, seen)) return;
        await this.#moveToTrash(places, trashing, { log: movable.log, lease });
        isMoved = true;
      } finally {
        letGo(() => lease?.release());
      }
    });
    return isMoved;
  }

  /** Returns the session outside the trash. @throws `SESSION_NOT_FOUND`, `SESSION_EXISTS` */
  #getMovable({ folder, log, live, sessionId }: TrashPlaces): Movable {
    const stat = fileStat(this.#fs, live.logFile);
    if (stat === undefined) throw sessionNotFound(sessionId, live.rootFolder);
    if (hasFolder(this.#fs, folder) && hasFile(this.#fs, log)) throw trashHolds(sessionId);
    return { log: stat, hasFolder: hasFolder(this.#fs, live.sessionFolder) };
  }

  /** Sessions in the trash, sorted by id. Changes nothing. */
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
      assertRestorable(places);
      this.#clearWay(places);
      this.#moves.audit(places, { action: "restore" });
      // A lease that could not be removed earlier: sessions in the trash have no writer.
      if (hasFolder(this.#fs, places.files)) removeLeases(this.#fs, places.files);
      this.#moves.moveBack(places);
      this.#moves.touch(places);
      this.#moves.removeRecord(places);
      await this.#syncs.add({ into: places.live.rootFolder });
    });
  }

  /** @throws `SESSION_NOT_FOUND` */
  async purge(sessionId: string): Promise<void> {
    const assertTrashed = (places: TrashPlaces) => this.#assertTrashed(places);
    await this.#turns.take();
    await this.#do(sessionId, assertTrashed, async (places) => {
      assertTrashed(places);
      await this.#moves.announce(places, { action: "purge" });
      await this.#purgeSyncs.add(undefined);
      await this.#turns.take();
      this.#moves.giveUp(places);
      this.#moves.deleteFiles(places);
      await this.#purgeSyncs.add(undefined);
    });
  }

  /** Finishes or undoes interrupted operations of earlier processes. */
  settle(): Promise<void> {
    return this.#guard.settleAll();
  }

  /** True while a session is being moved: then no writer may start. */
  isMoving(sessionId: string): boolean {
    return this.#guard.isMoving(sessionId);
  }

  /** Finishes an interrupted operation on this session. Costs one `stat` if there is none. */
  async settleOne(sessionId: string): Promise<void> {
    try {
      if (this.#guard.isMarked(sessionId)) await this.#guard.run(sessionId, async () => undefined);
    } catch (error) {
      throw storeFailure(`The trash ${this.#folder} could not be read`, error);
    }
  }

  #places(sessionId: string): TrashPlaces {
    return trashPlaces(this.#folder, sessionId, this.#options.paths(sessionId));
  }

  /** Does the work under the session's mark. Checks first, so that a refused operation does not create the trash. */
  async #do(
    sessionId: string,
    check: (places: TrashPlaces) => void,
    work: (places: TrashPlaces) => Promise<void>,
  ): Promise<void> {
    const places = this.#places(sessionId);
    try {
      if (!this.#guard.isActive && !this.#guard.isMarked(sessionId)) check(places);
      await this.#guard.run(sessionId, () => work(places));
    } catch (error) {
      throw storeFailure(`The session ${sessionId} could not be moved or deleted`, error);
    }
  }

  #settle(places: TrashPlaces): void {
    this.#moves.settle(places);
    if (this.#options.hold === undefined || !hasFolder(this.#fs, places.live.sessionFolder)) return;
    try {
      // Takes over and releases the lease of a process that was killed during a move.
      this.#holdSession(places)?.release();
    } catch (error) {
      // The session has a writer by now.
      if (errorCode(error) !== "SESSION_IN_USE") throw error;
    }
  }

  async #moveToTrash(
    places: TrashPlaces,
    trashing: Trashing,
    { log, lease }: { readonly log: FileStat; readonly lease: GuardedFolder | undefined },
  ): Promise<void> {
    const { at, reason } = trashing;
    await this.#moves.announce(places, { action: "trash", at, reason });
    let file: OpenFile | undefined;
    try {
      this.#assertUnchanged(places, log);
      file = this.#moves.makePlace(places, trashing);
      this.#moves.moveLogOut(places);
      // The lease must not move along. A writer that takes one now finds no log.
      lease?.release();
      this.#moves.moveFolderOut(places);
      await this.#syncs.add({ file, into: places.folder, from: places.live.rootFolder });
    } catch (error) {
      this.#moves.takeBack(places);
      throw error;
    } finally {
      letGo(() => file?.close());
    }
  }

  /** Without leases, a writer may append while the audit line is written. */
  #assertUnchanged({ live, sessionId }: TrashPlaces, { size, modifiedMs }: FileStat): void {
    const now = fileStat(this.#fs, live.logFile);
    if (now?.size === size && now.modifiedMs === modifiedMs) return;
    throw now === undefined
      ? sessionNotFound(sessionId, live.rootFolder)
      : sessionInUse(sessionId, "it was written just now");
  }

  #holdSession({ live, sessionId }: TrashPlaces): GuardedFolder | undefined {
    const bytes = this.#fs.stat(live.logFile)?.size ?? 0;
    return this.#options.hold?.(live.sessionFolder, sessionId, bytes);
  }

  /** Removes a folder without a log from the session's place: a writer made it and has stored nothing yet. */
  #clearWay(places: TrashPlaces): void {
    const { files, live, sessionId } = places;
    const { sessionFolder } = live;
    if (!hasFolder(this.#fs, files) || !hasFolder(this.#fs, sessionFolder)) return;
    this.#holdSession(places)?.release();
    if (hasFolder(this.#fs, sessionFolder)) removeLeases(this.#fs, sessionFolder);
    if (hasFolder(this.#fs, sessionFolder)) throw sessionExists(sessionId);
  }

  #assertTrashed({ folder, log, sessionId }: TrashPlaces): void {
    if (!hasFolder(this.#fs, folder) || !hasFile(this.#fs, log))
      throw sessionNotFound(sessionId, this.#folder);
  }

  #isListed(places: TrashPlaces): boolean {
    try {
      return hasFolder(this.#fs, places.folder) && hasFile(this.#fs, places.log);
    } catch (error) {
      // A link in the trash: this store makes none, so it is not a session.
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

/** A log only grows, and what is written to it makes it younger. */
function isAsSeen({ size, modifiedMs }: FileStat, { bytes, lastActivityAt }: SeenSession): boolean {
  return size === bytes && plausibleTime(modifiedMs) <= lastActivityAt;
}

/** Ignores errors: the work is done or has failed already, and a lease that stays expires. */
function letGo(release: () => void): void {
  try {
    release();
  } catch {
    // See above.
  }
}
