/**
 * Writes an export to standard output, at the pace of its reader, or to a file, which is written whole or not
 * at all.
 */
import { randomUUID } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { StoreError } from "palimpsest";
import type { Terminal } from "./terminal.ts";

/** Text that is written at once, in characters: fewer calls, and little enough to hold. */
const CHUNK = 256_000;

/** Writes pieces of text to a file, beside its place, and moves it there when all of it is on the disk. Returns its size. */
export async function writeOutput(path: string, pieces: AsyncIterable<string>): Promise<number> {
  const temporary = `${path}.${randomUUID()}.new`;
  let isKept = false;
  try {
    const bytes = await fill(temporary, path, pieces);
    await atPlace(path, () => rename(temporary, path));
    isKept = true;
    await syncFolder(dirname(path));
    return bytes;
  } finally {
    if (!isKept) await rm(temporary, { force: true });
  }
}

async function fill(temporary: string, path: string, pieces: AsyncIterable<string>): Promise<number> {
  // Readable by its owner only, as the session is.
  const file = await atPlace(path, () => open(temporary, "wx", 0o600));
  try {
    let bytes = 0;
    for await (const text of inChunks(pieces)) {
      const chunk = Buffer.from(text, "utf8");
      await atPlace(path, () => writeAll(file, chunk));
      bytes += chunk.length;
    }
    await atPlace(path, () => file.sync());
    return bytes;
  } finally {
    await file.close();
  }
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let written = 0; written < bytes.length; ) written += (await file.write(bytes, written)).bytesWritten;
}

/** Writes pieces of text to a stream, never faster than they are read. */
export async function writeThrough(out: Terminal, pieces: AsyncIterable<string>): Promise<void> {
  for await (const text of inChunks(pieces)) {
    out.write(text);
    await out.drained?.();
  }
}

async function* inChunks(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let waiting: string[] = [];
  let length = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    length += piece.length;
    if (length < CHUNK) continue;
    yield waiting.join("");
    waiting = [];
    length = 0;
  }
  if (length > 0) yield waiting.join("");
}

async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    await handle.sync().finally(() => handle.close());
  } catch {
    // Some file systems cannot; the file itself is there and whole.
  }
}

async function atPlace<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    throw new StoreError("STORE_FAILED", {
      message: `${path} could not be written (${(cause as NodeJS.ErrnoException).code ?? "unknown"}).`,
      hint: "Choose another file with --output; no part of the file was left.",
      cause,
    });
  }
}
