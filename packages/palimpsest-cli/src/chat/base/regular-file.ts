/**
 * Opening files that may be anything: a pipe that no process writes to, a device without end, a folder, 200 MB. Only
 * regular files are read, and never more than was asked for.
 */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { InputError } from "palimpsest";
import { formatBytes } from "../../terminal/figures.ts";
import { codeOf } from "./values.ts";

/** A regular file, open for reading. */
export interface OpenFile {
  readonly handle: FileHandle;
  readonly bytes: number;
  readonly modifiedAt: number;
  /** Device and number: the same file has the same. */
  readonly identity: string;
}

/**
 * Opens a regular file without following a link at its end. A pipe is refused, and never waited for.
 * @throws `InputError` where there is no such file, or something else
 */
export async function openRegularFile(path: string): Promise<OpenFile> {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
  const handle = await open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW).catch((cause: unknown) => {
    throw cannotOpen(path, cause);
  });
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw notAFile(path, stat.isDirectory() ? "a folder" : "not a regular file");
    return { handle, bytes: stat.size, modifiedAt: stat.mtimeMs, identity: `${stat.dev}:${stat.ino}` };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Reads a file of at most `limit` bytes. @throws `InputError` where it is larger, or cannot be read */
async function readRegularFile(path: string, limit: number): Promise<Buffer> {
  const { handle, bytes } = await openRegularFile(path);
  try {
    if (bytes > limit)
      throw new InputError("INPUT_TOO_LARGE", {
        message: `${path} has ${formatBytes(bytes)}; at most ${formatBytes(limit)} are read.`,
        hint: "Read a part of it.",
      });
    return await readUpTo(handle, limit);
  } finally {
    await handle.close();
  }
}

/** Reads a settings file or another short text; `undefined` if it does not exist. @throws `InputError` */
export async function readTextIfThere(path: string, limit: number): Promise<string | undefined> {
  try {
    return (await readRegularFile(path, limit)).toString("utf8");
  } catch (error) {
    if (codeOf(error) === "INPUT_NOT_FOUND") return undefined;
    throw error;
  }
}

/** The first bytes of a file, at most `limit`. */
export async function readUpTo(handle: FileHandle, limit: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  // Most files are small; a large one is read in larger pieces.
  for (let at = 0, size = 16_384; at < limit; size = Math.min(1_048_576, 2 * size)) {
    const piece = Buffer.allocUnsafe(Math.min(size, limit - at));
    const { bytesRead } = await handle.read(piece, 0, piece.length, at);
    if (bytesRead === 0) break;
    pieces.push(piece.subarray(0, bytesRead));
    at += bytesRead;
  }
  return Buffer.concat(pieces);
}

function cannotOpen(path: string, cause: unknown): InputError {
  const code = codeOf(cause);
  if (code === "ENOENT" || code === "ENOTDIR")
    return new InputError("INPUT_NOT_FOUND", {
      message: `${path} does not exist.`,
      hint: "Check the path.",
      cause,
    });
  // A pipe without a writer opens at once; a socket does not.
  return notAFile(path, code === "ELOOP" ? "a link" : `unreadable (${code ?? "unknown"})`, cause);
}

function notAFile(path: string, what: string, cause?: unknown): InputError {
  return new InputError("INPUT_UNREADABLE", {
    message: `${path} is ${what}.`,
    hint: "Give a regular file.",
    cause,
  });
}
