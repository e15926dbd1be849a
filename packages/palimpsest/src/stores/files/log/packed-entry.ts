/**
 * Compresses long edits, checkpoints and metadata inside their log lines. The text that an edit inserts is as long as
 * many messages and repeats what the log has; searching it with `grep` has no use.
 *
 * DESIGN. The fields that every entry has stay as they are. All others become one field, `packed`: their JSON object,
 * compressed with Brotli, in Base85. Each line unpacks by itself: a shared dictionary would be shorter, but then damage
 * to one line would destroy others. Messages and other searched text stay plain. Reading trusts nothing: a line may
 * unpack to a bounded multiple of its length.
 */
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import { ENTRY_VERSION, type Entry } from "../../../transcript/entries.ts";

/** The fields of every entry, from `"type"` on, in the order in which we write them. */
const HEAD = `"type":"(?:edit|checkpoint|metadata)","seq":\\d{1,15},"id":"[\\w.-]{1,64}",(?:"parentId":"[\\w.-]{1,64}",)?(?:"v":${ENTRY_VERSION},)?"at":\\d{1,15},`;
const PLAIN = new RegExp(`^\\{${HEAD}`);
const PACKED = new RegExp(`^${HEAD}"packed":"`);
/** Longer than what the patterns match. */
const HEAD_LIMIT_CHARS = 320;
const ENDING = '"}';
const [QUOTE, BRACE_CLOSE] = [0x22, 0x7d];

/** Returns the entry's JSON for its line: packed if that is much shorter. */
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
  return brotliCompressSync(fields, {
    params: {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_QUALITY]: STORE_DEFAULTS.packLevel,
      [constants.BROTLI_PARAM_SIZE_HINT]: fields.length,
    },
  });
}

/** Also false if a reader would refuse to unpack it. */
function isMuchSmaller(packedBytes: number, bytes: number): boolean {
  return packedBytes <= bytes * STORE_DEFAULTS.packedShareLimit && bytes <= unpackedLimit(packedBytes);
}

function unpackedLimit(packedBytes: number): number {
  return Math.min(STORE_DEFAULTS.lineLimitBytes, packedBytes * STORE_DEFAULTS.packedTimesLimit);
}

/**
 * Unpacks the entry's JSON of a line whose entry begins, without its brace, at `start`. Returns `undefined` if the line
 * is not packed, or is damaged.
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
    // Damaged, or larger than the limit: the line is reported like one without its fields.
    return undefined;
  }
}

/**
 * Base85: bytes as text that JSON takes without an escape. Five characters for four bytes, where base64 needs five and
 * a third. Alphabet and treatment of the end are those of Git's binary patches and of Python's `base64.b85encode`, so
 * other readers have a decoder already.
 */
const ALPHABET = Buffer.from(
  "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~",
  "latin1",
);
const [BASE, GROUP_BYTES, GROUP_DIGITS] = [85, 4, 5];
const NO_DIGIT = 255;
const GROUP_LIMIT = 2 ** 32;
const DIGIT_OF = new Uint8Array(256).fill(NO_DIGIT);
for (const [digit, character] of ALPHABET.entries()) DIGIT_OF[character] = digit;

/** Pads the last group with zeros and leaves out the characters that they would add. */
export function encodeBase85(bytes: Uint8Array): string {
  const groups = Math.ceil(bytes.length / GROUP_BYTES);
  const text = Buffer.allocUnsafe(groups * GROUP_DIGITS);
  for (let group = 0; group < groups; group++) {
    const from = group * GROUP_BYTES;
    let rest = 0;
    for (let at = from; at < from + GROUP_BYTES; at++) rest = rest * 256 + (bytes[at] ?? 0);
    for (let at = GROUP_DIGITS - 1; at >= 0; at--) {
      text[group * GROUP_DIGITS + at] = ALPHABET[rest % BASE]!;
      rest = Math.floor(rest / BASE);
    }
  }
  return text.toString("latin1", 0, text.length - (groups * GROUP_BYTES - bytes.length));
}

/** Returns `undefined` for characters outside the alphabet, and for a group above four bytes. */
export function decodeBase85(text: Uint8Array): Buffer | undefined {
  const groups = Math.ceil(text.length / GROUP_DIGITS);
  const missing = groups * GROUP_DIGITS - text.length;
  if (missing === GROUP_DIGITS - 1) return undefined;
  const bytes = Buffer.allocUnsafe(groups * GROUP_BYTES);
  for (let group = 0; group < groups; group++) {
    const from = group * GROUP_DIGITS;
    let value = 0;
    for (let at = from; at < from + GROUP_DIGITS; at++) {
      const digit = at < text.length ? DIGIT_OF[text[at]!]! : BASE - 1;
      if (digit === NO_DIGIT) return undefined;
      value = value * BASE + digit;
    }
    if (value >= GROUP_LIMIT) return undefined;
    bytes.writeUInt32BE(value, group * GROUP_BYTES);
  }
  return bytes.subarray(0, bytes.length - missing);
}
