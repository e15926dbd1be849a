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
interface ListingProblem {
  readonly path: string;
  readonly detail: string;
  /** True if the directory has more files than a listing may have: a file written now may not be listed. */
  readonly isOverLimit?: boolean;
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
  /** Appends one line to a record. Lines that several processes append at once stay intact. */
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
