/**
 * The bytes of a blob's file: the text itself, or the text compressed with Brotli if that is much smaller. System
 * prompts, tool lists and large results take a quarter of the disk this way.
 *
 * DESIGN. The file's name is the hash of the text either way. The first bytes tell the two apart: Brotli has no magic
 * number, so ours comes first and begins with a byte that UTF-8 never has. Earlier files stay readable: plain, or
 * compressed with gzip, whose second byte cannot start a character of UTF-8.
 */

import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import {
  type BrotliOptions,
  brotliCompress,
  brotliCompressSync,
  brotliDecompress,
  brotliDecompressSync,
  constants,
  gunzipSync,
} from "node:zlib";
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import type { FileSystem, OpenFile } from "../../../ports/file-system.ts";
import { readBuffer } from "../replace/whole-file.ts";

/**
 * Bytes of a large text that are packed to see whether all of it is worth it. Source: our choice; takes a
 * millisecond or two.
 */
const PACK_SAMPLE_BYTES = 65_536;

/** Bytes of an unpacked piece, for each that is packed, and at most. Our choice: most texts come in one piece. */
const PIECE_TIMES = 8;
const MOST_PIECE_BYTES = 4 << 20;

/** `ff`, and `br` in letters. */
const BROTLI_HEAD = Buffer.from([0xff, 0x62, 0x72]);
const GZIP_HEAD = Buffer.from([0x1f, 0x8b]);
/** First bytes of a file that tell if it is packed. */
const PACKED_HEAD_BYTES = BROTLI_HEAD.length;
const brotliAside = promisify(brotliCompress);
const unbrotliAside = promisify(brotliDecompress);

/** Returns the bytes to write for a text. Compresses outside the main thread. */
export async function packBlob(text: Buffer): Promise<Buffer> {
  if (text.length < STORE_DEFAULTS.packFromBytes || !shouldPack(text)) return text;
  const packed = Buffer.concat([BROTLI_HEAD, await brotliAside(text, packingOptions(text))]);
  return isSmaller(packed, text) ? packed : text;
}

/**
 * True if its beginning gets smaller: images are compressed already, and trying costs as much as everything else
 * together.
 */
function shouldPack(text: Buffer): boolean {
  if (text.length <= PACK_SAMPLE_BYTES * 2) return true;
  const sample = text.subarray(0, PACK_SAMPLE_BYTES);
  return isSmaller(brotliCompressSync(sample, packingOptions(sample)), sample);
}

function packingOptions(text: Buffer): BrotliOptions {
  return {
    params: {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_QUALITY]: STORE_DEFAULTS.packLevel,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    },
  };
}

function isSmaller(packed: Buffer, whole: Buffer): boolean {
  return packed.length <= whole.length * STORE_DEFAULTS.packedShareLimit;
}

/**
 * Returns the text of a file's bytes. Throws zlib's error if they are damaged or unpack to more than a blob may
 * hold.
 */
export function unpackBlob(bytes: Buffer, limitBytes: number = STORE_DEFAULTS.blobLimitBytes): Buffer {
  const limit = { maxOutputLength: limitBytes };
  if (startsWith(bytes, BROTLI_HEAD)) return brotliDecompressSync(bytes.subarray(BROTLI_HEAD.length), limit);
  if (startsWith(bytes, GZIP_HEAD)) return gunzipSync(bytes, limit);
  return bytes;
}

/** The same outside the main thread. */
export async function unpackBlobAside(bytes: Buffer): Promise<Buffer> {
  if (!startsWith(bytes, BROTLI_HEAD)) return unpackBlob(bytes);
  return unbrotliAside(bytes.subarray(BROTLI_HEAD.length), {
    maxOutputLength: STORE_DEFAULTS.blobLimitBytes,
    // Each piece comes in a separate turn, and all are copied together at the end.
    chunkSize: Math.min(MOST_PIECE_BYTES, Math.max(constants.Z_DEFAULT_CHUNK, bytes.length * PIECE_TIMES)),
  });
}

/** True if a file that begins with these bytes is a packed blob. */
function isPacked(bytes: Buffer): boolean {
  return startsWith(bytes, BROTLI_HEAD) || startsWith(bytes, GZIP_HEAD);
}

function startsWith(bytes: Buffer, head: Buffer): boolean {
  return bytes.subarray(0, head.length).equals(head);
}

/**
 * True if a file, unpacked if it is a packed blob, contains the text. A search skips sessions whose files do not. `text`
 * is ASCII; the case of letters does not matter.
 */
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
    // A match may begin in this piece and end in the next.
    const piece = readBuffer(
      file,
      from,
      Math.min(size - from, STORE_DEFAULTS.readChunkBytes + wanted.length),
    );
    if (holds(piece, wanted)) return true;
    // A long log must not block the rest of the process.
    if (from > 0) await setImmediate();
  }
  return false;
}

function holds(bytes: Buffer, wanted: string): boolean {
  return bytes.toString("latin1").toLowerCase().includes(wanted);
}
