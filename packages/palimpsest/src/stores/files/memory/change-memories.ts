/**
 * Makes one change of memories, step by step. The caller holds the lock.
 *
 * DESIGN. A program cannot know that a person is about to save, so it never overwrites a file. It prepares all new texts
 * in a folder of the change (`new`) and syncs them. Then (`doing`) it renames the old files away and compares them: an
 * editor that saves now creates a new file. If every old file has the expected version, hard links give the new texts
 * their names. A link fails if a person has created the file meanwhile: then that file stays and the change is undone
 * (`undo`). Renaming the change's folder to `done` commits the change: if a process dies before it, the next one undoes
 * everything.
 *
 * If a change removes files or spans several folders, every step is durable before the next one begins. Otherwise one
 * sync of the folder at the end is enough.
 */
import { MEMORY_STORE_DEFAULTS } from "../../../base/defaults/memory/store.ts";
import { StoreError } from "../../../base/errors.ts";
import type { CheckedChange } from "../../shared/memory-change-rules.ts";
import type { MemoryFiles } from "./memory-file-steps.ts";
import { folderOf, type PendingWork, PLACES, pieceOf, type WorkItem, workAs } from "./memory-places.ts";
import type { MemorySettling } from "./memory-recovery.ts";

/**
 * Longest time that a change waits for others, in milliseconds. Source: our choice; each takes as long as the disk
 * takes to sync.
 */
const WAIT_MS = 10_000;

/**
 * The result of a change. `done`: the caller has to sync these folders. `conflicts`: these paths have other versions.
 * `lost`: another process considered this one dead and took over. After the last two nothing has changed.
 */
export type Carried =
  | { readonly type: "done"; readonly unsynced: readonly string[] }
  | { readonly type: "conflicts"; readonly paths: readonly string[] }
  | { readonly type: "lost" };

const LOST: Carried = { type: "lost" };

/** A change that is ready to be made. */
interface PreparedWork {
  readonly work: PendingWork;
  readonly changes: readonly CheckedChange[];
  /** Folders that were missing. */
  readonly folders: readonly string[];
}

export class MemoryWork {
  readonly #files: MemoryFiles;
  readonly #settling: MemorySettling;
  #hasPlaces = false;

  constructor(files: MemoryFiles, settling: MemorySettling) {
    this.#files = files;
    this.#settling = settling;
  }

  /** Writes down what is to happen, and the new texts; nothing of it is visible. */
  async prepare(work: PendingWork, changes: readonly CheckedChange[]): Promise<PreparedWork> {
    const items = itemsOf(changes);
    const missing = changes.flatMap(({ path, next }) =>
      next === undefined ? [] : this.#files.missingFolders(folderOf(path)),
    );
    const folders = [...new Set(missing)];
    try {
      await this.#ensurePlaces();
      this.#files.fs.makeDirectory(work.folder);
      await Promise.all([
        this.#files.writePlan(work, { items, folders }),
        ...changes.map(({ next }, index) =>
          next === undefined ? undefined : this.#files.create(pieceOf(work, "new", index), next.bytes),
        ),
      ]);
      return { work, changes, folders };
    } catch (error) {
      await this.#settling.tryTo(() => this.#settling.discard(work));
      throw error;
    }
  }

  /** Runs once, even if the folders exist: the process that made them may have died before it synced them. */
  async #ensurePlaces(): Promise<void> {
    if (this.#hasPlaces) return;
    this.#files.fs.makeDirectory(PLACES.work);
    for (const folder of ["", PLACES.own]) await this.#files.fs.syncDirectory(folder);
    this.#hasPlaces = true;
  }

  /** Makes the change, or leaves everything as it is. @throws the file system's error */
  async carryOut(prepared: PreparedWork): Promise<Carried> {
    const { changes } = prepared;
    const work = workAs(prepared.work, "doing");
    if (!this.#files.rename(prepared.work.folder, work.folder)) return LOST;
    let isDone = false;
    try {
      const paths = this.#exchange(work, changes);
      if (paths.length > 0)
        return (await this.#settling.takeBack(work)) ? { type: "conflicts", paths } : LOST;
      const folders = changedFolders(prepared);
      const isOneStep = folders.length === 1 && changes.every(({ next }) => next !== undefined);
      if (!isOneStep) await this.#syncInOrder(work, folders);
      isDone = this.#files.rename(work.folder, workAs(work, "done").folder);
      if (!isDone) return LOST;
      if (!isOneStep) await this.#files.sync(PLACES.work);
      await this.#settling.tryTo(() => this.#settling.clearAwayNow(workAs(work, "done"), itemsOf(changes)));
      return { type: "done", unsynced: isOneStep ? folders : [] };
    } catch (error) {
      if (isDone) throw unconfirmed(error);
      // If this fails, the next process does it.
      await this.#settling.tryTo(() => this.#settling.takeBack(work));
      throw error;
    }
  }

  /** The first path that is not as it was to be, if there is one. */
  #exchange(work: PendingWork, changes: readonly CheckedChange[]): readonly string[] {
    for (const [index, { path, base }] of changes.entries())
      if (base !== undefined && !this.#takeOut(work, index, { path, base, next: undefined })) return [path];
    for (const [index, { path, next }] of changes.entries())
      if (next !== undefined && !this.#putIn(work, index, path)) return [path];
    return [];
  }

  /** True if the file existed with the expected version. */
  #takeOut(work: PendingWork, index: number, { path, base }: WorkItem): boolean {
    const taken = pieceOf(work, "old", index);
    return this.#files.rename(path, taken) && this.#files.versionOf(taken) === base;
  }

  /** True if the name was free. */
  #putIn(work: PendingWork, index: number, path: string): boolean {
    this.#files.ensureFolder(folderOf(path));
    return this.#files.place(pieceOf(work, "new", index), path);
  }

  async #syncInOrder(work: PendingWork, folders: readonly string[]): Promise<void> {
    await Promise.all([this.#files.sync(work.folder), this.#files.sync(PLACES.work)]);
    for (const folder of folders) await this.#files.sync(folder);
  }
}

function itemsOf(changes: readonly CheckedChange[]): readonly WorkItem[] {
  return changes.map(({ path, base, next }) => ({ path, base, next: next?.version }));
}

/** Those that files lie in, and those that hold folders that are made for them; the innermost first. */
function changedFolders({ changes, folders }: PreparedWork): readonly string[] {
  const changed = [...changes.map(({ path }) => path), ...folders].map(folderOf);
  return [...new Set(changed)].sort((one, other) => other.length - one.length);
}

/** It happened, as far as anybody can see; only a power loss could tell otherwise. */
export function unconfirmed(cause: unknown): StoreError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new StoreError("STORE_FAILED", {
    message: `The memories were changed, and the disk did not confirm it: ${reason}`,
    hint: "Check the disk, and read the memories again before they are changed again.",
    cause,
  });
}

/** Limits of the wait for other changes. */
export const CHANGE_PATIENCE = {
  waitMs: WAIT_MS,
  pollMs: MEMORY_STORE_DEFAULTS.pollMs,
} as const;
