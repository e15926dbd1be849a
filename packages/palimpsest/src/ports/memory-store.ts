/**
 * The store of one directory of memories: text files by path, each with a version. A change names the version that it
 * replaces, so that concurrent edits are detected. The store does not interpret the texts.
 *
 * A path is relative, with `/` between its parts, and ends in `.md`. A path that leads out of the directory, names
 * something other than a plain file, or has another meaning on some system is refused (`MEMORY_PATH_REFUSED`). The
 * store also keeps records (journals, logs), which are never listed as memories.
 */

/** One file in a listing, without its text. */
export interface MemoryFileHead {
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** An opaque value that differs if the text may have changed. Only compare it. */
  readonly stamp: string;
}

/** The contents of a memory directory. */
export interface MemoryListing {
  /** By path. */
  readonly files: readonly MemoryFileHead[];
  /** Unusable files, each with the reason: links, folders too deep, files too large. */
  readonly problems: readonly ListingProblem[];
}

/** A file that a listing leaves out, and why. */
export interface ListingProblem {
  readonly path: string;
  readonly detail: string;
  /** True if the directory has more files than a listing may have: a file written now may not be listed. */
  readonly isOverLimit?: boolean;
}

/** Changes of a directory since the last question. */
export interface MemoryDelta {
  /** New files, and files that may have changed; the first time all of them. */
  readonly changed: readonly MemoryFileHead[];
  /** Paths of files that are gone. */
  readonly removed: readonly string[];
  /** All problems; absent if they are as before. */
  readonly problems?: MemoryListing["problems"];
}

/** Follows a directory: what it costs depends on what changes, and not on how many files there are. */
export interface MemoryFollower {
  /**
   * Returns what changed since the last call. The store's own changes are seen at once; those of people and of other programs
   * within a second. @throws `STORE_FAILED`
   */
  next(): Promise<MemoryDelta>;
  /**
   * Reads a file at once; `undefined` if there is none. Left out by stores that cannot.
   * @throws `MEMORY_PATH_REFUSED`, `STORE_FAILED`
   */
  read?(path: string): MemoryFile | undefined;
  /** True if a stamp of {@link next} still tells the file from any later text, in other processes, too. */
  isLasting(path: string, stamp: string): boolean;
  /** Returns what {@link keep} kept, piece by piece; none if there is nothing, or it is damaged. */
  kept?(): Iterable<Uint8Array>;
  /**
   * Keeps bytes beside the memories for the next process. They are derived from the memories: losing them costs time
   * only, and a failure is not an error. The pieces are written one by one, with turns for others in between.
   */
  keep?(pieces: Iterable<Uint8Array>): Promise<void>;
  close(): void;
}

/** One file, read. */
export interface MemoryFile {
  readonly path: string;
  readonly text: string;
  /** Version of the text: equal texts have equal versions. */
  readonly version: string;
  readonly modifiedMs: number;
}

/** One file to create, to replace, or (without `text`) to move to the archive. */
export interface MemoryChange {
  readonly path: string;
  /** The version that the change replaces; `undefined` if the file must not exist yet. */
  readonly base: string | undefined;
  readonly text: string | undefined;
}

/** One text in the archive. */
export interface ArchivedFile {
  /** For {@link MemoryStore.readArchived}. */
  readonly id: string;
  /** Its earlier place. */
  readonly path: string;
  readonly archivedMs: number;
}

/** Result of {@link MemoryStore.apply}: all changes were made, or none. */
export type MemoryApplied =
  | { readonly isApplied: true; readonly versions: ReadonlyMap<string, string | undefined> }
  /** Nothing was changed: the current versions of these paths are not their `base`. */
  | { readonly isApplied: false; readonly conflicts: readonly string[] };

/** The store of one directory of memories. Get one from `memoryFolder` or `inMemoryMemoryStore`, or implement it. */
export interface MemoryStore {
  /** The folder in which a person finds the files; absent where they are not files. */
  readonly path?: string;
  /** True if nothing of it outlives the object. @defaultValue false */
  readonly isVolatile?: boolean;
  /** The current contents, edits by people included. @throws `STORE_FAILED` */
  list(): Promise<MemoryListing>;
  /** Follows the contents; left out by stores that cannot: then each look lists everything. */
  follow?(): MemoryFollower;
  /** `undefined` where there is none. @throws `MEMORY_PATH_REFUSED`, `STORE_FAILED` */
  read(path: string): Promise<MemoryFile | undefined>;
  /**
   * Makes all changes or none, even if the process dies in between; durable when it resolves. Files in the archive are
   * never destroyed or overwritten.
   * @throws `MEMORY_PATH_REFUSED`, `STORE_FAILED`. Then nothing was changed, or everything was but the disk did not
   * confirm it; the message says which.
   */
  apply(changes: readonly MemoryChange[]): Promise<MemoryApplied>;
  /** The archived files, the newest first. @throws `STORE_FAILED` */
  archived(): Promise<readonly ArchivedFile[]>;
  /** The text of an archived file; `undefined` if there is none. @throws `MEMORY_PATH_REFUSED`, `STORE_FAILED` */
  readArchived(id: string): Promise<string | undefined>;
  /** A record's text; `undefined` where there is none. Names are `a-z`, `0-9`, `-`, `.` and one `/`. */
  readRecord(name: string): Promise<string | undefined>;
  /** Writes or replaces a record; durable, and completely or not at all. */
  writeRecord(name: string, text: string): Promise<void>;
  /** Appends one line to a record, or several with `\n` in between. Lines that several processes append at once stay intact. */
  appendRecord(name: string, line: string): Promise<void>;
  /** The names of the records that begin with `prefix`. */
  listRecords(prefix: string): Promise<readonly string[]>;
  /**
   * Takes the lock for work that only one process may do at a time, such as a dream. Resolves to `undefined` if
   * another process holds it. The lock of a process that died or was suspended is taken over.
   */
  tryLock(name: string): Promise<MemoryLock | undefined>;
  /** Resolves once all calls in progress have ended; later calls fail. */
  close(): Promise<void>;
}

/** A lock that this process holds until it releases it or another process takes it over. */
export interface MemoryLock {
  /** True if this process still holds the lock. */
  isHeld(): boolean;
  release(): Promise<void>;
}
