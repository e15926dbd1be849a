/**
 * Takes, renews and releases the lease of one session.
 *
 * STATES. *free* → `acquire` creates `lease.<token>`, a file that must not exist yet, so that only one of two processes
 * succeeds → *held*: the file is touched every few seconds → `release` removes it → *free*. A lease is *stale* if its
 * process is dead or has not touched it for its time to live: the next writer creates one with a higher token and removes
 * the old one. A writer that was only asleep finds its file gone at the next touch, is *lost*, and acquires again before
 * it appends. A crash in any state leaves files that the next `acquire` removes.
 *
 * Tokens only grow: a token is at least the size of the log, and a process that takes over from a writer that may still
 * live appends to the log at once. So no writer ever mistakes another's lease for its own.
 */

import { join } from "node:path";
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import { errorCode } from "../../../base/errors.ts";
import { having, number, type OptionRules, object } from "../../../base/options/check-options.ts";
import type { FileSystem } from "../../../ports/file-system.ts";
import type { Clock, ProcessIdentity, Timer } from "../../../ports/runtime.ts";
import { sessionInUse, storeFailure } from "../../shared/store-failure.ts";
import { writeWhole } from "../replace/whole-file.ts";
import { holderText, type LeaseState, leaseName, leasePaths, leaseState, readHolder } from "./lease-state.ts";

/** Signs of life that a writer gives during one lease; all but one may be missed. Source: our choice, every 5 s. */
const LEASE_HEARTBEATS_PER_TTL = 3;
/** Times that taking a lease is begun again because someone released one in between. Source: our choice. */
const LEASE_ATTEMPTS = 8;

/** Ports and settings for leases. */
export interface LeaseOptions {
  readonly clock: Clock;
  readonly process: ProcessIdentity;
  readonly timer: Timer;
  /** Time that a lease lasts without a sign of life, in milliseconds. @defaultValue 15,000 */
  readonly ttlMs?: number;
}

/** @internal */
export const LEASE_RULES: OptionRules<LeaseOptions> = {
  clock: having(["nowMs"], "a clock", "`systemClock`"),
  process: object,
  timer: having(["every"], "a timer", "`systemTimer`"),
  ttlMs: number,
};

interface SessionLeaseOptions extends LeaseOptions {
  readonly sessionId: string;
  readonly sessionFolder: string;
  readonly fs: FileSystem;
  /** Unique. */
  readonly leaseId: string;
  /** Makes the session's folder if it is missing, so that it is durable; without it, it need not be. */
  readonly ensureFolder?: () => void;
}

/** The earlier state of an acquired lease. `over-living`: its previous holder may still be alive. */
type Acquired = "held-already" | "free" | "over-dead" | "over-living";

/** The lease of one open log. */
export class SessionLease {
  readonly #options: SessionLeaseOptions;
  readonly #ttlMs: number;
  #path: string | undefined;
  /** A lease to release whose file may belong to another process by now. */
  #released: string | undefined;
  /** A file of ours that does not count as a lease and could not be removed. */
  #leftover: string | undefined;
  #stopTimer: (() => void) | undefined;

  constructor(options: SessionLeaseOptions) {
    this.#options = options;
    this.#ttlMs = options.ttlMs ?? STORE_DEFAULTS.leaseTtlMs;
  }

  /** True if this log is the writer, as far as it has noticed. */
  get isHeld(): boolean {
    return this.#path !== undefined;
  }

