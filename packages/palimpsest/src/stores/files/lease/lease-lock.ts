/**
 * Keeps programs from doing the same thing at once, where a store keeps leases: a lease of its own in a folder
 * beside what is changed, held for as long as one change takes. That of a process that died is taken over at
 * once. People know nothing of it, so what they do is looked at all the same.
 */
import { setTimeout as pause } from "node:timers/promises";
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import { errorCode } from "../../../base/errors.ts";
import type { FileSystem } from "../../../ports/file-system.ts";
import type { IdSource } from "../../../ports/runtime.ts";
import { isLeaseName } from "./lease-state.ts";
import { type LeaseOptions, SessionLease } from "./session-lease.ts";

interface LeaseLockOptions {
  /** Whose lock it is, for messages. */
  readonly id: string;
  /** Made with the lock where it is missing, and removed with it where nothing else is in it. */
  readonly folder: string;
  readonly fs: FileSystem;
  readonly ids: IdSource;
  /** Absent where one program alone uses the folder. */
  readonly lease: LeaseOptions | undefined;
}

/** How long whoever wants it waits, and how often they look, in milliseconds. */
export interface LockPatience {
  readonly waitMs: number;
  readonly pollMs: number;
}

/** The right to change something. */
export interface HeldLease {
  /** Whether it is still so: a process that slept for long may have been taken for dead. */
  isHeld(): boolean;
  release(): void;
}

const ALONE: HeldLease = { isHeld: () => true, release: () => undefined };

export class LeaseLock {
  readonly #options: LeaseLockOptions;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
  }

  /** Waits for whoever has it; `undefined` where they do not let go of it in time. */
  async hold({ waitMs, pollMs }: LockPatience): Promise<HeldLease | undefined> {
    const judgeEvery = Math.ceil(STORE_DEFAULTS.leaseJudgeMs / pollMs);
    for (let waitedMs = 0, looks = 0; ; looks++) {
      // Whether its holder lives is dear to find out; that there is one, cheap.
      const held = looks % judgeEvery === 0 || !this.#isTaken() ? this.tryHold() : undefined;
      if (held !== undefined || waitedMs >= waitMs) return held;
      // Two that begin together are not to come together again.
      const nextMs = pollMs * (1 + Math.random());
      await pause(nextMs);
      waitedMs += nextMs;
    }
  }

  #isTaken(): boolean {
    const { fs, folder } = this.#options;
    try {
      return fs.list(folder).some(isLeaseName);
    } catch {
      // It goes with the lease; whatever else it is, taking the lock tells.
      return false;
    }
  }

  /** `undefined` where somebody has it. The folder above is there. */
  tryHold(): HeldLease | undefined {
    const { id, folder, fs, ids, lease: options } = this.#options;
    if (options === undefined) return ALONE;
    const lease = new SessionLease({
      ...options,
      ...{ sessionId: id, sessionFolder: folder, fs, leaseId: ids.entryId() },
      ensureFolder: () => {
        if (fs.stat(folder) === undefined) fs.makeDirectory(folder);
      },
    });
    try {
      lease.acquire(0);
    } catch (error) {
      if (errorCode(error) === "SESSION_IN_USE") return undefined;
      throw error;
    }
    return {
      isHeld: () => {
        lease.renew();
        return lease.isHeld;
      },
      release: () => {
        try {
          lease.release();
        } catch {
          // It runs out.
        }
      },
    };
  }
}
