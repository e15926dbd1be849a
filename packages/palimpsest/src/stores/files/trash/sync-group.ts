/**
 * Syncs many moves together: moves that arrive during a sync share the next one, up to a limit.
 *
 * The order matters: first the files and folders that were moved into, then the folder that all moves share, then the
 * folders that were moved out of. So after a power loss, nothing is missing from its old place before it is in the new.
 */
import { setImmediate } from "node:timers/promises";
import type { FileSystem, OpenFile } from "../../../ports/file-system.ts";

/** Those of them whose files are synced together; the others are moved meanwhile. Source: `packages/evaluation/bench/sessions/clean-up.mjs`, 15,000 moves on one disk, two runs each: 12 and 14 s with all, 8 and 11 s with half of them. */
const SYNCED_SESSIONS_COUNT = 64;

/** Sessions that are deleted before the rest of the process has its turn. Source: our choice; about three milliseconds of work. */
const DELETED_AT_ONCE_COUNT = 16;

/** The changes of one move. */
interface SyncOrder {
  readonly file?: OpenFile;
  readonly into?: string;
  readonly from?: string;
}

/** Collects what arrives until the rest of the process had its turn, and does it together. */
export class Gathered<Item> {
  readonly #work: (items: readonly Item[]) => void | Promise<void>;
  readonly #limitCount: number;
  readonly #isMoreComing: () => boolean;
  #waiting: { readonly item: Item; resolve(): void; reject(error: unknown): void }[] = [];
  #isRunning = false;

  /** `isMoreComing` is true while others are on their way here, who are waited for. */
  constructor(
    work: (items: readonly Item[]) => void | Promise<void>,
    limitCount = Number.POSITIVE_INFINITY,
    isMoreComing: () => boolean = () => false,
  ) {
    this.#work = work;
    this.#limitCount = limitCount;
    this.#isMoreComing = isMoreComing;
  }

  /** Resolves once the work with this item is done. */
  add(item: Item): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      do await setImmediate();
      while (this.#isMoreComing());
      const group = this.#waiting.splice(0, this.#limitCount);
      try {
        await this.#work(group.map(({ item }) => item));
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#isRunning = false;
  }
}

/** Lets many who wait go on, some at a time, with a turn for the rest of the process between them. */
export class Turns {
  #waiting: (() => void)[] = [];
  #isRunning = false;

  /** True while someone waits, or had a turn just now. */
  get isTaken(): boolean {
    return this.#isRunning;
  }

  take(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      for (const resolve of this.#waiting.splice(0, DELETED_AT_ONCE_COUNT)) resolve();
      await setImmediate();
    }
    this.#isRunning = false;
  }
}

/** Syncs moves: those that do not fit into one sync take the next, and later moves are not waited for. */
export class SyncGroup extends Gathered<SyncOrder> {
  readonly #fs: FileSystem;
  readonly #syncShared: () => Promise<void>;

  /** `syncShared` syncs the files and folders that all moves change. */
  constructor(fs: FileSystem, syncShared: () => Promise<void>) {
    super((orders) => this.#sync(orders), SYNCED_SESSIONS_COUNT);
    this.#fs = fs;
    this.#syncShared = syncShared;
  }

  async #sync(orders: readonly SyncOrder[]): Promise<void> {
    const sync = (folder: string) => this.#fs.syncDirectory(folder);
    const folders = orders.flatMap(({ into }) => into ?? []);
    await allDone([...orders.map(({ file }) => file?.sync()), ...[...new Set(folders)].map(sync)]);
    await this.#syncShared();
    await allDone([...new Set(orders.flatMap(({ from }) => from ?? []))].map(sync));
  }
}

/** Waits for all even if one fails, so that no file is closed during its sync. */
async function allDone(work: readonly (Promise<void> | undefined)[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) if (result.status === "rejected") throw result.reason;
}