  /**
   * Becomes the writer. `leastToken` is the size of the log.
   * @throws `SESSION_IN_USE` if there is another writer; `STORE_FAILED` if the lease could not be written.
   */
  acquire(leastToken: number): Acquired {
    if (this.#path !== undefined) return "held-already";
    const { sessionFolder, fs } = this.#options;
    const makeFolder = () => fs.stat(sessionFolder) ?? fs.makeDirectory(sessionFolder);
    const { ensureFolder = makeFolder } = this.#options;
    try {
      for (let attempt = 0; attempt < LEASE_ATTEMPTS; attempt++) {
        this.#clear();
        ensureFolder();
        const before = this.#judge();
        const path = join(sessionFolder, leaseName(Math.max(1, leastToken, before.token + 1)));
        if (!this.#create(path)) continue;
        this.#settle(path, before);
        if (before.type === "free") return "free";
        return before.type === "stale" && before.isDead ? "over-dead" : "over-living";
      }
    } catch (error) {
      throw storeFailure(`The session cannot be written: no lease in ${sessionFolder}`, error);
    }
    throw sessionInUse(this.#options.sessionId, "other processes take and release it all the time");
  }

  /** @throws `SESSION_IN_USE` if there is a writer. */
  #judge(): LeaseState {
    const { sessionFolder, fs, clock, process, sessionId } = this.#options;
    const state = leaseState(fs, sessionFolder, clock.nowMs(), process);
    if (state.type === "held") throw sessionInUse(sessionId, ...holderText(state, process));
    return state;
  }

  /** Creates the file. Returns false if another process has just created or released one. */
  #create(path: string): boolean {
    const { fs, clock, process, leaseId } = this.#options;
    const file = this.#tryCreate(path);
    if (file === undefined) return false;
    try {
      const { pid, host, space, startedAt: processStart } = process;
      const now = clock.nowMs();
      const holder = { id: leaseId, pid, host, space, processStart, acquiredAt: now, ttlMs: this.#ttlMs };
      const bytes = Buffer.from(`${JSON.stringify(holder)}\n`, "utf8");
      try {
        writeWhole(file, bytes);
      } finally {
        file.close();
      }
      // By our clock, which others compare with; the clock of the disk may differ.
      fs.touch(path, now);
      return true;
    } catch (error) {
      // This process was slow, and another one removed the file as left by a dead process.
      if (errorCode(error) === "ENOENT") return false;
      this.#discard(path);
      throw error;
    }
  }

  #tryCreate(path: string) {
    try {
      return this.#options.fs.open(path, "create");
    } catch (error) {
      const code = errorCode(error);
      if (code === "EEXIST" || code === "ENOENT") return undefined;
      throw error;
    }
  }

  /** Checks for a rival, and starts to renew the lease. */
  #settle(path: string, before: LeaseState): void {
    const { sessionFolder, fs, sessionId } = this.#options;
    try {
      const now = leasePaths(fs, sessionFolder);
      const rival = now.some((other) => other !== path && !before.paths.includes(other));
      if (rival || !now.includes(path)) throw sessionInUse(sessionId, "another writer is taking it just now");
      for (const old of before.paths) this.#remove(old);
    } catch (error) {
      this.#discard(path);
      throw error;
    }
    this.#path = path;
    const heartbeatMs = Math.floor(this.#ttlMs / LEASE_HEARTBEATS_PER_TTL);
    this.#stopTimer = this.#options.timer.every(heartbeatMs, () => this.#beat());
  }

  /** Gives a sign of life at once, during work that blocks the timer. */
  renew(): void {
    this.#beat();
  }

  #beat(): void {
    if (this.#path === undefined) return;
    try {
      this.#options.fs.touch(this.#path, this.#options.clock.nowMs());
    } catch (error) {
      // Any other failure may be over by the next beat.
      if (errorCode(error) === "ENOENT") this.#lose();
    }
  }

  #lose(): void {
    this.#path = undefined;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  /**
   * Releases the lease and removes the session's folder if it is empty. A second call tries again. Throws the file
   * system's error if the lease can neither be removed nor made to look old.
   */
  release(): void {
    const { fs, leaseId } = this.#options;
    this.#released ??= this.#path;
    this.#lose();
    if (this.#released !== undefined && readHolder(fs, this.#released)?.id === leaseId)
      this.#leftover = this.#released;
    this.#released = undefined;
    this.#clear();
  }

  /** Removes a former lease of this log. */
  #clear(): void {
    const path = this.#leftover;
    if (path === undefined) return;
    const { fs, sessionFolder } = this.#options;
    try {
      this.#remove(path);
    } catch {
      // Make it look stale: the next writer removes it.
      fs.touch(path, 0);
    }
    this.#leftover = undefined;
    try {
      fs.removeDirectory(sessionFolder);
    } catch {
      // It has blobs, or is gone; an empty folder that stays is harmless.
    }
  }

  /** The caller gets the earlier error; the next attempt removes the file first. */
  #discard(path: string): void {
    this.#leftover = path;
    try {
      this.#clear();
    } catch {
      // See above.
    }
  }

  #remove(path: string): void {
    try {
      this.#options.fs.remove(path);
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
    }
  }
}
