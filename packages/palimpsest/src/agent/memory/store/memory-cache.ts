/**
 * A cache of the memories in a store, with an index for searching them.
 *
 * DESIGN. `look` lists the store and reads only files whose stamp has changed since the last look. So the next look
 * sees people's edits, and costs no more than they do. Looks run one after another, and a returned snapshot never
 * changes. Nothing is locked during a model's call: a writer looks again, and the store compares versions.
 */

import { errorMessage } from "../../../base/errors.ts";
import {
  createMemorySearch,
  type MemoryHit,
  type MemorySearch,
  type MemorySearchOptions,
} from "../../../base/search/memory-search.ts";
import { type KnownMemory, type Memory, trustOf } from "../../../memory/files/memory.ts";
import { parseMemoryFile } from "../../../memory/files/memory-file.ts";
import { indexPathOf, isOwnIndex } from "../../../memory/files/memory-index.ts";
import { isRecallable } from "../../../memory/recall/recall-plan.ts";
import { searchFields } from "../../../memory/recall/search-fields.ts";
import { compareFacts } from "../../../memory/subject/same-subject.ts";
import type { MemoryFile, MemoryStore } from "../../../ports/memory-store.ts";

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
}

interface CacheSearchOptions extends Omit<MemorySearchOptions, "accepts"> {
  readonly accepts: (memory: Memory) => boolean;
}

interface CachedMemory extends KnownMemory {
  readonly stamp: string;
}

/** Successors that are followed. Our choice: facts that are corrected more often have other files by then. */
const SUCCESSORS_COUNT = 20;
/** Memories of which one search finds out whether they revise what it found. Our choice: as many as it finds; files of strangers may name any number. */
const REVISERS_COUNT = 40;
/** Share by which a memory is ranked before the one that it revises. Our choice: just before it. */
const BEFORE = 1.01;

export class MemoryCache {
  readonly #store: MemoryStore;
  readonly #search: MemorySearch = createMemorySearch();
  readonly #cached = new Map<string, CachedMemory>();
  /** The number of memories that follow one, by its path. */
  readonly #followers = new Map<string, number>();
  /** Paths of the memories that revise one, by its path. */
  readonly #revisers = new Map<string, Set<string>>();
  readonly #indexes = new Map<string, MemoryFile & { readonly stamp: string }>();
  /** Files that could not be read, by the stamp that they had. */
  readonly #unreadable = new Map<string, { readonly stamp: string; readonly detail: string }>();
  /** Parts of readable files that were not understood, by path. */
  readonly #odd = new Map<string, readonly string[]>();
  #looking: Promise<unknown> = Promise.resolve();

  constructor(store: MemoryStore) {
    this.#store = store;
  }

  /** Reads the current state. @throws `STORE_FAILED` if the directory cannot be listed */
  look(): Promise<MemorySnapshot> {
    const looked = this.#looking.then(() => this.#look());
    this.#looking = looked.catch(() => undefined);
    return looked;
  }

