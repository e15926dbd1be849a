/**
 * Lets one process at a time move sessions into a trash and out of it. A process that begins first finishes or undoes
 * interrupted moves.
 *
 * `<trash>/.holder` has the lease of the active process. `<trash>/.busy/<session>` exists while a session is moved; its
 * content does not matter. A process that finds one when it begins knows that another one was interrupted.
 */
import { join } from "node:path";
import { errorCode, StoreError } from "../../../base/errors.ts";
import type { FileSystem } from "../../../ports/file-system.ts";
import { isSessionId } from "../../shared/session-paths.ts";
import { DurableFolders } from "../replace/durable-folders.ts";
import { hasFolder } from "./trash-places.ts";

/** A folder that is locked against other processes. */
export interface GuardedFolder {
  /** False once the loss of the lock was noticed. */
  readonly isHeld: boolean;
  /** A second call does nothing. */
  release(): void;
}

interface TrashGuardOptions {
  readonly fs: FileSystem;
  /** The trash. */
  readonly folder: string;
  /** A file of the trash that exists from the first move on. */
  readonly standingFile: string;
  /** Locks a folder for a session; absent if the store keeps no leases. @throws `SESSION_IN_USE` */
  readonly hold: ((folder: string, sessionId: string) => GuardedFolder) | undefined;
  /** Finishes or undoes an interrupted operation; throws if the disk refuses. */
  readonly settle: (sessionId: string) => void;
}

export class TrashGuard {
  readonly #options: TrashGuardOptions;
  readonly #fs: FileSystem;
  readonly #busyFolder: string;
  /** The last operation on each session in this process. */
  readonly #queues = new Map<string, Promise<unknown>>();
  /** Sessions with an operation of this process, whose marks are not remains of a crash. */
  readonly #underWay = new Set<string>();
  #holder: GuardedFolder | undefined;
  #activeCount = 0;

  constructor(options: TrashGuardOptions) {
    this.#options = options;
    this.#fs = options.fs;
    this.#busyFolder = join(options.folder, ".busy");
  }

  /** True if an operation on the session is under way or was interrupted. */
  isMarked(sessionId: string): boolean {
    return this.#fs.stat(this.#markOf(sessionId)) !== undefined;
  }

  /** True while this process has an operation under way. */
  get isActive(): boolean {
    return this.#activeCount > 0;
  }

  /**
   * True while the session is being moved. Settles an interrupted move first; if another process prevents that, the
   * session counts as being moved.
   */
  isMoving(sessionId: string): boolean {
    if (!this.isMarked(sessionId)) return false;
    if (this.#underWay.has(sessionId)) return true;
    try {
      this.#begin(sessionId);
    } catch (error) {
      if (errorCode(error) === "SESSION_IN_USE") return true;
      throw error;
    }
    try {
      if (this.isMarked(sessionId) && this.#trySettle(sessionId)) this.#unmark(sessionId);
    } finally {
      this.#end();
    }
    return this.isMarked(sessionId);
  }

  /** Does the work under the session's mark, one at a time for each session. */
  async run(sessionId: string, work: () => Promise<void>): Promise<void> {
    const before = this.#queues.get(sessionId) ?? Promise.resolve();
    const after = before.then(() => this.#run(sessionId, work));
    const quiet = after.catch(() => undefined);
    this.#queues.set(sessionId, quiet);
    try {
      await after;
    } finally {
      if (this.#queues.get(sessionId) === quiet) this.#queues.delete(sessionId);
    }
  }

  async #run(sessionId: string, work: () => Promise<void>): Promise<void> {
    await this.#makeFolder();
    this.#begin(sessionId);
    this.#underWay.add(sessionId);
    let isSettled = false;
    try {
      this.#mark(sessionId);
      await work();
      isSettled = true;
    } catch (error) {
      isSettled = this.#trySettle(sessionId);
      throw error;
    } finally {
      if (isSettled) this.#unmark(sessionId);
      this.#underWay.delete(sessionId);
      this.#end();
    }
  }

  /** Settles interrupted operations of earlier processes; does nothing while another process is active. */
  async settleAll(): Promise<void> {
    if (!hasFolder(this.#fs, this.#busyFolder)) return;
    try {
      this.#begin("any");
    } catch (error) {
      if (errorCode(error) === "SESSION_IN_USE") return;
      throw error;
    }
    this.#end();
  }

  /** Makes a new trash durable before anything moves into it. */
  async #makeFolder(): Promise<void> {
    if (this.isActive || hasFolder(this.#fs, this.#busyFolder)) return;
    const folders = new DurableFolders(this.#fs);
    folders.ensure(this.#busyFolder);
    await folders.sync();
  }

  /** @throws `SESSION_IN_USE` if another process is active. */
  #begin(sessionId: string): void {
    const isFirst = this.#activeCount === 0;
    if (isFirst || this.#holder?.isHeld === false) {
      this.#holder = this.#hold(sessionId);
      try {
        this.#settleMarked();
      } catch (error) {
        // Otherwise this process would renew the lease and lock out all others.
        if (isFirst) this.#release();
        throw error;
      }
    }
    this.#activeCount++;
  }

  #hold(sessionId: string): GuardedFolder | undefined {
    const { folder, hold } = this.#options;
    try {
      return hold?.(join(folder, ".holder"), sessionId);
    } catch (error) {
      if (errorCode(error) !== "SESSION_IN_USE") throw error;
      throw new StoreError("SESSION_IN_USE", {
        message: `Session ${sessionId} cannot be moved now: another process moves sessions into ${folder} or out of it.`,
        hint: "Try again in a moment: a clean-up of very many sessions takes some seconds.",
        cause: error,
      });
    }
  }

  #end(): void {
    this.#activeCount--;
    if (this.#activeCount === 0) this.#release();
  }

  #release(): void {
    try {
      this.#holder?.release();
    } catch {
      // A lease that stays expires.
    }
    this.#holder = undefined;
  }

  #settleMarked(): void {
    for (const sessionId of this.#fs.list(this.#busyFolder))
      if (isSessionId(sessionId) && !this.#underWay.has(sessionId) && this.#trySettle(sessionId))
        this.#unmark(sessionId);
  }

  #trySettle(sessionId: string): boolean {
    try {
      this.#options.settle(sessionId);
      return true;
    } catch {
      // The session is whole either way, and the next operation tries again.
      return false;
    }
  }

  #mark(sessionId: string): void {
    const mark = this.#markOf(sessionId);
    try {
      if (!this.#markByLink(mark)) this.#fs.open(mark, "create").close();
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
      this.#options.settle(sessionId);
    }
  }

  /**
   * Marks with a hard link to an existing file. A new file costs more, and so does every file made after its removal:
   * file systems do not reuse the place of a removed file at once.
   */
  #markByLink(mark: string): boolean {
    const { standingFile } = this.#options;
    if (this.#fs.link === undefined) return false;
    try {
      const stat = this.#fs.stat(standingFile);
      if (stat === undefined || stat.isDirectory || stat.isLink) return false;
      this.#fs.link(standingFile, mark);
      return true;
    } catch (error) {
      if (errorCode(error) === "EEXIST") throw error;
      // No hard links here, or another failure that making a file will report.
      return false;
    }
  }

  #unmark(sessionId: string): void {
    try {
      this.#fs.remove(this.#markOf(sessionId));
    } catch {
      // The next operation finds nothing to settle and removes it.
    }
  }

  #markOf(sessionId: string): string {
    return join(this.#busyFolder, sessionId);
  }
}
