/**
 * Forks under way in a project, so that one that a crash cut short is not taken for a session.
 *
 * `<project>/.forking/<session>` exists while a fork is made. A process that finds one without a writer of its session
 * moves the unfinished fork to the trash; a fork that is still being made holds the lease of its session.
 */
import { join } from "node:path";
import { StoreError } from "../../base/errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import type { Clock } from "../../ports/runtime.ts";
import type { SessionStore } from "../../ports/session-store.ts";
import { FORK_MARK } from "../../session/append/carried-marks.ts";

const FOLDER = ".forking";

export class ForkMarks {
  readonly #fs: FileSystem;
  readonly #folder: string;

  constructor(projectFolder: string, fs: FileSystem) {
    this.#fs = fs;
    this.#folder = join(projectFolder, FOLDER);
  }

  /** Does `work` while the mark is there. A mark that cannot be set or removed costs the fork nothing. */
  async during<Result>(sessionId: string, work: () => Promise<Result>): Promise<Result> {
    this.#try(() => {
      this.#fs.makeDirectory(this.#folder);
      this.#fs.open(join(this.#folder, sessionId), "create").close();
    });
    try {
      return await work();
    } finally {
      this.#remove(sessionId);
    }
  }

  /** Moves what crashes left of forks to the trash. Never throws: what cannot be taken away now is another time. */
  async sweep(store: SessionStore, clock: Clock): Promise<void> {
    for (const sessionId of this.#try(() => this.#fs.list(this.#folder)) ?? []) {
      try {
        if ((await store.find(sessionId)).isInUse) continue;
        // To the trash only: what is taken for half a session by mistake can be brought back.
        if (!(await isWhole(store, sessionId)))
          await store.trash(sessionId, { at: clock.nowMs(), reason: "a fork that a crash cut short" });
      } catch (error) {
        const isGone = error instanceof StoreError && error.code === "SESSION_NOT_FOUND";
        if (!isGone) continue;
      }
      this.#remove(sessionId);
    }
  }

  #remove(sessionId: string): void {
    this.#try(() => this.#fs.remove(join(this.#folder, sessionId)));
    this.#try(() => this.#fs.removeDirectory(this.#folder));
  }

  #try<Result>(work: () => Result): Result | undefined {
    try {
      return work();
    } catch {
      // There is none, another fork is under way, or the disk is full: the fork itself reports that.
      return undefined;
    }
  }
}

/** Resolves with true if everything was copied, and only the mark is left. */
async function isWhole(store: SessionStore, sessionId: string): Promise<boolean> {
  const log = await store.open(sessionId);
  try {
    for await (const { entries } of log.readAll({ outline: true }))
      for (const { entry } of entries)
        if (entry.type === "metadata" && entry.key === FORK_MARK && entry.value === sessionId) return true;
    return false;
  } finally {
    await log.close();
  }
}
