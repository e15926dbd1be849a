/**
 * A cache of the memories in a store, with an index for searching them.
 *
 * DESIGN. `look` asks the store what has changed and reads only that. So the next look sees people's edits, and costs no
 * more than they do. The cache keeps what ranking needs; a memory's text is read when it is asked for, where the store
 * can do so at once, so that what a model is shown is what the file says. Looks run one after another, and what a snapshot
 * has given out never changes. Nothing is locked during a model's call: a writer looks again, and the store compares
 * versions.
 */

import { errorMessage } from "../../../base/errors.ts";
import {
  createMemorySearch,
  type MemoryHit,
  type MemorySearch,
  type MemorySearchOptions,
} from "../../../base/search/memory-search.ts";
import { type KnownMemory, trustOf } from "../../../memory/files/memory.ts";
import { isOwnIndex } from "../../../memory/files/memory-index.ts";
import { isRecallable } from "../../../memory/recall/recall-plan.ts";
import { searchFields } from "../../../memory/recall/search-fields.ts";
import { mayCorrect } from "../../../memory/subject/same-subject.ts";
import type { MemoryFile, MemoryFileHead, MemoryFollower, MemoryStore } from "../../../ports/memory-store.ts";
import { followByListing } from "./follow-by-listing.ts";
import { IndexSaver } from "./index-saver.ts";
import { byOwnName, type CachedMemory, knownOf, type MemoryHead, MemoryView, nameOf } from "./memory-view.ts";
import { readIndex, type SavedRow } from "./saved-index.ts";

export interface MemoryProblem {
  readonly path: string;
  readonly detail: string;
  /** True if the memory could be read, and only some of its frontmatter is unknown. @defaultValue false */
  readonly isRead?: boolean;
  /** True if the directory holds more than is listed: new memories may not be found. @defaultValue false */
  readonly isOverLimit?: boolean;
}

/** The memories at one moment. */
export interface MemorySnapshot {
  /** By path. */
  readonly memories: ReadonlyMap<string, KnownMemory>;
  /** The index files, by path: the project's and the team's. */
  readonly indexes: ReadonlyMap<string, MemoryFile>;
  readonly problems: readonly MemoryProblem[];
  /** The memories of which this is true, without reading the others; with a limit those that were written last. */
  where(accepts: (head: MemoryHead) => boolean, limit?: number): readonly KnownMemory[];
  /** True if a memory in the folder has a name that some system takes for this one; see `fileNameKey`. */
  hasName(folder: string, key: string): boolean;
}

interface CacheSearchOptions extends Omit<MemorySearchOptions, "accepts"> {
  readonly accepts: (memory: MemoryHead) => boolean;
}

/** Successors that are followed. Our choice: facts that are corrected more often have other files by then. */
const SUCCESSORS_COUNT = 20;
/** Memories of which one search finds out whether they revise what it found. Our choice: as many as it finds; files of strangers may name any number. */
const REVISERS_COUNT = 40;
/** Memories that one revises, at the most. Our choice: a fact corrects few; the file of a stranger may name any number. */
const REVISED_COUNT = 8;
/** Share by which a memory is ranked before the one that it revises. Our choice: just before it. */
const BEFORE = 1.01;
/** Files that are read without giving others a turn. Source: our choice; some milliseconds. */
const SLICE_COUNT = 32;
/** The same for what is only compared or entered. */
const COMPARED_SLICE_COUNT = 4_096;
/** Memories that are kept with their texts when they were read for the index only. Our choice: some megabytes. */
const KEPT_TEXTS_COUNT = 5_000;

