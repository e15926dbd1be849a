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

/** The changes of one move. */
interface SyncOrder {
  readonly file?: OpenFile;
  readonly into?: string;
  readonly from?: string;
}

interface Waiting {
  readonly order: SyncOrder;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class SyncGroup {
  readonly #fs: FileSystem;
  readonly #syncShared: () => Promise<void>;
  #waiting: Waiting[] = [];
  #isRunning = false;

  /** `syncShared` syncs the files and folders that all moves change. */
  constructor(fs: FileSystem, syncShared: () => Promise<void>) {
    this.#fs = fs;
    this.#syncShared = syncShared;
  }

  /** Resolves when everything changed before this call is durable. */
  add(order: SyncOrder): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ order, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      // Let pending moves join: a sync of the disk blocks changes of folders meanwhile.
      await setImmediate();
      // The others take the next sync, and later moves are not waited for.
      const group = this.#waiting.splice(0, SYNCED_SESSIONS_COUNT);
      try {
        await this.#sync(group.map(({ order }) => order));
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#isRunning = false;
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
