/**
 * Makes many moves survive a power loss at once: whoever asks while a sync is under way is served by the
 * next one, together with others who ask, up to a number.
 *
 * The order is what matters: files and folders that something was moved into, then the folder that all of
 * them share, then those that something was moved out of. So whatever a power loss takes, nothing is gone
 * from the old place before it is in the new one.
 */
import { setImmediate } from "node:timers/promises";
import { RETENTION_DEFAULTS } from "../../../base/defaults/retention.ts";
import type { FileSystem, OpenFile } from "../../../ports/file-system.ts";

/** What one move has changed. */
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

  /** `syncShared` syncs what all moves have changed. */
  constructor(fs: FileSystem, syncShared: () => Promise<void>) {
    this.#fs = fs;
    this.#syncShared = syncShared;
  }

  /** Resolves when everything that was changed before this call is durable. */
  add(order: SyncOrder): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ order, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      // Those who are about to ask come along: a disk that syncs holds up who changes folders meanwhile.
      await setImmediate();
      // The rest of those who wait go on with the next; whoever moves files meanwhile is not waited for.
      const group = this.#waiting.splice(0, RETENTION_DEFAULTS.syncedSessionsCount);
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

/** Waits for all, also where one fails: nobody is to close a file that is being synced. */
async function allDone(work: readonly (Promise<void> | undefined)[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) if (result.status === "rejected") throw result.reason;
}
