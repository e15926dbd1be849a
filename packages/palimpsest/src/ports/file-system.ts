/**
 * The part of a file system that the file stores need. Implemented over `node:fs`, in memory, and by the faulty disks of
 * tests.
 *
 * Reading and appending are synchronous: one write of a line to an open file costs about 2 µs, a
 * promise 23 µs (`packages/evaluation/bench/`), and a turn appends a handful of lines. Syncing waits for the disk and
 * is asynchronous. Every method throws the platform's error with its `code` (`ENOENT`, `ENOSPC` …).
 */
export interface FileStat {
  readonly size: number;
  readonly modifiedMs: number;
  readonly isDirectory: boolean;
  /** Identity of the file, equal for all its hard links; absent if unknown. */
  readonly id?: string;
  /** True for a symbolic link. The other fields describe its target, unless the file system never follows links. */
  readonly isLink?: true;
  /** True for a pipe or a device. Reported only if the file system never follows links. */
  readonly isSpecial?: true;
  /** Number of hard links of the file; absent if unknown. */
  readonly linkCount?: number;
  /** Last change of the file's contents or attributes (ctime), which cannot be set back; absent if unknown. */
  readonly changedMs?: number;
}

/** An open file. Positions and sizes are in bytes. */
export interface OpenFile {
  /**
   * Writes at the end of the file; returns the number of bytes written, which may be fewer than given. The
   * caller reuses the buffer: copy `bytes` to keep them, and append to no session during this call.
   */
  write(bytes: Uint8Array): number;
  /** Reads up to `length` bytes at `position`; fewer at the end of the file. */
  read(position: number, length: number): Uint8Array;
  /** The same into the caller's bytes; returns how many it read. Left out if the platform cannot. */
  readInto?(position: number, into: Uint8Array): number;
  size(): number;
  /** Describes the open file, even if its name now leads to another file; left out if the platform cannot. */
  stat?(): FileStat;
  /** True if the current size is `position`. Called before and after every append, so make it cheaper than `size`. */
  endsAt(position: number): boolean;
  /** Cuts the file to `size` bytes. Only used to remove the written part of a failed write. */
  truncate(size: number): void;
  /** Resolves once the written bytes survive a power loss. */
  sync(): Promise<void>;
  close(): void;
}

/** A folder that is being watched. */
interface FolderWatch {
  /** False once the watch failed, or another folder has the name. */
  isGood(): boolean;
  close(): void;
}

/**
 * A file system as a store uses it. Paths begin with the root that the store was given. Implement this to keep sessions
 * in a place that looks like files.
 */
export interface FileSystem {
  /**
   * `append` creates the file (mode 0600) if needed; `create` fails with `EEXIST` if it is there. Both
   * write at the end and can also read. Anything but a regular file is refused (`EINVAL`), because opening a
   * pipe could block the process.
   */
  open(path: string, mode: "read" | "append" | "create"): OpenFile;
  /** Creates the folder and its parents (mode 0700). */
  makeDirectory(path: string): void;
  /** Names in the folder, in no order. */
  list(path: string): readonly string[];
  /** The names in the folder, each with its `stat`, if that is cheaper than one `stat` per name. */
  listStats?(path: string): ReadonlyMap<string, FileStat>;
  /**
   * The same, a few names at a time, so that a caller can let others have a turn in between; left out if the platform
   * cannot. The folder stays the same one until the last part was taken.
   */
  listInParts?(path: string): Iterable<ReadonlyMap<string, FileStat>>;
  /**
   * Calls `onChange` with the name of what changed in the folder itself (not below it), or without a name if that is
   * unknown. It never keeps a process alive. `undefined` if changes made by others may go unnoticed here; left out if the
   * platform cannot.
   */
  watch?(path: string, onChange: (name: string | undefined) => void): FolderWatch | undefined;
  /** Describes the file or folder; `undefined` if there is none. */
  stat(path: string): FileStat | undefined;
  /** Replaces what is at `to`, in one step. */
  rename(from: string, to: string): void;
  /**
   * Creates a hard link in one step; `EEXIST` if the name is taken. A file system without hard links leaves the
   * method out or throws (`EPERM`, `ENOTSUP` …); the stores then do without.
   */
  link?(existing: string, name: string): void;
  /** Removes a file; never a folder. */
  remove(path: string): void;
  /** Removes an empty folder; one that is not empty is refused (`ENOTEMPTY`). */
  removeDirectory(path: string): void;
  /** Sets the time at which a file was last modified, in milliseconds since the epoch. */
  touch(path: string, atMs: number): void;
  /** Makes creations, renames and removals inside the folder survive a power loss. */
  syncDirectory(path: string): Promise<void>;
}
