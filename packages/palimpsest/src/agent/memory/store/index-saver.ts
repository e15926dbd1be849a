/**
 * Saves the index of a cache for the next process, in the background and only when enough has changed.
 *
 * A row is saved without its stamp while its file was written just now: the next process would have to read that file
 * again. So such rows count as unsaved once their files have settled, and so does a file that has another stamp and the
 * same text, as after a copy of the folder: otherwise every later process would read it again.
 */
import type { MemorySearch } from "../../../base/search/memory-search.ts";
import type { MemoryFollower } from "../../../ports/memory-store.ts";
import { composeSavedIndex, type SavedRow, unusableIndex } from "./saved-index.ts";

/** Memories from which on the index is saved. Our choice: fewer are read in less than a tenth of a second. */
const SAVED_COUNT = 500;
/** Share of the memories that has to have changed for it to be saved again. Our choice: reading these again takes a fraction of the time that a look takes at the start. */
const UNSAVED_SHARE = 0.02;

interface SavedCache {
  readonly follower: MemoryFollower | undefined;
  readonly search: MemorySearch;
  /** The number of memories. */
  readonly size: number;
}

export class IndexSaver {
  readonly #cache: () => SavedCache;
  /** `undefined` for a path without a memory; without a stamp while the file may still change unseen. */
  readonly #rowOf: (path: string) => SavedRow | undefined;
  /** Changes of what is saved, ever. */
  #changesCount = 0;
  #unsavedCount = 0;
  /** True if what is saved has words of a removed memory. */
  #hasRemoved = false;
  /** Others came while the index was saved: up to so many changes it is saved only once none come. */
  #savedLaterCount = 0;
  /** Memories whose rows were saved without a stamp. */
  #unstamped = new Set<string>();
  #saving: Promise<void> | undefined;

  constructor(cache: () => SavedCache, rowOf: (path: string) => SavedRow | undefined) {
    this.#cache = cache;
    this.#rowOf = rowOf;
  }

  /** Changes of what is saved, ever. */
  get changesCount(): number {
    return this.#changesCount;
  }

  /** True if there are enough memories for an index to be saved. */
  get isWanted(): boolean {
    return this.#cache().size >= SAVED_COUNT;
  }

  /** Notes that a memory came or changed. */
  noteEntered(): void {
    this.#changesCount++;
    this.#unsavedCount++;
  }

  /** Notes that a memory left the cache, to come again or not. */
  noteLeft(): void {
    this.#changesCount++;
  }

  /** Notes that a memory was removed for good. */
  noteRemoved(): void {
    this.#hasRemoved = true;
  }

  /** Notes that a file has another stamp than before, and the same text. */
  noteStamp(): void {
    this.#unsavedCount++;
  }

  /** Resolves when a save that was begun has ended. Never rejects. */
  async settled(): Promise<void> {
    await this.#saving;
  }

  /** Saves the index in the background. `isCalm`: no change has come just now. */
  saveIfDue(isCalm: boolean): void {
    const { size } = this.#cache();
    const { keep } = this.#cache().follower ?? {};
    if (keep === undefined || this.#saving !== undefined || !this.isWanted) return;
    const isMuch = this.#unsavedCount + this.#settledCount() > UNSAVED_SHARE * size;
    if (!isMuch && !this.#hasRemoved) return;
    if (!isCalm && this.#changesCount < this.#savedLaterCount) return;
    const [changesCount, unsavedCount] = [this.#changesCount, this.#unsavedCount];
    const unstamped = new Set<string>();
    this.#saving = keep(this.#pieces(unstamped)).then(() => {
      this.#saving = undefined;
      if (this.#changesCount !== changesCount) {
        this.#savedLaterCount = this.#changesCount + UNSAVED_SHARE * this.#cache().size;
        return;
      }
      this.#unstamped = unstamped;
      this.#unsavedCount -= unsavedCount;
      this.#hasRemoved = false;
    });
  }

  /** Memories that were saved without a stamp and could be saved with one: one of them is asked for all. */
  #settledCount(): number {
    for (const path of this.#unstamped) {
      const row = this.#rowOf(path);
      if (row !== undefined) return row.stamp === "" ? 0 : this.#unstamped.size;
      this.#unstamped.delete(path);
    }
    return 0;
  }

  *#pieces(unstamped: Set<string>): Iterable<Uint8Array> {
    const changesCount = this.#changesCount;
    const rowOf = (path: string): SavedRow | undefined => {
      const row = this.#rowOf(path);
      if (row?.stamp === "") unstamped.add(path);
      return row;
    };
    for (const piece of composeSavedIndex(this.#cache().search, rowOf)) {
      // The next look saves it again.
      if (this.#changesCount !== changesCount) throw unusableIndex("The memories were changed meanwhile.");
      yield piece;
    }
  }
}
