/**
 * Entries that are packed in their lines: what an edit inserts is as long as many messages, says again what
 * stands in the log, and nobody looks for it with `grep`.
 *
 * DESIGN. The fields that every entry has stay as they are, and all others are one field, `packed`: the
 * JSON of an object with them, compressed with Brotli, in Base85. Each line can be unpacked by itself: what
 * an earlier summary says would make the next one shorter still, but then damage to one line would cost
 * others. Messages and whatever is searched for stay plain. Reading believes nothing: a line unpacks
 * to so many times its length and no more.
 */
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import { ENTRY_VERSION, type Entry } from "../../../transcript/entries.ts";
import { decodeBase85, encodeBase85 } from "./base85.ts";

/** What every entry has, from `"type"` on, as entries of our own making begin. */
const HEAD = `"type":"(?:edit|checkpoint|metadata)","seq":\\d{1,15},"id":"[\\w.-]{1,64}",(?:"parentId":"[\\w.-]{1,64}",)?(?:"v":${ENTRY_VERSION},)?"at":\\d{1,15},`;
const PLAIN = new RegExp(`^\\{${HEAD}`);
const PACKED = new RegExp(`^${HEAD}"packed":"`);
/** Longer than what the patterns match. */
const HEAD_LIMIT_CHARS = 320;
const ENDING = '"}';
const [QUOTE, BRACE_CLOSE] = [0x22, 0x7d];

/** The entry's JSON as its line is to have it: packed where that is a good deal shorter. */
export function packEntry(entry: Entry, json: string): string {
  if (json.length < STORE_DEFAULTS.packFromBytes || !mayBePacked(entry)) return json;
  const head = PLAIN.exec(json.slice(0, HEAD_LIMIT_CHARS))?.[0];
  if (head === undefined) return json;
  const fields = Buffer.from(`{${json.slice(head.length)}`, "utf8");
  const packed = encodeBase85(compress(fields));
  return isMuchSmaller(packed.length, fields.length) ? `${head}"packed":"${packed}${ENDING}` : json;
}

/** A search looks for words in the bytes of a log: messages, titles and tags stay readable. */
function mayBePacked(entry: Entry): boolean {
  if (entry.type === "metadata") return typeof entry.value !== "string";
  return entry.type === "edit" || entry.type === "checkpoint";
}

function compress(fields: Buffer): Buffer {
  const isLong = fields.length > STORE_DEFAULTS.packThoroughBytes;
  return brotliCompressSync(fields, {
    params: {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_QUALITY]: isLong
        ? STORE_DEFAULTS.packQuicklyLevel
        : STORE_DEFAULTS.packThoroughlyLevel,
      [constants.BROTLI_PARAM_SIZE_HINT]: fields.length,
    },
  });
}

/** What a reader would not believe is not written. */
function isMuchSmaller(packedBytes: number, bytes: number): boolean {
  return packedBytes <= bytes * STORE_DEFAULTS.packedShareLimit && bytes <= unpackedLimit(packedBytes);
}

function unpackedLimit(packedBytes: number): number {
  return Math.min(STORE_DEFAULTS.lineLimitBytes, packedBytes * STORE_DEFAULTS.packedTimesLimit);
}

/**
 * The entry's JSON of a line whose entry begins, without its brace, at `start`; `undefined` where the line is
 * not packed, or is not what was packed.
 */
export function unpackEntry(line: Buffer, start: number): string | undefined {
  const end = line.length - ENDING.length;
  // Most lines end otherwise, and cost no more than this.
  if (line[end] !== QUOTE || line[end + 1] !== BRACE_CLOSE) return undefined;
  const found = PACKED.exec(line.toString("latin1", start, start + HEAD_LIMIT_CHARS))?.[0];
  if (found === undefined) return undefined;
  const fields = decompress(line.subarray(start + found.length, end));
  return fields === undefined ? undefined : `{${found.slice(0, -'"packed":"'.length)}${fields.slice(1)}`;
}

function decompress(packed: Buffer): string | undefined {
  const bytes = decodeBase85(packed);
  if (bytes === undefined) return undefined;
  try {
    return brotliDecompressSync(bytes, { maxOutputLength: unpackedLimit(packed.length) }).toString("utf8");
  } catch {
    // Not what was packed, or more than is believed: the line is reported like one without its fields.
    return undefined;
  }
}
