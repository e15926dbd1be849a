/**
 * A lock between programs, if the store keeps leases: a separate lease in a folder beside the changed files, held during
 * one change. The lease of a dead process is taken over at once. People do not take the lock, so a change has to check
 * for their edits anyway.
 */
import { setTimeout as pause } from "node:timers/promises";
import { errorCode, StoreError } from "../../../base/errors.ts";
import type { FileSystem } from "../../../ports/file-system.ts";
import type { IdSource } from "../../../ports/runtime.ts";
import { isLeaseName } from "./lease-state.ts";
import { type LeaseOptions, SessionLease } from "./session-lease.ts";

/**
 * Pause between two looks whether the holder of an awaited lease still lives, in milliseconds; up to twice that.
 * Source: our choice; looking takes a dozen operations, and the dead are not waited for any longer.
 */
const LEASE_JUDGE_MS = 100;

interface LeaseLockOptions {
  /** Name of the locked thing, for messages. */
  readonly id: string;
  /** Created with the lock if missing, and removed with it if empty. */
  readonly folder: string;
  readonly fs: FileSystem;
  readonly ids: IdSource;
  /** Absent if one program alone uses the folder. */
  readonly lease: LeaseOptions | undefined;
}

/** Limit of the wait for a lock, and pause between two attempts, in milliseconds. */
export interface LockPatience {
  readonly waitMs: number;
  readonly pollMs: number;
}

/** A lock that is held. */
export interface HeldLease {
  /** False once another process took it over, because this one slept for long and looked dead. */
  isHeld(): boolean;
  release(): void;
}

const ALONE: HeldLease = { isHeld: () => true, release: () => undefined };

export class LeaseLock {
  readonly #options: LeaseLockOptions;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
  }

  /** Waits for the lock; returns `undefined` if it is not released in time. */
  async hold({ waitMs, pollMs }: LockPatience): Promise<HeldLease | undefined> {
    const judgeEvery = Math.ceil(LEASE_JUDGE_MS / pollMs);
    for (let waitedMs = 0, looks = 0; ; looks++) {
      // Checking that the holder is alive is expensive; checking that there is one is cheap.
      const held = looks % judgeEvery === 0 || !this.#isTaken() ? this.tryHold() : undefined;
      if (held !== undefined || waitedMs >= waitMs) return held;
      // Random, so that two processes do not collide again and again.
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
      // The folder goes with the lease; taking the lock reports any other failure.
      return false;
    }
  }

  /** Returns `undefined` if the lock is taken. The parent folder must exist. */
  tryHold(): HeldLease | undefined {
    const { id, folder, fs, ids, lease: options } = this.#options;
    if (options === undefined) return ALONE;
    const leaseId = ids.entryId();
    const lease = new SessionLease({ ...options, sessionId: id, sessionFolder: folder, fs, leaseId });
    try {
      lease.acquire(0);
    } catch (error) {
      if (errorCode(error) === "SESSION_IN_USE") return undefined;
      // The caller says what the lock was for.
      throw error instanceof StoreError && error.cause !== undefined ? error.cause : error;
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
          // The lease expires.
        }
      },
    };
  }
}
