/**
 * Sessions in a folder: one append-only log file each, and a folder of blobs beside it.
 *
 * The first append creates the file, so a session without entries leaves nothing behind.
 */

import { join } from "node:path";
import { STORE_DEFAULTS } from "../../base/defaults/store.ts";
import {
  anything,
  checkOptions,
  closed,
  flag,
  func,
  having,
  number,
  type OptionRules,
  text,
} from "../../base/options/check-options.ts";
import type { FileSystem, OpenFile } from "../../ports/file-system.ts";
import type { Hasher, IdSource } from "../../ports/runtime.ts";
import type {
  CleanUpLedger,
  OverviewLook,
  OverviewRow,
  SeenSession,
  SessionInfo,
  SessionLog,
  SessionPage,
  SessionQuery,
  SessionStore,
  TrashedSession,
  Trashing,
} from "../../ports/session-store.ts";
import type { TaskFiles } from "../../ports/tasks.ts";
import type { Scope } from "../../transcript/entries.ts";
import { systemClock } from "../platform/node-ports.ts";
import { assertSessionId, type SessionPaths, scopeFolder, sessionPaths } from "../shared/session-paths.ts";
import { readFailure, sessionExists, sessionNotFound } from "../shared/store-failure.ts";
import { FileSessionLog } from "./file-session-log.ts";
import { leaseState } from "./lease/lease-state.ts";
import { LEASE_RULES, type LeaseOptions, SessionLease } from "./lease/session-lease.ts";
import { SessionLister } from "./list/session-lister.ts";
import { isAbsence } from "./replace/file-steps.ts";
import { CleanUpFiles } from "./trash/clean-up-ledger-file.ts";
import { SessionTrash } from "./trash/session-trash.ts";

/** Sessions that are purged at a time: all of them share two syncs. Source: our choice; 10,000 deletions make 20 syncs instead of 300 (`packages/evaluation/bench/sessions/clean-up.mjs`), and each has a hard link meanwhile, of which file systems allow some ten thousand a file. */
const PURGES_AT_ONCE_COUNT = 1_024;

/** Ports and settings of a {@link FileSessionStore}. */
interface FileSessionStoreOptions {
  /** Folder of the sessions; made when the first is stored. */
  readonly root: string;
  /** `nodeFileSystem`, or another implementation of the port. */
  readonly fs: FileSystem;
  /** Names the folders of scopes, and checks blobs against their names. */
  readonly hasher: Hasher;
  /** Names of temporary files. */
  readonly ids: IdSource;
  /** Folder of the trash; on the same disk as `root`. @defaultValue `.trash` in `root` */
  readonly trashFolder?: string;
  /**
   * Keeps a lease for each session that is written, so that a second writer is refused before it begins. Omit it only if
   * a single program uses the folder and opens each session once. Without leases two writers still lose no acknowledged
   * entry, but the second is refused with its append.
   */
  readonly lease?: LeaseOptions;
  /** Most bytes of large blocks that one session may store. @defaultValue 1 GiB */
  readonly blobQuotaBytes?: number;
  /**
   * Keeps an index of the folder, so that lists of very many sessions are quick. It is a cache, rebuilt if it is missing
   * or damaged. All stores of one folder need the same setting: a session written without the index may be misplaced in
   * a list.
   * @defaultValue false
   */
  readonly isIndexed?: boolean;
  /** Keeps the background tasks of a session below its folder. @defaultValue none are kept */
  readonly tasksIn?: (sessionFolder: string) => TaskFiles;
  /**
   * The files below a folder into which others may write: keeps plain copies of what the window shows in part, for the
   * agent's own tools. @defaultValue none are kept
   */
  readonly plainIn?: (folder: string) => FileSystem;
}

const RULES: OptionRules<FileSessionStoreOptions> = {
  root: text,
  fs: anything,
  hasher: having(["sha256"], "a hasher", "`nodeHasher`"),
  ids: having(["entryId"], "a source of ids", "`randomIds`"),
  trashFolder: text,
  lease: closed(LEASE_RULES),
  blobQuotaBytes: number,
  isIndexed: flag,
  tasksIn: func,
  plainIn: func,
};

/** Keeps sessions as files under one folder. */
export class FileSessionStore implements SessionStore {
  readonly purgesAtOnce = PURGES_AT_ONCE_COUNT;
  readonly #options: FileSessionStoreOptions;
  /** By folder. */
  readonly #trashes = new Map<string, SessionTrash>();
  /** By folder. */
  readonly #listers = new Map<string, SessionLister>();

  /** @throws `OptionError` for an option that does not exist or cannot be used */
  constructor(options: FileSessionStoreOptions) {
    checkOptions("FileSessionStore", options, RULES);
    this.#options = options;
  }