  /** Finds the memories that match a query best, as of the last look. */
  search(query: string, { accepts, ...options }: CacheSearchOptions): readonly MemoryHit[] {
    return this.#search.search(query, {
      ...options,
      accepts: (path) => {
        const cached = this.#cached.get(path);
        return cached !== undefined && accepts(cached.memory);
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
    const accepts = ({ path }: Memory): boolean => this.#currentOf(path) !== undefined;
    for (const hit of this.search(query, { limit, accepts, ...options })) {
      const current = this.#currentOf(hit.id)!;
      add(current.path, hit, hit.score);
      for (const path of this.#revisers.get(hit.id) ?? []) {
        const newer = this.#currentOf(path);
        if (newer === undefined || newer.path === current.path) continue;
        if (revisersLeft-- <= 0) break;
        // The link is a claim of the file: anybody may have written it.
        if (compareFacts(newer.body, this.#cached.get(hit.id)!.memory.body) === "other") continue;
        const isFirst = trustOf(newer) >= trustOf(current);
        add(newer.path, hit, hit.score * (isFirst ? BEFORE : 1 / BEFORE));
      }
    }
    return [...found.values()].sort((one, other) => other.score - one.score).slice(0, limit);
  }

  /** The memory at a path, or the one that took its place, as far as it may be recalled. */
  #currentOf(path: string): Memory | undefined {
    let memory = this.#cached.get(path)?.memory;
    for (let step = 0; step < SUCCESSORS_COUNT && memory?.supersededBy !== undefined; step++)
      memory = memory.isQuarantined ? undefined : this.#cached.get(memory.supersededBy)?.memory;
    return memory !== undefined && isRecallable(memory) ? memory : undefined;
  }

  async #look(): Promise<MemorySnapshot> {
    const { files, problems } = await this.#store.list();
    const listed = new Set(files.map(({ path }) => path));
    for (const known of [this.#cached, this.#indexes, this.#unreadable])
      for (const path of known.keys()) if (!listed.has(path)) this.#remove(path);
    for (const { path, stamp } of files) if (this.#stampOf(path) !== stamp) await this.#read(path, stamp);
    return {
      memories: new Map(this.#cached),
      indexes: this.#namedIndexes(),
      problems: [...problems, ...this.#ownProblems()],
    };
  }

  /** Returns the index files by the names that they should have. */
  #namedIndexes(): ReadonlyMap<string, MemoryFile> {
    const named = [...this.#indexes].map(([path, file]) => [indexPathOf(path), file] as const);
    // If two names differ only in case, the exact one counts.
    return new Map([...named, ...this.#indexes].filter(([path]) => path === indexPathOf(path)));
  }

  #stampOf(path: string): string | undefined {
    return (this.#cached.get(path) ?? this.#indexes.get(path) ?? this.#unreadable.get(path))?.stamp;
  }

  async #read(path: string, stamp: string): Promise<void> {
    this.#remove(path);
    let file: MemoryFile | undefined;
    try {
      file = await this.#store.read(path);
    } catch (error) {
      // One file that cannot be read does not keep the others from being recalled.
      const detail = errorMessage(error);
      this.#unreadable.set(path, { stamp, detail });
      return;
    }
    // It was removed after it was listed.
    if (file === undefined) return;
    // A file of that name in a subfolder is a memory like any other.
    if (isOwnIndex(path)) {
      this.#indexes.set(path, { ...file, stamp });
      return;
    }
    const { memory, problems } = parseMemoryFile(path, file.text);
    this.#cached.set(path, { memory, text: file.text, version: file.version, stamp });
    if (problems.length > 0) this.#odd.set(path, problems);
    this.#countFollower(memory.follows, 1);
    for (const old of memory.revises)
      this.#revisers.set(old, (this.#revisers.get(old) ?? new Set<string>()).add(path));
    this.#search.set(path, searchFields(memory, this.#followers.has(path)));
  }

  /**
   * Counts the memories that follow one. With the first follower, a memory is searched as a piece of a conversation;
   * without any, as a fact.
   */
  #countFollower(followed: string | undefined, change: 1 | -1): void {
    if (followed === undefined) return;
    const count = (this.#followers.get(followed) ?? 0) + change;
    if (count === 0) this.#followers.delete(followed);
    else this.#followers.set(followed, count);
    const first = this.#cached.get(followed);
    if (first !== undefined && count <= 1) this.#search.set(followed, searchFields(first.memory, count > 0));
  }

  #remove(path: string): void {
    const gone = this.#cached.get(path);
    this.#cached.delete(path);
    this.#odd.delete(path);
    this.#countFollower(gone?.memory.follows, -1);
    for (const old of gone?.memory.revises ?? []) this.#revisers.get(old)?.delete(path);
    this.#indexes.delete(path);
    this.#unreadable.delete(path);
    this.#search.remove(path);
  }

  #ownProblems(): readonly MemoryProblem[] {
    const unreadable = [...this.#unreadable].map(([path, { detail }]) => ({ path, detail }));
    const odd = [...this.#odd].flatMap(([path, details]) =>
      details.map((detail) => ({ path, detail, isRead: true })),
    );
    return [...unreadable, ...odd];
  }
}