export class MemoryCache {
  readonly #store: MemoryStore;
  readonly #yieldTurn: () => Promise<void>;
  #search: MemorySearch = createMemorySearch();
  readonly #cached = new Map<string, CachedMemory>();
  /** The number of memories that follow one, by its path. */
  readonly #followers = new Map<string, number>();
  /** Paths of the memories that revise one, by its path. */
  readonly #revisers = new Map<string, Set<string>>();
  readonly #indexes = new Map<string, MemoryFile>();
  /** Reasons why files could not be read, by path. */
  readonly #unreadable = new Map<string, string>();
  /** Parts of readable files that were not understood, by path. */
  readonly #odd = new Map<string, readonly string[]>();
  /** Counts of memories with the same name, by folder and key. */
  readonly #names = new Map<string, number>();
  /** Heads of files that turned out to be others than they were taken for. */
  readonly #doubtful = new Map<string, MemoryFileHead>();
  #follower: MemoryFollower | undefined;
  #listingProblems: readonly MemoryProblem[] = [];
  #looking: Promise<unknown> = Promise.resolve();
  readonly #saver = new IndexSaver(
    () => ({ follower: this.#follower, search: this.#search, size: this.#cached.size }),
    (path) => this.#rowOf(path),
  );
  #isFirst = true;

  constructor(store: MemoryStore, yieldTurn: () => Promise<void> = async () => undefined) {
    this.#store = store;
    this.#yieldTurn = yieldTurn;
  }

  /** Reads the current state. @throws `STORE_FAILED` if the directory cannot be listed */
  look(): Promise<MemorySnapshot> {
    const looked = this.#looking.then(() => this.#look());
    this.#looking = looked.catch(() => undefined);
    return looked;
  }

  /** The same with all texts read: for what goes through all memories. @throws `STORE_FAILED` */
  async lookWhole(): Promise<MemorySnapshot> {
    const snapshot = await this.look();
    const memories = new Map<string, KnownMemory>();
    let readCount = 0;
    for (const path of [...snapshot.memories.keys()]) {
      if (this.#cached.get(path)?.known === undefined && ++readCount % SLICE_COUNT === 0)
        await this.#yieldTurn();
      const known = snapshot.memories.get(path);
      if (known !== undefined) memories.set(path, known);
    }
    return { ...snapshot, memories };
  }

  /** Stops following the store, once the index is saved. */
  async close(): Promise<void> {
    // A memory that was forgotten just now is not to leave its words in it.
    if (this.#saver.isWanted) await this.look().catch(() => undefined);
    await this.#saver.settled();
    this.#saver.saveIfDue(true);
    await this.#saver.settled();
    this.#follower?.close();
    this.#follower = undefined;
  }

  /** Finds the memories that match a query best, as of the last look. */
  search(query: string, { accepts, ...options }: CacheSearchOptions): readonly MemoryHit[] {
    return this.#search.search(query, {
      ...options,
      accepts: (path) => {
        const cached = this.#cached.get(path);
        return cached !== undefined && accepts(cached);
      },
    });
  }

  /**
   * Finds the memories that a query calls for now: in the place of a past one that matches, its successor, and with each
   * the newer ones that revise it. People ask in the words of the old fact: `I moved to Oslo` lacks the word `live`.
   */
  searchCurrent(
    query: string,
    { limit, ...options }: Omit<MemorySearchOptions, "accepts"> & { readonly limit: number },
  ): readonly MemoryHit[] {
    const found = new Map<string, MemoryHit>();
    const add = (id: string, hit: MemoryHit, score: number): void => {
      if (score > (found.get(id)?.score ?? 0)) found.set(id, { ...hit, id, score });
    };
    let revisersLeft = REVISERS_COUNT;
    const accepts = ({ path }: MemoryHead): boolean => this.#currentOf(path) !== undefined;
    for (const hit of this.search(query, { limit, accepts, ...options })) {
      const current = this.#currentOf(hit.id)!;
      add(current.path, hit, hit.score);
      for (const path of this.#revisers.get(hit.id) ?? []) {
        const newer = this.#currentOf(path);
        if (newer === undefined || newer.path === current.path) continue;
        if (revisersLeft-- <= 0) break;
        const [revising, found, shown] = [newer.path, hit.id, current.path].map(
          (one) => this.#load(this.#cached.get(one)!)?.memory,
        );
        // One of them was removed just now.
        if (revising === undefined || found === undefined || shown === undefined) continue;
        // The link is a claim of the file: anybody may have written it.
        if (!mayCorrect(revising.body, found.body)) continue;
        const isFirst = trustOf(revising) >= trustOf(shown);
        add(newer.path, hit, hit.score * (isFirst ? BEFORE : 1 / BEFORE));
      }
    }
    return [...found.values()].sort((one, other) => other.score - one.score).slice(0, limit);
  }

  /** The memory at a path, or the one that took its place, as far as it may be recalled. */
  #currentOf(path: string): MemoryHead | undefined {
    let memory: MemoryHead | undefined = this.#cached.get(path);
    for (let step = 0; step < SUCCESSORS_COUNT && memory?.supersededBy !== undefined; step++)
      memory = memory.isQuarantined ? undefined : this.#cached.get(memory.supersededBy);
    return memory !== undefined && isRecallable(memory) ? memory : undefined;
  }

