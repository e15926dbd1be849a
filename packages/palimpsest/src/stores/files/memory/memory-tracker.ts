/**
 * Tracks a memory directory, so that a look at it costs what has changed and not what there is.
 *
 * DESIGN. Each folder is watched, and a reported name becomes a *dirty* path: the next look asks for its state. What a
 * watch reports is a hint, never a fact. Everything is walked through, a part at a time, at the start, after a failed
 * or flooded watch, for a new or missing folder, and from time to time in case a watch is silent (some mounts are). If
 * there is no watch, it is walked through at most once a second; a look waits a moment for that walk, and the
 * next one sees the rest. A walk in the background only makes paths dirty.
 */

import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { addAll } from "../../../base/lists.ts";
import type { FileStat, FileSystem } from "../../../ports/file-system.ts";
import type { ListingProblem, MemoryDelta, MemoryFileHead } from "../../../ports/memory-store.ts";
import type { Clock } from "../../../ports/runtime.ts";
import { memoryNameKey } from "../../shared/memory-path.ts";
import type { MemoryFiles } from "./memory-file-steps.ts";
import { folderOf } from "./memory-places.ts";
import { COARSE_CLOCK_MS, type MemoryReader, markOf } from "./memory-reader.ts";
import { entryIn, judgeEntry, listedProblems, Walk } from "./memory-walk.ts";

/** Pause between two walks where nothing is watched, in milliseconds. Source: people's edits are to be seen within a second. */
const SWEEP_EVERY_MS = 900;
/** The same where folders are watched. Source: our choice; a watch that reports nothing is rare, and a walk through 100,000 files takes half a second of the processor. */
const CHECK_EVERY_MS = 60_000;
/** Longest time that a look waits for a walk other than the first, in milliseconds. Source: our choice; 10,000 files are walked through by then. */
const SWEEP_WAIT_MS = 100;
/** Dirty paths beyond which all of it is walked through: the kernel drops events of a long queue without a word. Source: a quarter of the queue that Linux has by default. */
const DIRTY_COUNT = 4_096;
/** Folders beyond which none is watched. Source: our choice; systems limit the watches of a user. */
const WATCHED_FOLDERS_COUNT = 256;
/** Paths that are looked at without giving others a turn. Source: our choice; some milliseconds. */
const SLICE_COUNT = 128;
/** The same for what is only compared. */
const COMPARED_SLICE_COUNT = 4_096;

type Watch = NonNullable<ReturnType<NonNullable<FileSystem["watch"]>>>;

interface TrackerOptions {
  readonly files: MemoryFiles;
  readonly reader: MemoryReader;
  readonly clock: Clock;
  readonly listedFilesCount: number;
}

/** A tracked file. `isPast`: its last change was long ago when it was looked at. */
interface Tracked extends MemoryFileHead {
  readonly changedMs: number;
  readonly isPast: boolean;
}

/** Where several names have one key. */
const SEVERAL = "";

/** Watches of trackers that were given up without being closed. */
const abandoned = new FinalizationRegistry<Map<string, Watch>>((watches) => {
  for (const watch of watches.values()) watch.close();
});

export class MemoryTracker {
  readonly #options: TrackerOptions;
  #heads = new Map<string, Tracked>();
  #folders = new Set<string>();
  #problems = new Map<string, ListingProblem>();
  #limitProblems: readonly ListingProblem[] = [];
  /** Names by folder and by what the least precise system takes for the same name. */
  readonly #names = new Map<string, string>();
  readonly #watches = new Map<string, Watch>();
  #isWatched = false;
  readonly #dirty = new Set<string>();
  #isAllDirty = true;
  /** True if there was no folder at the last look. */
  #isMissing = false;
  /** Paths that a caller of `next` has not been given yet. */
  readonly #unseen = new Set<string>();
  /** True if a caller has not been given any of them: after the first walk. */
  #isAllUnseen = false;
  #reportedProblems: string | undefined;
  #walkedAtMs = Number.NEGATIVE_INFINITY;
  #walking: Promise<void> | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: TrackerOptions) {
    this.#options = options;
    abandoned.register(this, this.#watches, this);
  }

