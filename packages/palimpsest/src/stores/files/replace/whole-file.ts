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

/** The file's first bytes as text. Throws the file system's error. */
export function readText(fs: FileSystem, path: string, limitBytes: number): string {
  const file = fs.open(path, "read");
  try {
    return readBuffer(file, 0, Math.min(limitBytes, file.size())).toString("utf8");
  } finally {
    file.close();
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
    text,
  }: { readonly path: string; readonly temporaryPath: string; readonly text: string },
): Promise<void> {
  const folder = dirname(path);
  try {
    fs.makeDirectory(folder);
    const file = fs.open(temporaryPath, "create");
    try {
      writeWhole(file, Buffer.from(text, "utf8"));
      await file.sync();
    } finally {
      file.close();
    }
    fs.rename(temporaryPath, path);
    await fs.syncDirectory(folder);
  } catch (error) {
    discard(fs, temporaryPath);
    throw error;
  }
}

function discard(fs: FileSystem, path: string): void {
  try {
    fs.remove(path);
  } catch {
    // It does not exist, or the disk refuses everything: the caller gets the original error.
  }
}
