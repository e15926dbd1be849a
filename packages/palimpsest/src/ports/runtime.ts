/**
 * Ports to the machine: the time, timers, hashes, ids, and the identity of this process.
 */

/** The time. Nothing else in the library reads it. */
export interface Clock {
  /** Milliseconds since the epoch. May jump forwards or backwards, so never order by it. */
  nowMs(): number;
  /**
   * Milliseconds that only go forwards, from any beginning. By them sessions see how long they have kept the event loop,
   * and let others have a turn; without them they do not look.
   */
  steadyMs?(): number;
}

/** Repeated work. */
export interface Timer {
  /**
   * Does `work` every `ms` milliseconds. Call the returned function to stop. A timer never keeps a process
   * alive by itself.
   */
  every(ms: number, work: () => void): () => void;
}

/** Work that is done once, when time is up. */
export interface Deadline {
  /**
   * Does `work` after `ms` milliseconds. Call the returned function to cancel. Unlike a `Timer` it keeps a
   * process alive: a caller awaits the work that it limits.
   */
  after(ms: number, work: () => void): () => void;
}

/** SHA-256, which pure code cannot take from the platform. */
export interface Hasher {
  /** The hash of the text's UTF-8 bytes, as 64 hex digits. */
  sha256(text: string): string;
  /**
   * Begins the hash of a text that is handed over part by part, so that a long one does not keep the process. No part
   * ends within a character. A hasher that cannot do so leaves the method out.
   */
  inParts?(): { add(part: string): void; digest(): string };
}

/** Ids of entries and sessions. */
export interface IdSource {
  /** A UUID v4, for sessions. */
  sessionId(): string;
  /** A short id, unique within one session, for entries and calls. */
  entryId(): string;
}

/**
 * Identity of this process, and a check if another one is still alive.
 *
 * Process ids can be compared only within one *process space*: one machine, since its last boot, inside one
 * container. `space` names it.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** The machine's name, for people. */
  readonly host: string;
  /** Equal for processes whose ids can be compared, and only for them. */
  readonly space: string;
  /** Start time of the process, in the platform's own unit; absent if the platform does not report it. */
  readonly startedAt: string | undefined;
  /**
   * True if a process of this space is alive; false only if it certainly is not. A process with the same id
   * but another start time is another process.
   */
  isAlive(pid: number, startedAt: string | undefined): boolean;
}
