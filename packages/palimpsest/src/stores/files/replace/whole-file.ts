/**
 * Reads, writes and replaces whole small files. After an interruption, a replaced file is the old one or the new one.
 */
import { dirname } from "node:path";
import type { FileSystem, OpenFile } from "../../../ports/file-system.ts";

/** The disk took only a part of a write, without an error. */
export class ShortWriteError extends Error {
  override readonly name = "ShortWriteError";
  readonly code = "ESHORT";
}

/** Writes all of it, or throws. */
export function writeWhole(file: { write(bytes: Uint8Array): number }, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) {
    const count = file.write(bytes.subarray(written));
    if (count <= 0) throw new ShortWriteError(`${bytes.length - written} bytes were not taken`);
    written += count;
  }
}

/** The file's bytes as a buffer, without a copy. */
export function readBuffer(file: OpenFile, position: number, length: number): Buffer {
  const bytes = file.read(position, length);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Opens a file for one use, and closes it. */
export function withFile<Result>(
  fs: FileSystem,
  path: string,
  mode: "read" | "append",
  use: (file: OpenFile) => Result,
): Result {
  const file = fs.open(path, mode);
  try {
    return use(file);
  } finally {
    file.close();
  }
}

/** All bytes of a file. Throws the file system's error. */
export function readBytes(fs: FileSystem, path: string): Buffer {
  return withFile(fs, path, "read", (file) => readBuffer(file, 0, file.size()));
}

/** The file's first bytes as text. Throws the file system's error. */
export function readText(fs: FileSystem, path: string, limitBytes: number): string {
  return withFile(fs, path, "read", (file) =>
    readBuffer(file, 0, Math.min(limitBytes, file.size())).toString("utf8"),
  );
}

/** Writes bytes to the end of a file, which `create` makes, and syncs them. */
export async function writeDurably(
  fs: FileSystem,
  path: string,
  mode: "create" | "append",
  bytes: Uint8Array,
): Promise<void> {
  const file = fs.open(path, mode);
  try {
    writeWhole(file, bytes);
    await file.sync();
  } finally {
    file.close();
  }
}

/** Removes a file without an error: the caller reports another one, or removes the file later. */
export function discard(fs: FileSystem, path: string): void {
  try {
    fs.remove(path);
  } catch {
    // It does not exist, or the disk refuses everything.
  }
}

/**
 * Replaces a file durably; makes its folder if it is missing. Throws the file system's error and keeps the old file.
 */
export async function replaceFile(
  fs: FileSystem,
  {
    path,
    temporaryPath,
    content,
  }: { readonly path: string; readonly temporaryPath: string; readonly content: string | Uint8Array },
): Promise<void> {
  const folder = dirname(path);
  try {
    fs.makeDirectory(folder);
    await writeDurably(fs, temporaryPath, "create", Buffer.from(content));
    fs.rename(temporaryPath, path);
    await fs.syncDirectory(folder);
  } catch (error) {
    discard(fs, temporaryPath);
    throw error;
  }
}
