/** Small ports on the platform's own functions: clock, timer, deadline, ids and hashes. */
import { createHash, randomUUID } from "node:crypto";
import { statfsSync } from "node:fs";
import type { Clock, Deadline, Hasher, IdSource, Timer } from "../../ports/runtime.ts";

/** Reads the time of the system. */
export const systemClock: Clock = { nowMs: () => Date.now(), steadyMs: () => performance.now() };

/** Repeats work without keeping the process alive. */
export const systemTimer: Timer = {
  every: (ms, work) => {
    const timer = setInterval(work, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};

/** The longest delay that Node's timers keep. Source: its documentation of `setTimeout`. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Calls back once the time has passed; never, if that is later than any timer of the platform. */
export const systemDeadline: Deadline = {
  after: (ms, work) => {
    // A longer timer would fire at once; what waits that long waits for something else.
    const timer =
      ms > LONGEST_TIMER_MS ? setInterval(() => undefined, LONGEST_TIMER_MS) : setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * Makes random ids. A session's is a UUID v4. An entry's is 16 hex digits of one: in a million entries of a session,
 * two share an id about once in 40 million sessions, and the entry's line stays short.
 */
export const randomIds: IdSource = {
  sessionId: () => randomUUID(),
  entryId: () => {
    const uuid = randomUUID();
    return uuid.slice(0, 8) + uuid.slice(28);
  },
};

/** Space that a file at this path may take, in bytes; `undefined` where the platform does not say. */
export function freeBytesAt(path: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    // The folder is not there yet, or the file system does not count.
    return undefined;
  }
}

/** Hashes with `node:crypto`. */
export const nodeHasher: Hasher = {
  sha256: (text) => createHash("sha256").update(text, "utf8").digest("hex"),
  inParts: () => {
    const hash = createHash("sha256");
    return { add: (part) => void hash.update(part, "utf8"), digest: () => hash.digest("hex") };
  },
};
