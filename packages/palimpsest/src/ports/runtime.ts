/**
 * Ports to the machine: the time, timers, hashes, ids, and the identity of this process.
 */

/** The time. Nothing else in the library reads it. */
export interface Clock {
  /** Milliseconds since the epoch. May jump either way: order never depends on it. */
  nowMs(): number;
}

/** Repeated work. */
export interface Timer {
  /**
   * Does `work` every `ms` milliseconds until the function that it returns is called. It never keeps a
   * process alive by itself.
   */
  every(ms: number, work: () => void): () => void;
}

/** Work that is done once, when time is up. */
export interface Deadline {
  /**
   * Does `work` after `ms` milliseconds, unless the function that it returns is called before. Unlike a
   * `Timer` it keeps a process alive: someone waits for what it ends.
   */
  after(ms: number, work: () => void): () => void;
}

/** SHA-256, which pure code cannot take from the platform. */
export interface Hasher {
  /** The hash of the text's UTF-8 bytes, as 64 hex digits. */
  sha256(text: string): string;
}

/** Ids of entries and sessions. */
export interface IdSource {
  /** A UUID v4, for sessions. */
  sessionId(): string;
  /** A short id, unique within one session, for entries and calls. */
  entryId(): string;
}

/**
 * Identity of this process, and a check if another one still lives.
 *
 * A number of a process means something only among the processes that count together: on one machine,
 * since it was started, inside one container. `space` names that; numbers of two spaces say nothing
 * about each other.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** The machine's name, for people. */
  readonly host: string;
  /** Equal for processes whose numbers can be compared, and only for them. */
  readonly space: string;
  /** When the process began, in whatever the platform counts; absent where it does not tell. */
  readonly startedAt: string | undefined;
  /**
   * True if a process of this space lives; false only if it certainly does not. One with the same number
   * that began at another time is another process.
   */
  isAlive(pid: number, startedAt: string | undefined): boolean;
}
