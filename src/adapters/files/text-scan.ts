/**
 * Whether a file holds a text, by its bytes: to pass over the sessions that a search need not read.
 */
import { setImmediate } from "node:timers/promises";
import { STORE_DEFAULTS } from "../../base/defaults/store.ts";
import type { FileSystem, OpenFile } from "../../ports/file-system.ts";
import { readBuffer } from "./log-reader.ts";

/** `text` is ASCII; capital and small letters are the same. */
export async function holdsText(fs: FileSystem, path: string, text: string): Promise<boolean> {
  const file = fs.open(path, "read");
  try {
    return await scan(file, text.toLowerCase());
  } finally {
    file.close();
  }
}

async function scan(file: OpenFile, wanted: string): Promise<boolean> {
  const size = file.size();
  for (let from = 0; from < size; from += STORE_DEFAULTS.readChunkBytes) {
    // What begins in this piece may end in the next.
    const piece = readBuffer(
      file,
      from,
      Math.min(size - from, STORE_DEFAULTS.readChunkBytes + wanted.length),
    );
    if (piece.toString("latin1").toLowerCase().includes(wanted)) return true;
    // A long log is not to hold up everything else in the process.
    if (from > 0) await setImmediate();
  }
  return false;
}
