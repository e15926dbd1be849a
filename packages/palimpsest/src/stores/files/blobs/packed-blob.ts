/**
 * A blob's bytes as they lie in its file: the text itself, or the text packed with Brotli where that is a good
 * deal smaller. System prompts, lists of tools and large results take a quarter of the disk like this.
 *
 * DESIGN. The file's name is the hash of the text either way. The first bytes tell which it is: Brotli has no
 * mark of its own, so one stands before it, and it begins with a byte that no text in UTF-8 has. Files of
 * before are read as they are: plain, or packed with gzip, whose second byte could only go on a letter that
 * began before it.
 */
import { promisify } from "node:util";
import {
  type BrotliOptions,
  brotliCompress,
  brotliCompressSync,
  brotliDecompressSync,
  constants,
  gunzipSync,
} from "node:zlib";
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";

/** `ff`, and `br` in letters. */
const BROTLI_HEAD = Buffer.from([0xff, 0x62, 0x72]);
const GZIP_HEAD = Buffer.from([0x1f, 0x8b]);
/** As many first bytes of a file as tell whether it is packed. */
export const PACKED_HEAD_BYTES = BROTLI_HEAD.length;
const brotliAside = promisify(brotliCompress);

/** What to write for a text. The work is done beside the process's own thread. */
export async function packBlob(text: Buffer): Promise<Buffer> {
  if (text.length < STORE_DEFAULTS.packFromBytes || !shouldPack(text)) return text;
  const packed = Buffer.concat([BROTLI_HEAD, await brotliAside(text, packingOptions(text))]);
  return isSmaller(packed, text) ? packed : text;
}

/** Whether its beginning gets smaller: pictures are packed already, and trying costs as much as all else together. */
function shouldPack(text: Buffer): boolean {
  const { packSampleBytes } = STORE_DEFAULTS;
  if (text.length <= packSampleBytes * 2) return true;
  const sample = text.subarray(0, packSampleBytes);
  return isSmaller(brotliCompressSync(sample, packingOptions(sample)), sample);
}

function packingOptions(text: Buffer): BrotliOptions {
  return {
    params: {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_QUALITY]: STORE_DEFAULTS.packQuicklyLevel,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    },
  };
}

function isSmaller(packed: Buffer, whole: Buffer): boolean {
  return packed.length <= whole.length * STORE_DEFAULTS.packedShareLimit;
}

/** The text of a file's bytes. Throws what zlib throws where they are damaged, or more than a blob may hold. */
export function unpackBlob(bytes: Buffer): Buffer {
  const limit = { maxOutputLength: STORE_DEFAULTS.blobLimitBytes };
  if (startsWith(bytes, BROTLI_HEAD)) return brotliDecompressSync(bytes.subarray(BROTLI_HEAD.length), limit);
  if (startsWith(bytes, GZIP_HEAD)) return gunzipSync(bytes, limit);
  return bytes;
}

/** Whether a file that begins with these bytes is a packed blob. */
export function isPacked(bytes: Buffer): boolean {
  return startsWith(bytes, BROTLI_HEAD) || startsWith(bytes, GZIP_HEAD);
}

function startsWith(bytes: Buffer, head: Buffer): boolean {
  return bytes.subarray(0, head.length).equals(head);
}
