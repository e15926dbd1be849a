/**
 * Reads and lists memories while programs and people change them. What a change has not finished is not seen: a
 * file that is taken out is read where it lies meanwhile, and one that was put in place too early is not there yet.
 */
import { setTimeout as pause } from "node:timers/promises";
import { MEMORY_STORE_DEFAULTS } from "../../../base/defaults/memory/store.ts";
import type { FileStat } from "../../../ports/file-system.ts";
import type { MemoryFile, MemoryFileHead, MemoryListing } from "../../../ports/memory-store.ts";
import type { Clock, IdSource } from "../../../ports/runtime.ts";
import { isMemoryName, memoryNameProblem } from "../../shared/memory-path.ts";
import type { FoundFile, MemoryFiles } from "./memory-file-steps.ts";
import { type PendingWork, PLACES, pieceOf } from "./memory-places.ts";
import type { MemorySettling } from "./memory-recovery.ts";

/** Most problems that one listing reports. Source: our choice; more of them have one cause. */
const LISTED_PROBLEMS_COUNT = 100;
/**
 * For how long after a change two looks at a file are not compared, in milliseconds: clocks of file systems are
 * coarse. Source: the coarsest in common use, FAT, counts in two seconds.
 */
const COARSE_CLOCK_MS = 2_000;

type Problem = MemoryListing["problems"][number];

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
    const listing = await this.#whileNothingChanges((unfinished) => this.#listOnce(unfinished));
    const files = [...listing.files].sort((one, other) => (one.path < other.path ? -1 : 1));
    const problems = [...listing.problems].sort((one, other) => (one.path < other.path ? -1 : 1));
    return { files, problems: shortened(problems) };
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
      const unfinished = before.filter(({ state }) => state === "doing" || state === "undo");
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
    walk.folder([]);
    for (const path of this.#pathsOf(unfinished)) {
      walk.files.delete(path);
      const place = this.#placeOf(path, unfinished);
      const stat = place === "nowhere" ? undefined : this.#files.fs.stat(place.at);
      if (stat !== undefined && !stat.isDirectory && !stat.isLink)
        walk.files.set(path, this.#headOf(path, stat));
    }
    const problems = [...walk.limitProblems(), ...walk.problems, ...this.#keptTexts()];
    return { files: [...walk.files.values()], problems };
  }

  #pathsOf(works: readonly PendingWork[]): readonly string[] {
    return works.flatMap((work) => this.#files.plan(work)?.items.map(({ path }) => path) ?? []);
  }

  #headOf(path: string, { size, modifiedMs, changedMs = modifiedMs, id }: FileStat): MemoryFileHead {
    const isFresh = Math.abs(this.#options.clock.nowMs() - changedMs) < COARSE_CLOCK_MS;
    const mark = [id, size, modifiedMs, changedMs].join(":");
    // A clock of a file system is coarse: two texts of one moment look the same, so it is not compared yet.
    const stamp = isFresh ? `${mark}~${this.#options.ids.entryId()}` : mark;
    return { path, sizeBytes: size, modifiedMs, stamp };
  }

  /** Texts that people saved during a replacement and have not removed yet. */
  #keptTexts(): readonly Problem[] {
    return this.#files.names(PLACES.kept).map((name) => ({
      path: `${PLACES.kept}/${name}`,
      detail: "A person saved this while the memory was replaced: copy what is needed, then remove it.",
    }));
  }
}

/** A look at the tree of the memory directory. */
class Walk {
  readonly files = new Map<string, MemoryFileHead>();
  readonly problems: Problem[] = [];
  readonly #files: MemoryFiles;
  readonly #limitCount: number;
  readonly #headOf: (path: string, stat: FileStat) => MemoryFileHead;
  /** Files and folders that were passed over because the listing was full. */
  #leftOutCount = 0;

  constructor(
    files: MemoryFiles,
    {
      listedFilesCount,
      headOf,
    }: {
      readonly listedFilesCount: number;
      readonly headOf: (path: string, stat: FileStat) => MemoryFileHead;
    },
  ) {
    this.#files = files;
    this.#limitCount = listedFilesCount;
    this.#headOf = headOf;
  }

  /** Says what a full listing leaves out, and that it is full before it leaves out anything. */
  limitProblems(): readonly Problem[] {
    if (this.files.size < this.#limitCount) return [];
    const rest =
      this.#leftOutCount === 0
        ? "What is added is not read, and not found."
        : `${this.#leftOutCount} more files and folders are not read, and nothing in them is found.`;
    const detail = `There are ${this.#limitCount} files, as many as are read. ${rest} Move some to another directory.`;
    return [{ path: ".", detail, isOverLimit: true }];
  }

  folder(names: readonly string[]): void {
    for (const [name, stat] of this.#files.stats(names.join("/"))) {
      // Hidden files belong to editors, version control, or us.
      if (name.startsWith(".")) continue;
      if (this.files.size >= this.#limitCount) {
        if (stat.isDirectory || isMemoryName(name)) this.#leftOutCount++;
        continue;
      }
      const path = [...names, name].join("/");
      if (stat.isDirectory) this.#subfolder([...names, name]);
      else if (isMemoryName(name)) this.#file(path, name, stat);
      else if (stat.isLink) this.#tell(path, "It is a link, which is not followed.");
    }
  }

  #subfolder(names: readonly string[]): void {
    const path = names.join("/");
    const { depthLimitCount } = MEMORY_STORE_DEFAULTS;
    const problem = memoryNameProblem(names.at(-1)!);
    if (problem !== undefined) this.#tell(path, `It is not looked into: ${problem}.`);
    else if (names.length < depthLimitCount) this.folder(names);
    else this.#tell(path, `It is not looked into: paths have ${depthLimitCount} parts at the most.`);
  }

  #file(path: string, name: string, stat: FileStat): void {
    const { fileLimitBytes } = MEMORY_STORE_DEFAULTS;
    const problem = memoryNameProblem(name);
    if (problem !== undefined) this.#tell(path, `It is not read: ${problem}.`);
    else if (stat.isLink) this.#tell(path, "It is a link, which is not followed.");
    else if (stat.isSpecial) this.#tell(path, "It is no plain file.");
    else if (stat.size > fileLimitBytes)
      this.#tell(path, `It has ${stat.size} bytes, and may have ${fileLimitBytes}.`);
    else if (!this.#files.isOurs(stat, path))
      this.#tell(path, "It has a second name, which may lie anywhere.");
    else this.files.set(path, this.#headOf(path, stat));
  }

  #tell(path: string, detail: string): void {
    this.problems.push({ path, detail });
  }
}

/** The first ones, and how many more there are; what says that a limit was reached is among them. */
function shortened(problems: readonly Problem[]): readonly Problem[] {
  if (problems.length <= LISTED_PROBLEMS_COUNT) return problems;
  const first = [
    ...problems.filter(({ isOverLimit }) => isOverLimit === true),
    ...problems.filter(({ isOverLimit }) => isOverLimit !== true),
  ].slice(0, LISTED_PROBLEMS_COUNT - 1);
  return [...first, { path: ".", detail: `${problems.length - first.length} more problems are not listed.` }];
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