  /** Returns what changed since the last call. @throws the file system's error */
  next(): Promise<MemoryDelta> {
    return this.#inTurn(async () => {
      await this.#catchUp();
      const isAll = this.#isAllUnseen;
      const changed: MemoryFileHead[] = isAll ? [...this.#heads.values()] : [];
      const removed: string[] = [];
      let count = 0;
      this.#isAllUnseen = false;
      for (const path of this.#unseen) {
        const head = this.#heads.get(path);
        if (isAll && head !== undefined) continue;
        if (head === undefined) removed.push(path);
        else changed.push(head);
        if (++count % COMPARED_SLICE_COUNT === 0) await nextTurn();
      }
      this.#unseen.clear();
      const problems = listedProblems([
        ...this.#limitProblems,
        ...this.#problems.values(),
        ...(this.#isMissing ? [] : this.#options.reader.keptTexts()),
      ]);
      const reported = JSON.stringify(problems);
      if (reported === this.#reportedProblems) return { changed, removed };
      this.#reportedProblems = reported;
      return { changed, removed, problems };
    });
  }

  /** Takes in what changed, for the next caller of {@link next}. */
  catchUp(): Promise<void> {
    return this.#inTurn(() => this.#catchUp());
  }

  /** Says that these paths may have changed. */
  expect(paths: Iterable<string>): void {
    for (const path of paths) this.#dirty.add(path);
  }

  /** True if a file's state differs from every later one, in other processes, too. */
  isLasting(path: string, stamp: string): boolean {
    const head = this.#heads.get(path);
    if (head === undefined || head.stamp !== stamp || this.#dirty.has(path) || this.#isAllDirty) return false;
    return head.isPast || (this.#isWatched && this.#isPast(head.changedMs));
  }

  /**
   * False if no entry of the folder could be taken for this name; `undefined` if that is not known without looking.
   */
  hasName(folder: string, name: string): boolean | undefined {
    if (!this.#isWatched || this.#isAllDirty) return undefined;
    const known = this.#names.get(keyOf(folder, name));
    return known === undefined ? false : known === name ? true : undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.#stopWatching();
    abandoned.unregister(this);
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#running.then(work);
    this.#running = turn.catch(() => undefined);
    return turn;
  }

  async #catchUp(): Promise<void> {
    if (this.#isWatched) {
      // Events of what happened before this call are delivered in the next turn of the event loop, or the one after.
      await nextTurn();
      await nextTurn();
      if (!this.#areWatchesGood()) this.#isAllDirty = true;
    }
    // Without files it may not exist yet, and then there is nothing to watch. A file's other name may go unseen.
    const isSure = this.#heads.size > 0 || (this.#isWatched && this.#problems.size === 0);
    this.#isMissing = !isSure && this.#isStillMissing();
    if (this.#isMissing) return;
    if (this.#isAllDirty || !isSure) await this.#walkAll();
    else await this.#walkIfDue();
    const changing: string[] = [];
    while (this.#dirty.size > 0) {
      const paths = [...this.#dirty].slice(0, SLICE_COUNT);
      for (const path of paths) this.#dirty.delete(path);
      try {
        addAll(changing, await this.#lookAt(paths));
      } catch (error) {
        this.expect([...paths, ...changing]);
        throw error;
      }
      if (this.#dirty.size > 0) await nextTurn();
    }
    // They are looked at again when the change has ended.
    this.expect(changing);
    if (this.#isAllDirty) await this.#walkAll();
  }

  /** True if nothing was found at the last walk, and there is no folder now: that of a project without memories. */
  #isStillMissing(): boolean {
    const isEmpty = this.#problems.size === 0 && this.#limitProblems.length === 0 && this.#unseen.size === 0;
    return isEmpty && !this.#options.files.hasFolder();
  }

  #areWatchesGood(): boolean {
    return this.#watches.get("")?.isGood() === true;
  }

  /** Walks through everything, and takes it in. */
  async #walkAll(): Promise<void> {
    await this.#walking;
    this.#stopWatching();
    this.#isAllDirty = false;
    this.#dirty.clear();
    this.#names.clear();
    try {
      const walk = await this.#walk(true);
      this.#isAllUnseen ||= this.#heads.size === 0;
      for (const path of this.#heads.keys()) if (!walk.files.has(path)) this.#unseen.add(path);
      let count = 0;
      if (!this.#isAllUnseen)
        for (const [path, head] of walk.files) {
          if (isOther(this.#heads.get(path), head)) this.#unseen.add(path);
          if (++count % COMPARED_SLICE_COUNT === 0) await nextTurn();
        }
      this.#heads = walk.files;
      this.#problems = walk.problems;
      this.#limitProblems = walk.limitProblems();
    } catch (error) {
      this.#isAllDirty = true;
      throw error;
    }
  }

  async #walkIfDue(): Promise<void> {
    const { files, clock } = this.#options;
    // A file system of another kind is expected to be small, and fast.
    const sweepEveryMs = files.fs.watch === undefined ? 0 : SWEEP_EVERY_MS;
    const everyMs = this.#isWatched ? CHECK_EVERY_MS : sweepEveryMs;
    if (Math.abs(clock.nowMs() - this.#walkedAtMs) >= everyMs && this.#walking === undefined) {
      this.#walking = this.#compareAll().finally(() => {
        this.#walking = undefined;
      });
      this.#walking.catch(() => {
        this.#isAllDirty = true;
      });
    }
    if (!this.#isWatched && this.#walking !== undefined)
      await Promise.race([this.#walking.catch(() => undefined), pause(SWEEP_WAIT_MS)]);
  }

  /** Walks through everything; what differs is dirty. */
  async #compareAll(): Promise<void> {
    const walk = await this.#walk(false);
    const differing = [...this.#heads.keys()].filter((path) => !walk.files.has(path));
    let count = 0;
    for (const [path, head] of walk.files) {
      if (isOther(this.#heads.get(path), head)) differing.push(path);
      if (++count % COMPARED_SLICE_COUNT === 0) await nextTurn();
    }
    for (const path of this.#problems.keys()) if (!walk.problems.has(path)) differing.push(path);
    for (const [path, { detail }] of walk.problems)
      if (this.#problems.get(path)?.detail !== detail) differing.push(path);
    this.expect(differing);
    this.#limitProblems = walk.limitProblems();
  }

  async #walk(isFirst: boolean): Promise<Walk<Tracked>> {
    const { files, reader, clock, listedFilesCount } = this.#options;
    this.#walkedAtMs = clock.nowMs();
    const walk = new Walk<Tracked>(files, {
      listedFilesCount,
      headOf: (path, stat) => this.#headOf(path, stat),
    });
    this.expect(reader.changedPaths());
    if (isFirst) this.#folders = new Set();
    const folders: { readonly path: string; readonly depth: number }[] = [{ path: "", depth: 0 }];
    for (const { path: folder, depth } of folders) {
      // Before it is listed, so that nothing falls in between.
      if (isFirst) this.#watch(folder);
      for (const part of files.statParts(folder)) {
        for (const [name, stat] of part) {
          if (isFirst) this.#learnName(folder, name);
          const entry = entryIn(folder, depth, name);
          if (walk.take(entry, stat)) folders.push(entry);
        }
        await nextTurn();
      }
    }
    this.expect(reader.changedPaths());
    if (isFirst) this.#isWatched = this.#watches.size > 0 && this.#watches.size === this.#folders.size;
    else if (folders.length !== this.#folders.size) this.#isAllDirty = true;
    return walk;
  }

  #watch(folder: string): void {
    this.#folders.add(folder);
    // A tracker that no one uses any longer is not kept by its watches.
    const self = new WeakRef(this);
    const isTooMany = this.#watches.size >= WATCHED_FOLDERS_COUNT;
    const note = (name: string | undefined): void => {
      const tracker = self.deref();
      if (tracker !== undefined) tracker.#noteChange(folder, name);
    };
    const { fs } = this.#options.files;
    const watch = isTooMany || this.#isClosed ? undefined : fs.watch?.(folder, note);
    if (watch !== undefined) this.#watches.set(folder, watch);
  }

  #stopWatching(): void {
    for (const watch of this.#watches.values()) watch.close();
    this.#watches.clear();
    this.#isWatched = false;
  }

  #noteChange(folder: string, name: string | undefined): void {
    if (name?.startsWith(".")) return;
    if (name === undefined || this.#dirty.size >= DIRTY_COUNT) this.#isAllDirty = true;
    else this.#dirty.add(join(folder, name));
  }

  /** Takes in the states of some paths. Returns those that are being changed. */
  async #lookAt(paths: readonly string[]): Promise<readonly string[]> {
    const states = [...(await this.#options.reader.statesOf(paths))];
    for (const [path, { stat }] of states) this.#takeIn(path, stat);
    return states.flatMap(([path, { isChanging }]) => (isChanging ? [path] : []));
  }

  #takeIn(path: string, stat: FileStat | undefined): void {
    const { files, listedFilesCount } = this.#options;
    const folder = folderOf(path);
    const entry = entryIn(
      folder,
      folder === "" ? 0 : folder.split("/").length,
      path.slice(path.lastIndexOf("/") + 1),
    );
    const { name } = entry;
    this.#problems.delete(path);
    const isKnown = this.#heads.has(path);
    if (stat !== undefined) this.#learnName(folder, name);
    else if (this.#names.get(keyOf(folder, name)) === name) this.#names.delete(keyOf(folder, name));
    const judged = stat && judgeEntry(files, entry, stat);
    if (judged?.type === "problem") this.#problems.set(path, { path, detail: judged.detail });
    // A folder that is new, or gone with all that is in it.
    if ((judged?.type === "folder") !== this.#folders.has(path)) this.#isAllDirty = true;
    if (judged?.type === "memory" && stat !== undefined) {
      if (!isKnown && this.#heads.size + 1 >= listedFilesCount) this.#isAllDirty = true;
      this.#heads.set(path, this.#headOf(path, stat));
      this.#unseen.add(path);
    } else if (isKnown) {
      // One that was left out may have its place.
      if (this.#limitProblems.length > 0) this.#isAllDirty = true;
      this.#heads.delete(path);
      this.#unseen.add(path);
    }
  }

  #learnName(folder: string, name: string): void {
    const key = keyOf(folder, name);
    const known = this.#names.get(key);
    this.#names.set(key, known === undefined || known === name ? name : SEVERAL);
  }

  #headOf(path: string, stat: FileStat): Tracked {
    const { size, modifiedMs, changedMs = modifiedMs } = stat;
    const isPast = this.#isPast(changedMs);
    return { path, sizeBytes: size, modifiedMs, stamp: markOf(stat), changedMs, isPast };
  }

  #isPast(changedMs: number): boolean {
    return Math.abs(this.#options.clock.nowMs() - changedMs) >= COARSE_CLOCK_MS;
  }
}

/** Two texts of one tick of a coarse clock look the same. */
function isOther(before: Tracked | undefined, now: Tracked): boolean {
  return before === undefined || before.stamp !== now.stamp || !before.isPast;
}

function keyOf(folder: string, name: string): string {
  return join(folder, memoryNameKey(name));
}

function join(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}