  async create(sessionId: string, scope?: Scope): Promise<SessionLog> {
    const paths = this.#paths(sessionId, scope);
    // A crash may have left the folder of a trashed session with this id.
    await this.#trashOf(scope).settleOne(sessionId);
    if (this.#isStored(paths)) throw sessionExists(sessionId);
    return this.#log(sessionId, scope, undefined);
  }

  async open(sessionId: string, scope?: Scope): Promise<SessionLog> {
    const paths = this.#paths(sessionId, scope);
    try {
      return this.#log(sessionId, scope, this.#options.fs.open(paths.logFile, "read"));
    } catch (error) {
      if (isAbsence(error)) throw sessionNotFound(sessionId, paths.rootFolder);
      throw readFailure(paths.logFile, error);
    }
  }

  async list(scope?: Scope): Promise<readonly string[]> {
    return [...this.#lister(scope).list()].sort();
  }

  async describe(query: SessionQuery = {}): Promise<SessionPage> {
    return this.#lister(query.scope).describe(query);
  }

  async overview(scope?: Scope, look?: OverviewLook): Promise<readonly OverviewRow[]> {
    return this.#lister(scope).overview(look);
  }

  async mayHold(sessionId: string, text: string, scope?: Scope): Promise<boolean> {
    assertSessionId(sessionId);
    return this.#lister(scope).mayHold(sessionId, text);
  }

  async find(sessionId: string, scope?: Scope): Promise<SessionInfo> {
    const { rootFolder } = this.#paths(sessionId, scope);
    const info = this.#lister(scope).find(sessionId);
    if (info === undefined) throw sessionNotFound(sessionId, rootFolder);
    return info;
  }

  async trash(sessionId: string, trashing: Trashing, scope?: Scope): Promise<void> {
    await this.#trash(sessionId, scope).trash(sessionId, trashing);
    await this.#lister(scope).forget(sessionId);
  }

  async trashUnchanged(seen: SeenSession, trashing: Trashing, scope?: Scope): Promise<boolean> {
    const { sessionId } = seen;
    const isMoved = await this.#trash(sessionId, scope).trash(sessionId, trashing, seen);
    if (isMoved) await this.#lister(scope).forget(sessionId);
    return isMoved;
  }

  async listTrash(scope?: Scope): Promise<readonly TrashedSession[]> {
    return this.#trashOf(scope).list();
  }

  async restore(sessionId: string, scope?: Scope): Promise<void> {
    await this.#trash(sessionId, scope).restore(sessionId);
    // A page is compared with the folder, and so tells the index; it need not hold the session.
    if (this.#options.isIndexed)
      await this.describe({ ...(scope && { scope }), limit: 1 }).catch(() => undefined);
  }

  async purge(sessionId: string, scope?: Scope): Promise<void> {
    await this.#trash(sessionId, scope).purge(sessionId);
  }

  /** The record of earlier clean-ups of this folder, and the lock that keeps two from running at once. */
  cleanUpLedger(scope?: Scope): CleanUpLedger {
    const { fs, ids, lease } = this.#options;
    return new CleanUpFiles({
      folder: this.#folder(scope),
      fs,
      ids,
      hold: lease && ((folder) => this.#hold(lease, folder, "clean-up", 0)),
      settle: () => this.#trashOf(scope).settle(),
    });
  }

  #trash(sessionId: string, scope: Scope | undefined): SessionTrash {
    assertSessionId(sessionId);
    return this.#trashOf(scope);
  }

  #trashOf(scope: Scope | undefined): SessionTrash {
    const { fs, hasher, lease, root, trashFolder = join(root, ".trash") } = this.#options;
    const folder = scopeFolder(trashFolder, scope, hasher);
    const sessions = this.#folder(scope);
    const trash =
      this.#trashes.get(folder) ??
      new SessionTrash({
        fs,
        folder,
        paths: (sessionId) => sessionPaths(sessions, sessionId),
        hold: lease && ((...held) => this.#hold(lease, ...held)),
        clock: lease?.clock ?? systemClock,
      });
    this.#trashes.set(folder, trash);
    return trash;
  }

  /** Becomes the writer of the session whose folder it is; until it is released. */
  #hold(options: LeaseOptions, sessionFolder: string, sessionId: string, logBytes: number): SessionLease {
    const { fs, ids } = this.#options;
    const lease = new SessionLease({ ...options, sessionId, sessionFolder, fs, leaseId: ids.entryId() });
    lease.acquire(logBytes);
    return lease;
  }

  #paths(sessionId: string, scope: Scope | undefined): SessionPaths {
    assertSessionId(sessionId);
    return sessionPaths(this.#folder(scope), sessionId);
  }

  #folder(scope: Scope | undefined): string {
    return scopeFolder(this.#options.root, scope, this.#options.hasher);
  }

  #isStored(paths: SessionPaths): boolean {
    try {
      return this.#options.fs.stat(paths.logFile) !== undefined;
    } catch (error) {
      throw readFailure(paths.logFile, error);
    }
  }

  #lister(scope: Scope | undefined): SessionLister {
    const folder = this.#folder(scope);
    const { fs, lease, isIndexed = false } = this.#options;
    const lister =
      this.#listers.get(folder) ??
      new SessionLister({
        folder,
        fs,
        isIndexed,
        clock: lease?.clock ?? systemClock,
        isInUse: ({ sessionFolder }) =>
          lease !== undefined &&
          leaseState(fs, sessionFolder, lease.clock.nowMs(), lease.process).type === "held",
      });
    this.#listers.set(folder, lister);
    return lister;
  }

  #log(sessionId: string, scope: Scope | undefined, file: OpenFile | undefined): SessionLog {
    const { fs, hasher, ids, lease, plainIn, blobQuotaBytes = STORE_DEFAULTS.blobQuotaBytes } = this.#options;
    const paths = this.#paths(sessionId, scope);
    const clock = lease?.clock ?? systemClock;
    const isMoving = () => this.#trashOf(scope).isMoving(sessionId);
    const indexed = this.#lister(scope).indexedWriter(sessionId, file === undefined, ids);
    const tasks = this.#options.tasksIn?.(paths.sessionFolder);
    return new FileSessionLog({
      ...{ sessionId, paths, fs, hasher, ids, file, lease, clock, isMoving, blobQuotaBytes, indexed, tasks },
      plainIn,
    });
  }

  /** The files of a session's background tasks, for reading beside its writer; `undefined` where none are kept. */
  tasksOf(sessionId: string, scope?: Scope): TaskFiles | undefined {
    return this.#options.tasksIn?.(this.#paths(sessionId, scope).sessionFolder);
  }
}
