/**
 * Tells how the bytes of a file encode text, and converts them to UTF-8.
 *
 * UTF-8 is passed through: whether it is well-formed is checked line by line, where a repair can
 * name the line. UTF-16 is known by its mark or by every second byte being zero. Zero bytes at the
 * beginning prove nothing: a power loss leaves them in a text as well, so what follows them decides. A
 * beginning that is not text is damage, too, where a whole line of JSON follows; else it is data.
 */
import { InputError } from "../../base/errors.ts";
import { isObject, parseJson } from "../../base/json/json.ts";
import type { RepairLog } from "../../importers/shared/repair-log.ts";

/** Bytes at the start of a file that distinguish text from binary data. Our choice, one page. */
const SAMPLE_BYTES = 4_096;
/** Bytes at the start of a file in which a zero byte means another format. Our choice; the signatures of archives, pictures, programs and databases have one there. */
const SIGNATURE_BYTES = 16;
/** Share of zero bytes in the sample above which a file is taken as binary. Our choice: most of it. */
const ZERO_SHARE = 0.5;
/** Share of control characters in the sample above which a file is taken as binary. Our choice. */
const BINARY_SHARE = 0.1;
/** Bytes read from the disk at once. Source: Node's default for file streams. */
export const READ_CHUNK_BYTES = 65_536;

type Convert = (bytes: Buffer) => Buffer;

const NOTHING = Buffer.alloc(0);

/**
 * Converts the bytes of a file, piece by piece. Called with every piece and at last with an empty one.
 * @throws InputError `INPUT_UNREADABLE` for binary data. @internal
 */
export function toUtf8(file: { readonly name: string; readonly repairs: RepairLog }): Convert {
  let convert: Convert | undefined;
  let zeros = 0;
  let held = NOTHING;
  return (bytes) => {
    if (convert !== undefined) return convert(bytes);
    const start = held.length > 0 ? 0 : textStart(bytes, zeros);
    zeros += start;
    held = Buffer.concat([held, bytes.subarray(start)]);
    const isEnd = bytes.length === 0;
    if (!isEnd && held.length < READ_CHUNK_BYTES) return bytes.subarray(0, start);
    convert = chooseConverter(held, file);
    return Buffer.concat([bytes.subarray(0, start), convert(held), isEnd ? convert(NOTHING) : NOTHING]);
  };
}

/** Index of the first byte that is not zero, or of a zero before it that is the other half of a UTF-16 character. */
function textStart(bytes: Buffer, zerosBefore: number): number {
  const index = bytes.findIndex((byte) => byte !== 0);
  if (index === -1) return bytes.length;
  return index > 0 && (zerosBefore + index) % 2 === 1 ? index - 1 : index;
}

/** Chooses by what follows the zero bytes at the beginning. */
function chooseConverter(
  first: Buffer,
  { name, repairs }: { readonly name: string; readonly repairs: RepairLog },
): Convert {
  const utf16 = utf16Order(first);
  if (utf16 !== undefined) {
    const order = utf16 === "le" ? "little" : "big";
    repairs.add("bad-encoding", `the text is UTF-16 (${order} endian); converted`);
    return utf16Converter(utf16);
  }
  const text = first[0] === 0 ? first.subarray(1) : first;
  if (isBinary(text.subarray(0, SAMPLE_BYTES)) && !hasRecord(text)) {
    throw new InputError("INPUT_UNREADABLE", {
      message: `${name} is binary data, not text.`,
      hint: "Give the session as JSON or JSON Lines, plain or gzip-compressed. Unpack other archives first.",
    });
  }
  return withoutMark();
}

function utf16Order(bytes: Buffer): "le" | "be" | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "be";
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  let evenZeros = 0;
  let oddZeros = 0;
  sample.forEach((byte, index) => {
    if (byte !== 0) return;
    if (index % 2 === 0) evenZeros++;
    else oddZeros++;
  });
  // JSON is mostly ASCII, whose other byte is zero in UTF-16; few characters have the zero on the other side.
  const many = sample.length / 4;
  const few = many / 4;
  if (oddZeros > many && evenZeros < few) return "le";
  return evenZeros > many && oddZeros < few ? "be" : undefined;
}

function utf16Converter(order: "le" | "be"): Convert {
  const decoder = new TextDecoder(order === "le" ? "utf-16le" : "utf-16be");
  return (bytes) => Buffer.from(decoder.decode(bytes, { stream: bytes.length > 0 }), "utf8");
}

/** Passes UTF-8 through, without the byte order mark at its start. */
function withoutMark(): Convert {
  let isStart = true;
  return (bytes) => {
    const hasMark = isStart && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    isStart = false;
    return hasMark ? bytes.subarray(3) : bytes;
  };
}

function isBinary(sample: Buffer): boolean {
  if (sample.length === 0 || sample.subarray(0, SIGNATURE_BYTES).includes(0)) return true;
  let zeros = 0;
  let controls = 0;
  for (const byte of sample) {
    if (byte === 0) zeros++;
    else if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) controls++;
  }
  return zeros > sample.length * ZERO_SHARE || controls > (sample.length - zeros) * BINARY_SHARE;
}

/** True if a whole line is an object of JSON: what stands around it is damaged, but no other format has such lines. */
function hasRecord(bytes: Buffer): boolean {
  for (let start = 0, end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
    const line = bytes.subarray(start, end);
    const parsed = line[0] === 0x7b ? parseJson(line.toString("utf8")) : undefined;
    if (parsed?.ok === true && isObject(parsed.value)) return true;
    start = end + 1;
  }
  return false;
}
