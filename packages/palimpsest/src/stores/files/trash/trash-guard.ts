/**
 * One process at a time moves sessions into a trash and out of it, and whoever begins settles what was left.
 *
 * `<trash>/.holder` has the lease of the process that is at it, for as long as it has something under way.
 * `<trash>/.busy/<session>` is there while a session is moved, whatever stands in it; where one is found at the
 * beginning, its process ended in the middle.
 */
import { join } from "node:path";
import { errorCode, StoreError } from "../../../base/errors.ts";
import type { FileSystem } from "../../../ports/file-system.ts";
import { isSessionId } from "../../shared/session-paths.ts";
import { DurableFolders } from "../replace/durable-folders.ts";
import { hasFolder } from "./trash-places.ts";

/** A folder that is held against other processes. */
export interface GuardedFolder {
  /** Whether it still is, as far as was noticed. */
  readonly isHeld: boolean;
  /** A second call does nothing. */
  release(): void;
}

interface TrashGuardOptions {
  readonly fs: FileSystem;
  /** The trash. */
  readonly folder: string;
  /** A file of the trash that is there from the first move on. */
  readonly standingFile: string;
  /** Holds a folder on behalf of a session; absent where a store keeps no leases. @throws `SESSION_IN_USE` */
  readonly hold: ((folder: string, sessionId: string) => GuardedFolder) | undefined;
  /** Finishes or undoes what was begun with a session; throws where the disk refuses. */
  readonly settle: (sessionId: string) => void;
}

export class TrashGuard {
  readonly #options: TrashGuardOptions;
  readonly #fs: FileSystem;
  readonly #busyFolder: string;
  /** The last operation on each session in this process. */
  readonly #queues = new Map<string, Promise<unknown>>();
  /** What is under way in this process, and not left by a crash. */
  readonly #underWay = new Set<string>();
  #holder: GuardedFolder | undefined;
  #activeCount = 0;

  constructor(options: TrashGuardOptions) {
    this.#options = options;
    this.#fs = options.fs;
    this.#busyFolder = join(options.folder, ".busy");
  }

  /** Whether something with the session is under way, or was when its process ended. */
  isMarked(sessionId: string): boolean {
    return this.#fs.stat(this.#markOf(sessionId)) !== undefined;
  }

  /** Whether this process has something under way. */
  get isActive(): boolean {
    return this.#activeCount > 0;
  }

  /**
   * Whether the session is being moved at this moment. What a crash left of a move is settled before; where
   * another process keeps that from being done, it counts as being moved.
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

  /** Settles what earlier processes were in the middle of; nothing where another process is at it now. */
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

  /** A new trash is durable before anything moves into it. */
  async #makeFolder(): Promise<void> {
    if (this.isActive || hasFolder(this.#fs, this.#busyFolder)) return;
    const folders = new DurableFolders(this.#fs);
    folders.ensure(this.#busyFolder);
    await folders.sync();
  }

  /** @throws `SESSION_IN_USE` where another process is at it. */
  #begin(sessionId: string): void {
    const isFirst = this.#activeCount === 0;
    if (isFirst || this.#holder?.isHeld === false) {
      this.#holder = this.#hold(sessionId);
      try {
        this.#settleMarked();
      } catch (error) {
        // Kept, it would be renewed for as long as the process lives, and refuse everybody.
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
      // A lease that stays runs out.
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
      // The session is whole either way; whoever comes next tries again.
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
   * Gives a file that is there already a second name. A file of its own costs more, and so does every other that
   * is made after it is removed: file systems look past the places of files that are just gone.
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
      // Files have one name only here, or what is wrong is told of a file of its own.
      return false;
    }
  }

  #unmark(sessionId: string): void {
    try {
      this.#fs.remove(this.#markOf(sessionId));
    } catch {
      // Whoever comes next finds nothing to settle and removes it.
    }
  }

  #markOf(sessionId: string): string {
    return join(this.#busyFolder, sessionId);
  }
}
