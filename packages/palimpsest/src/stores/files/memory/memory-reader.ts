/**
 * Reads and lists memories while programs and people change them. What a change has not finished is not seen: a
 * file that is taken out is read where it lies meanwhile, and one that was put in place too early is not there yet.
 */
import { setTimeout as pause } from "node:timers/promises";
import { MEMORY_STORE_DEFAULTS } from "../../../base/defaults/memory/store.ts";
import type { FileStat } from "../../../ports/file-system.ts";
import type {
  ListingProblem,
  MemoryFile,
  MemoryFileHead,
  MemoryListing,
} from "../../../ports/memory-store.ts";
import type { Clock, IdSource } from "../../../ports/runtime.ts";
import type { FoundFile, MemoryFiles } from "./memory-file-steps.ts";
import { type PendingWork, PLACES, pieceOf } from "./memory-places.ts";
import type { MemorySettling } from "./memory-recovery.ts";
import { listingOf, Walk } from "./memory-walk.ts";

/**
 * For how long after a change two looks at a file are not compared, in milliseconds: clocks of file systems are
 * coarse. Source: the coarsest in common use, FAT, counts in two seconds.
 */
export const COARSE_CLOCK_MS = 2_000;

interface MemoryReaderOptions {
  readonly files: MemoryFiles;
  readonly settling: MemorySettling;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** @defaultValue `listedFilesCount` */
  readonly listedFilesCount?: number | undefined;
  /** Settles crashed changes, unless one is under way; returns true if it did. */
  readonly settleCrash: () => Promise<boolean>;
}

/** The state of a path; `isChanging`: a change of it is under way. */
interface PathState {
  readonly stat: FileStat | undefined;
  readonly isChanging: boolean;
}

/** The file that has the text of a path now. */
type Place = { readonly at: string } | "nowhere";

export class MemoryReader {
  readonly #options: MemoryReaderOptions;
  readonly #files: MemoryFiles;

  constructor(options: MemoryReaderOptions) {
    this.#options = options;
    this.#files = options.files;
  }

