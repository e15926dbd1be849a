/**
 * The store of one directory of memories: texts by path, each with a version, and changed only by who says
 * what they replace. Nothing here knows what a memory is.
 *
 * A path is relative, with `/` between its parts, and ends in `.md`. A path that leads out of the directory, names
 * something other than a plain file, or has another meaning on some system is refused (`MEMORY_PATH_REFUSED`). Beside the memories a store keeps records (journals, logs), which are not memories
 * and are never listed as such.
 */

/** One file as a listing knows it, without reading it. */
export interface MemoryFileHead {
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** Another one whenever the text may be another one; compare, do not read. */
  readonly stamp: string;
}

/** The contents of a memory directory. */
export interface MemoryListing {
  /** By path. */
  readonly files: readonly MemoryFileHead[];
  /** Files there that cannot be used, each with the reason: links, folders too deep, files too large. */
  readonly problems: readonly ListingProblem[];
}

/** A file that a listing leaves out, and why. */
interface ListingProblem {
  readonly path: string;
  readonly detail: string;
  /** More lies there than is listed: what is written now may not be found. */
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

/** One file made, replaced, or (without a text) put into the archive. */
export interface MemoryChange {
  readonly path: string;
  /** The version that is replaced; `undefined` where there is to be no file. */
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

/** True if a change was made, as a whole. */
export type MemoryApplied =
  | { readonly isApplied: true; readonly versions: ReadonlyMap<string, string | undefined> }
  /** Nothing was changed: these are not as `base` says, by now. */
  | { readonly isApplied: false; readonly conflicts: readonly string[] };

/** Keeps one directory of memories. Get one from `memoryFolder` or `inMemoryMemoryStore`, or implement it. */
export interface MemoryStore {
  /** The folder in which a person finds the files; absent where they are not files. */
  readonly path?: string;
  /** The current contents, edits by people included. @throws `STORE_FAILED` */
  list(): Promise<MemoryListing>;
  /** `undefined` where there is none. @throws `MEMORY_PATH_REFUSED`, `STORE_FAILED` */
  read(path: string): Promise<MemoryFile | undefined>;
  /**
   * All of the changes, durable when it resolves, or none of them: also where the process dies in between.
   * Files in the archive are never destroyed, and no name there is used twice.
   * @throws `MEMORY_PATH_REFUSED`, `STORE_FAILED`; then nothing was changed, or all of it was and the disk did not
   * confirm it, as the message says
   */
  apply(changes: readonly MemoryChange[]): Promise<MemoryApplied>;
  /** The archived files, the newest first. @throws `STORE_FAILED` */
  archived(): Promise<readonly ArchivedFile[]>;
  /** The text of one that was put away; `undefined` where there is none. @throws `MEMORY_PATH_REFUSED`, `STORE_FAILED` */
  readArchived(id: string): Promise<string | undefined>;
  /** A record's text; `undefined` where there is none. Names are `a-z`, `0-9`, `-`, `.` and one `/`. */
  readRecord(name: string): Promise<string | undefined>;
  /** Puts a record in the place of what is there; durable, and whole or not at all. */
  writeRecord(name: string, text: string): Promise<void>;
  /** Adds one line to a record; lines of several processes do not mix. */
  appendRecord(name: string, line: string): Promise<void>;
  /** The names of records that begin so. */
  listRecords(prefix: string): Promise<readonly string[]>;
  /**
   * The right to do something that only one process may do at a time, as a dream; `undefined` where another one
   * has it. That of a process that died or slept is taken over.
   */
  tryLock(name: string): Promise<MemoryLock | undefined>;
  /** Resolves when nothing is under way; afterwards every call fails. */
  close(): Promise<void>;
}

/** The right to do something alone, for a while. */
export interface MemoryLock {
  /** True if it is still so. */
  isHeld(): boolean;
  release(): Promise<void>;
}
