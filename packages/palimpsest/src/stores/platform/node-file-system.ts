/**
 * The file system of the machine, as far as the stores need it.
 *
 * Files are made with mode 0600 and folders with 0700, whatever the umask allows beyond that.
 */
import {
  close,
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  open,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { promisify } from "node:util";
import type { FileStat, FileSystem, OpenFile } from "../../ports/file-system.ts";

const fdatasyncAsync = promisify(fdatasync);
const fsyncAsync = promisify(fsync);
const openAsync = promisify(open);
const closeAsync = promisify(close);

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

// A pipe or a device under the name of a file must not block the open; absent on Windows.
const NONBLOCK = constants.O_NONBLOCK ?? 0;
const OPEN_FLAGS = {
  read: constants.O_RDONLY | NONBLOCK,
  append: constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | NONBLOCK,
  create: constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL,
} as const;

/** Target of reads that only test if a byte exists. */
const PROBE = Buffer.alloc(2);

/** An error with a `code`, as the platform's own have. */
class NotARegularFileError extends Error {
  override readonly name = "NotARegularFileError";
  readonly code = "EINVAL";
}

/** An open file. */
export class NodeFile implements OpenFile {
  readonly #fd: number;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(bytes: Uint8Array): number {
    return writeSync(this.#fd, bytes);
  }

  read(position: number, length: number): Uint8Array {
    const buffer = Buffer.allocUnsafe(length);
    return buffer.subarray(0, this.readInto(position, buffer));
  }

  readInto(position: number, into: Uint8Array): number {
    let filled = 0;
    while (filled < into.length) {
      const count = readSync(this.#fd, into, filled, into.length - filled, position + filled);
      if (count === 0) break;
      filled += count;
    }
    return filled;
  }

  size(): number {
    return fstatSync(this.#fd).size;
  }

  /**
   * True if there is a byte before the position and none after it. Costs half of `fstat`, and on newer Linux kernels
   * reading a file's times makes the next write more expensive.
   */
  endsAt(position: number): boolean {
    const from = Math.max(0, position - 1);
    return readSync(this.#fd, PROBE, 0, PROBE.length, from) === position - from;
  }

  truncate(size: number): void {
    ftruncateSync(this.#fd, size);
  }

  sync(): Promise<void> {
    return fdatasyncAsync(this.#fd);
  }

  close(): void {
    closeSync(this.#fd);
  }
}

function openFile(path: string, mode: keyof typeof OPEN_FLAGS): OpenFile {
  const fd = openSync(path, OPEN_FLAGS[mode], FILE_MODE);
  if (fstatSync(fd).isFile()) return new NodeFile(fd);
  closeSync(fd);
  throw new NotARegularFileError(`EINVAL: not a regular file, open '${path}'`);
}

/** With its parents only where one is missing: on a read-only disk Node takes it for that, too. */
function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: FOLDER_MODE });
  } catch (error) {
    const { code } = error as { readonly code?: string };
    const found = code === "EEXIST" ? statSync(path, { throwIfNoEntry: false }) : undefined;
    if (found?.isDirectory()) return;
    // What was there a moment ago may have been removed since.
    if (found !== undefined || (code !== "EEXIST" && code !== "ENOENT")) throw error;
    mkdirSync(path, { recursive: true, mode: FOLDER_MODE });
  }
}

function statPath(path: string): FileStat | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  const isLink = found?.isSymbolicLink() === true;
  const stat = isLink ? statSync(path, { throwIfNoEntry: false }) : found;
  if (stat === undefined) return undefined;
  return {
    size: stat.size,
    modifiedMs: stat.mtimeMs,
    isDirectory: stat.isDirectory(),
    id: `${stat.dev}:${stat.ino}`,
    ...(isLink && { isLink }),
  };
}

async function syncDirectory(path: string): Promise<void> {
  // Windows has no handle of a folder to sync; its file system orders names with their contents.
  if (process.platform === "win32") return;
  const fd = await openAsync(path, "r");
  try {
    await fsyncAsync(fd);
  } finally {
    await closeAsync(fd);
  }
}

/** The machine's file system. */
export const nodeFileSystem: FileSystem = {
  open: openFile,
  makeDirectory,
  list: (path) => readdirSync(path),
  stat: statPath,
  rename: renameSync,
  link: linkSync,
  remove: unlinkSync,
  removeDirectory: rmdirSync,
  touch: (path, atMs) => utimesSync(path, atMs / 1_000, atMs / 1_000),
  syncDirectory,
};
