/**
 * The part of a file system that the stores need.
 *
 * Reading and appending are synchronous: one write of a line to an open file costs about 2 µs, a
 * promise 23 µs (`bench/`), and a turn appends a handful of lines. Syncing waits for the disk and
 * is asynchronous. Every method throws the platform's error with its `code` (`ENOENT`, `ENOSPC` …).
 */
export interface FileStat {
  readonly size: number;
  readonly modifiedMs: number;
  readonly isDirectory: boolean;
  /** The same for two names of one file; absent where that is not known. */
  readonly id?: string;
  /** The name is a symbolic link, and the rest reports what it leads to, unless links are never followed. */
  readonly isLink?: true;
  /** It is neither a file nor a folder nor a link: a pipe, a device. Told where links are never followed. */
  readonly isSpecial?: true;
  /** Number of names the file has; absent where that is not known. */
  readonly linkCount?: number;
  /** When anything about the file last changed, which no one can set back; absent where that is not known. */
  readonly changedMs?: number;
}

/** An open file. Positions and sizes are in bytes. */
export interface OpenFile {
  /**
   * Appends or writes at the end; returns the bytes written, which may be fewer than given. `bytes` are the caller's:
   * copy the entries to keep, and append to no session before they are written.
   */
  write(bytes: Uint8Array): number;
  /** Reads up to `length` bytes at `position`; fewer at the end of the file. */
  read(position: number, length: number): Uint8Array;
  size(): number;
  /** Identity of the open file, whatever its name leads to by now; absent where that is not known. */
  stat?(): FileStat;
  /** True if `size` is this, now. Asked before and after every append, so it is to be the cheaper of the two. */
  endsAt(position: number): boolean;
  /** Cuts the file to `size` bytes. Only ever used to take back a write of ours that failed half-way. */
  truncate(size: number): void;
  /** Resolves once the written bytes survive a power loss. */
  sync(): Promise<void>;
  close(): void;
}

/**
 * A file system as a store uses it. Paths are what the store was given for its root, joined with names
 * by itself; implement this to keep sessions in a place that looks like files.
 */
export interface FileSystem {
  /**
   * `append` creates the file (mode 0600) if needed; `create` fails with `EEXIST` if it is there. Both
   * write at the end and can also read. Anything but a regular file is refused (`EINVAL`), so that a
   * pipe in the place of a file cannot hold the process up.
   */
  open(path: string, mode: "read" | "append" | "create"): OpenFile;
  /** Creates the folder and its parents (mode 0700). */
  makeDirectory(path: string): void;
  /** Names in the folder, in no order. */
  list(path: string): readonly string[];
  /** The names in the folder with what `stat` says of each, where that is cheaper than asking one by one. */
  listStats?(path: string): ReadonlyMap<string, FileStat>;
  /** `undefined` where there is nothing. */
  stat(path: string): FileStat | undefined;
  /** Replaces what is at `to`, in one step. */
  rename(from: string, to: string): void;
  /**
   * Gives a file a second name, which is then there as a whole; `EEXIST` where the name is taken. Left out, or
   * refused (`EPERM`, `ENOTSUP` …), where files have one name only: then what needs it does without.
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