  async #look(): Promise<MemorySnapshot> {
    // A wrapper of a store may make every method asynchronous.
    this.#follower ??= (await this.#store.follow?.()) ?? followByListing(this.#store);
    const isFirst = this.#isFirst;
    const { changesCount } = this.#saver;
    if (isFirst && this.#cached.size === 0) await this.#restore(this.#follower);
    const { changed, removed, problems } = await this.#follower.next();
    if (problems !== undefined) this.#listingProblems = problems;
    const gone = [...removed];
    const doubtful = [...this.#doubtful.values()];
    this.#doubtful.clear();
    // A few that changed now are asked for soon, for example to be compared with the next fact.
    const isFew = !isFirst && changed.length <= SLICE_COUNT;
    const restoredCount = this.#cached.size;
    let count = 0;
    let comparedCount = 0;
    let listedCount = 0;
    for (const heads of [changed, doubtful])
      for (const head of heads) {
        if (isFirst) {
          if (++comparedCount % COMPARED_SLICE_COUNT === 0) await this.#yieldTurn();
          const known = this.#cached.get(head.path);
          if (known !== undefined) listedCount++;
          if (known?.stamp === head.stamp) continue;
        }
        await this.#read(head, isFew);
        if (this.#follower.read !== undefined && ++count % SLICE_COUNT === 0) await this.#yieldTurn();
      }
    if (isFirst && listedCount < restoredCount) {
      const listed = new Set(changed.map(({ path }) => path));
      for (const path of this.#cached.keys()) {
        if (!listed.has(path)) gone.push(path);
        if (++comparedCount % COMPARED_SLICE_COUNT === 0) await this.#yieldTurn();
      }
    }
    this.#isFirst = false;
    if (gone.some((path) => this.#cached.has(path))) this.#saver.noteRemoved();
    for (const path of gone) this.#remove(path);
    this.#saver.saveIfDue(this.#saver.changesCount === changesCount);
    const memories = new MemoryView(this.#cached, (cached) => this.#load(cached));
    return {
      memories,
      indexes: byOwnName(this.#indexes),
      problems: [...this.#listingProblems, ...this.#ownProblems()],
      where: (accepts, limit = Number.POSITIVE_INFINITY) => {
        const found = [...this.#cached.values()].filter(accepts);
        if (found.length > limit) found.sort((one, other) => other.modifiedMs - one.modifiedMs);
        return found.slice(0, limit).flatMap(({ path }) => memories.get(path) ?? []);
      },
      hasName: (folder, key) => this.#names.has(folder + key),
    };
  }

  /** Takes over what another process saved. The look that follows compares it with the files. */
  async #restore({ kept, read }: MemoryFollower): Promise<void> {
    if (kept === undefined || read === undefined) return;
    // It is damaged, or cannot be read: then the files are.
    const saved = await readIndex(kept(), this.#yieldTurn).catch(() => undefined);
    if (saved === undefined) return;
    this.#search = saved.search;
    for (const [path, odd] of saved.odd) this.#odd.set(path, odd);
    let count = 0;
    for (const memory of saved.memories) {
      const { follows } = memory;
      this.#enter(memory);
      if (++count % COMPARED_SLICE_COUNT === 0) await this.#yieldTurn();
      if (follows !== undefined) this.#followers.set(follows, (this.#followers.get(follows) ?? 0) + 1);
    }
  }

  #rowOf(path: string): SavedRow | undefined {
    const cached = this.#cached.get(path);
    if (cached === undefined) return undefined;
    const { known: _, stamp, ...head } = cached;
    const isLasting = this.#follower?.isLasting(path, stamp) === true;
    return { ...head, stamp: isLasting ? stamp : "", odd: this.#odd.get(path) };
  }

  /** The memory with its text, as its file is now; `undefined` if it is gone or cannot be read. */
  #load(cached: CachedMemory): KnownMemory | undefined {
    if (cached.known !== undefined) return cached.known;
    const { path, stamp, modifiedMs } = cached;
    try {
      const file = this.#follower?.read?.(path);
      if (file?.version === cached.version) {
        cached.known = knownOf(file).known;
        return cached.known;
      }
      // It was changed just now; the next look takes it in.
      this.#doubtful.set(path, { path, stamp, modifiedMs, sizeBytes: 0 });
      return file && knownOf(file).known;
    } catch {
      return undefined;
    }
  }

  async #read({ path, stamp, modifiedMs }: MemoryFileHead, keepsText: boolean): Promise<void> {
    const before = this.#cached.get(path);
    const readNow = this.#follower?.read;
    let file: MemoryFile | undefined;
    try {
      file = readNow === undefined ? await this.#store.read(path) : readNow(path);
    } catch (error) {
      // One file that cannot be read does not keep the others from being recalled.
      this.#remove(path);
      this.#unreadable.set(path, errorMessage(error));
      return;
    }
    if (file !== undefined && before?.version === file.version) {
      if (before.stamp !== stamp) this.#saver.noteStamp();
      this.#cached.set(path, { ...before, stamp, modifiedMs });
      return;
    }
    this.#remove(path);
    // It was removed after it was listed.
    if (file === undefined) return;
    // A file of that name in a subfolder is a memory like any other.
    if (isOwnIndex(path)) {
      this.#indexes.set(path, file);
      return;
    }
    const { known, problems } = knownOf(file);
    const { memory, version } = known;
    const { supersededBy, isQuarantined, follows, revises, sessionId } = memory;
    const isKept = keepsText || readNow === undefined || this.#cached.size < KEPT_TEXTS_COUNT;
    const head = { path, supersededBy, isQuarantined, follows, revises, sessionId, version, modifiedMs };
    if (problems.length > 0) this.#odd.set(path, problems);
    this.#saver.noteEntered();
    this.#enter({ ...head, stamp, known: isKept ? known : undefined });
    this.#search.set(path, searchFields(memory, this.#followers.has(path)));
    this.#countFollower(follows, 1);
  }

  #enter(cached: CachedMemory): void {
    const { path, revises } = cached;
    this.#cached.set(path, cached);
    const name = nameOf(path);
    this.#names.set(name, (this.#names.get(name) ?? 0) + 1);
    for (const old of revises.slice(0, REVISED_COUNT))
      this.#revisers.set(old, (this.#revisers.get(old) ?? new Set<string>()).add(path));
  }

  /**
   * Counts the memories that follow one. With the first follower, a memory is searched as a piece of a conversation;
   * without any, as a fact.
   */
  #countFollower(followed: string | undefined, change: 1 | -1): void {
    if (followed === undefined) return;
    const before = this.#followers.get(followed) ?? 0;
    const count = before + change;
    if (count === 0) this.#followers.delete(followed);
    else this.#followers.set(followed, count);
    if (before > 0 && count > 0) return;
    const first = this.#cached.get(followed);
    const memory = first && this.#load(first)?.memory;
    if (memory !== undefined) this.#search.set(followed, searchFields(memory, count > 0));
  }

  #remove(path: string): void {
    const gone = this.#cached.get(path);
    this.#cached.delete(path);
    this.#odd.delete(path);
    this.#indexes.delete(path);
    this.#unreadable.delete(path);
    if (gone === undefined) return;
    this.#saver.noteLeft();
    this.#countFollower(gone.follows, -1);
    for (const old of gone.revises) this.#revisers.get(old)?.delete(path);
    const name = nameOf(path);
    const count = this.#names.get(name) ?? 0;
    if (count > 1) this.#names.set(name, count - 1);
    else this.#names.delete(name);
    this.#search.remove(path);
  }

  #ownProblems(): readonly MemoryProblem[] {
    const unreadable = [...this.#unreadable].map(([path, detail]) => ({ path, detail }));
    const odd = [...this.#odd].flatMap(([path, details]) =>
      details.map((detail) => ({ path, detail, isRead: true })),
    );
    return [...unreadable, ...odd];
  }
}