  /** `undefined` where there is none. @throws `MEMORY_PATH_REFUSED`, the file system's error */
  async read(path: string): Promise<MemoryFile | undefined> {
    const found = await this.#whileNothingChanges((unfinished) => {
      const place = this.#placeOf(path, unfinished);
      return place === "nowhere" ? undefined : this.#files.read(place.at, { alias: path });
    }, isSure);
    return found && { path, text: found.text, version: found.version, modifiedMs: found.stat.modifiedMs };
  }

  async list(): Promise<MemoryListing> {
    return listingOf(await this.#whileNothingChanges((unfinished) => this.#listOnce(unfinished)));
  }

  /** The same as {@link read} without waiting for changes to end. */
  readNow(path: string): MemoryFile | undefined {
    let found = this.#files.read(path);
    if (found === undefined || !isSure(found)) {
      const place = this.#placeOf(path, this.#files.works().filter(isUnfinished));
      found = place === "nowhere" ? undefined : this.#files.read(place.at, { alias: path });
    }
    return found && { path, text: found.text, version: found.version, modifiedMs: found.stat.modifiedMs };
  }

  /** The states of these paths; of what a change has not finished, the old one. */
  async statesOf(paths: readonly string[]): Promise<ReadonlyMap<string, PathState>> {
    return this.#whileNothingChanges((unfinished) => {
      const changing = new Set(this.#pathsOf(unfinished));
      const states = paths.map((path): readonly [string, PathState] => {
        const isChanging = changing.has(path);
        const place = isChanging ? this.#placeOf(path, unfinished) : { at: path };
        const stat = place === "nowhere" ? undefined : this.#files.stat(place.at);
        return [path, { stat, isChanging }];
      });
      return new Map(states);
    });
  }

  /** Paths of the changes that have left something. */
  changedPaths(): readonly string[] {
    return this.#pathsOf(this.#files.works());
  }

  /** Texts that people saved during a replacement and have not removed yet. */
  keptTexts(): readonly ListingProblem[] {
    // Listing a folder that is not there costs several times as much as a look.
    if (!this.#files.exists(PLACES.kept)) return [];
    return this.#files.names(PLACES.kept).map((name) => ({
      path: `${PLACES.kept}/${name}`,
      detail: "A person saved this while the memory was replaced: copy what is needed, then remove it.",
    }));
  }

  /**
   * Repeats a read if a change started or ended meanwhile. After the last attempt the result is used anyway: each read
   * is a moment's state, and a path that changes all the time had some state in between.
   */
  async #whileNothingChanges<Seen>(
    look: (unfinished: readonly PendingWork[]) => Seen,
    isSureAlone: (seen: Seen) => boolean = () => false,
  ): Promise<Seen> {
    for (let attempt = 1; ; attempt++) {
      const before = this.#files.works();
      const unfinished = before.filter(isUnfinished);
      if (unfinished.length > 0 && (await this.#options.settleCrash())) continue;
      const seen = look(unfinished);
      const isLast = attempt >= MEMORY_STORE_DEFAULTS.attempts;
      if (isLast || isSureAlone(seen) || marksOf(before) === marksOf(this.#files.works())) return seen;
      await pause(MEMORY_STORE_DEFAULTS.pollMs);
    }
  }

  /** The file of a path; during a change, the old one. */
  #placeOf(path: string, unfinished: readonly PendingWork[]): Place {
    for (const work of unfinished) {
      const index = this.#files.plan(work)?.items.findIndex((item) => item.path === path) ?? -1;
      const item = this.#files.plan(work)?.items[index];
      if (item === undefined) continue;
      const isPlaced = item.next !== undefined && this.#options.settling.isPlaced(work, index, item);
      const taken = pieceOf(work, "old", index);
      // What a person has put there meanwhile is what counts.
      if (this.#files.exists(taken) && (isPlaced || !this.#files.exists(path))) return { at: taken };
      if (isPlaced && item.base === undefined) return "nowhere";
    }
    return { at: path };
  }

  #listOnce(unfinished: readonly PendingWork[]): MemoryListing {
    const { listedFilesCount = MEMORY_STORE_DEFAULTS.listedFilesCount } = this.#options;
    const walk = new Walk(this.#files, {
      listedFilesCount,
      headOf: (path, stat) => this.#headOf(path, stat),
    });
    walk.folder("", 0);
    for (const path of this.#pathsOf(unfinished)) {
      walk.files.delete(path);
      const place = this.#placeOf(path, unfinished);
      const stat = place === "nowhere" ? undefined : this.#files.stat(place.at);
      if (stat !== undefined && !stat.isDirectory && !stat.isLink)
        walk.files.set(path, this.#headOf(path, stat));
    }
    const problems = [...walk.limitProblems(), ...walk.problems.values(), ...this.keptTexts()];
    return { files: [...walk.files.values()], problems };
  }

  #pathsOf(works: readonly PendingWork[]): readonly string[] {
    return works.flatMap((work) => this.#files.plan(work)?.items.map(({ path }) => path) ?? []);
  }

  #headOf(path: string, { size, modifiedMs, changedMs = modifiedMs, id }: FileStat): MemoryFileHead {
    const isFresh = Math.abs(this.#options.clock.nowMs() - changedMs) < COARSE_CLOCK_MS;
    const mark = markOf({ id, size, modifiedMs, changedMs });
    // A clock of a file system is coarse: two texts of one moment look the same, so it is not compared yet.
    const stamp = isFresh ? `${mark}~${this.#options.ids.entryId()}` : mark;
    return { path, sizeBytes: size, modifiedMs, stamp };
  }
}

/** True for a file with a single name: a file that a change puts in place has two until the change ends. */
function isSure(found: FoundFile | undefined): boolean {
  return found?.stat.linkCount === 1;
}

/** Changes that are prepared are not seen by anybody. */
function marksOf(works: readonly PendingWork[]): string {
  return works
    .flatMap(({ id, state }) => (state === "new" ? [] : `${id}.${state}`))
    .sort()
    .join(" ");
}

function isUnfinished({ state }: PendingWork): boolean {
  return state === "doing" || state === "undo";
}

/** Differs between two states of a file, except within one tick of a coarse clock. */
export function markOf({
  id,
  size,
  modifiedMs,
  changedMs = modifiedMs,
}: Pick<FileStat, "id" | "size" | "modifiedMs" | "changedMs">): string {
  return `${id}:${size}:${modifiedMs}:${changedMs}`;
}
