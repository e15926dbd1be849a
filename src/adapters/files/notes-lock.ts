/**
 * Keeps programs from replacing the same notes at once, where a store keeps leases: a lease of its own beside
 * the notes, held for as long as one replacement takes. That of a process that died is taken over at once.
 * People know nothing of it, so what they do is looked at all the same.
 */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { STORE_DEFAULTS } from "../../base/defaults/store.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import type { IdSource } from "../../ports/id-source.ts";
import { errorCode } from "../shared/store-failure.ts";
import { NOTES_LOCK_NAME } from "./notes-names.ts";
import { type LeaseOptions, SessionLease } from "./session-lease.ts";

export interface NotesLockOptions {
  readonly sessionId: string;
  readonly sessionFolder: string;
  readonly fs: FileSystem;
  readonly ids: IdSource;
  /** Absent where one program alone uses the folder. */
  readonly lease: LeaseOptions | undefined;
}

/** The right to replace the notes. */
export interface HeldNotes {
  /** Whether it is still so: a process that slept for long may have been taken for dead. */
  isHeld(): boolean;
  release(): void;
}

const ALONE: HeldNotes = { isHeld: () => true, release: () => undefined };

export class NotesLock {
  readonly #options: NotesLockOptions;

  constructor(options: NotesLockOptions) {
    this.#options = options;
  }

  /** Waits for whoever has it; `undefined` where they do not let go of it in time. */
  async hold(): Promise<HeldNotes | undefined> {
    const { notesWaitMs, notesPollMs } = STORE_DEFAULTS;
    for (let waitedMs = 0; ; ) {
      const held = this.tryHold();
      if (held !== undefined || waitedMs >= notesWaitMs) return held;
      // Two that begin together are not to come together again.
      const nextMs = notesPollMs * (1 + Math.random());
      await pause(nextMs);
      waitedMs += nextMs;
    }
  }

  /** `undefined` where somebody has it. The session's folder is there. */
  tryHold(): HeldNotes | undefined {
    const { sessionId, sessionFolder, fs, ids, lease: options } = this.#options;
    if (options === undefined) return ALONE;
    const folder = join(sessionFolder, NOTES_LOCK_NAME);
    const lease = new SessionLease({
      ...options,
      ...{ sessionId, sessionFolder: folder, fs, leaseId: ids.entryId() },
      ensureFolder: () => fs.makeDirectory(folder),
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
