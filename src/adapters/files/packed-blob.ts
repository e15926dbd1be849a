/**
 * A blob's bytes as they lie in its file: the text itself, or the text packed with gzip where that is a good
 * deal smaller. System prompts, lists of tools and large results take a quarter of the disk like this.
 *
 * DESIGN. The file's name is the hash of the text either way. The first two bytes tell which it is: no text in
 * UTF-8 begins like gzip does, since its second byte can only go on a letter that began before it. So files
 * of before are read as they are, and `zcat` and `zgrep` read the packed ones.
 */
import { promisify } from "node:util";
import { gunzipSync, gzip, gzipSync } from "node:zlib";
import { STORE_DEFAULTS } from "../../base/defaults/store.ts";

const GZIP_HEAD = Buffer.from([0x1f, 0x8b]);
const gzipAside = promisify(gzip);

/** What to write for a text. The work is done beside the process's own thread. */
export async function packBlob(text: Buffer): Promise<Buffer> {
  if (text.length < STORE_DEFAULTS.packFromBytes || !isWorthPacking(text)) return text;
  const packed = await gzipAside(text);
  return isSmaller(packed, text) ? packed : text;
}

/** Whether its beginning gets smaller: pictures are packed already, and trying costs as much as all else together. */
function isWorthPacking(text: Buffer): boolean {
  const { packSampleBytes } = STORE_DEFAULTS;
  if (text.length <= packSampleBytes * 2) return true;
  const sample = text.subarray(0, packSampleBytes);
  return isSmaller(gzipSync(sample), sample);
}

function isSmaller(packed: Buffer, whole: Buffer): boolean {
  return packed.length <= whole.length * STORE_DEFAULTS.packedShareLimit;
}

/** The text of a file's bytes. Throws what zlib throws where they are damaged, or more than a blob may hold. */
export function unpackBlob(bytes: Buffer): Buffer {
  if (!isPacked(bytes)) return bytes;
  return gunzipSync(bytes, { maxOutputLength: STORE_DEFAULTS.blobLimitBytes });
}

/** Whether a file that begins with these bytes is a packed blob. */
export function isPacked(bytes: Uint8Array): boolean {
  return bytes[0] === GZIP_HEAD[0] && bytes[1] === GZIP_HEAD[1];
}
