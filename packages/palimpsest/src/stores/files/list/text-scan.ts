/**
 * Whether a file holds a text, by its bytes: to pass over the sessions that a search need not read. A packed
 * blob is unpacked for it.
 */
import { setImmediate } from "node:timers/promises";
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import type { FileSystem, OpenFile } from "../../../ports/file-system.ts";
import { isPacked, PACKED_HEAD_BYTES, unpackBlob } from "../blobs/packed-blob.ts";
import { readBuffer } from "../replace/whole-file.ts";

/** `text` is ASCII; capital and small letters are the same. */
export async function holdsText(fs: FileSystem, path: string, text: string): Promise<boolean> {
  const file = fs.open(path, "read");
  try {
    const wanted = text.toLowerCase();
    if (!isPacked(readBuffer(file, 0, PACKED_HEAD_BYTES))) return await scan(file, wanted);
    return holds(unpackBlob(readBuffer(file, 0, file.size())), wanted);
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
    if (holds(piece, wanted)) return true;
    // A long log is not to hold up everything else in the process.
    if (from > 0) await setImmediate();
  }
  return false;
}

function holds(bytes: Buffer, wanted: string): boolean {
  return bytes.toString("latin1").toLowerCase().includes(wanted);
}
