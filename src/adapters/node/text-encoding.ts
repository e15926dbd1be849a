/**
 * Tells how the bytes of a file encode text, and converts them to UTF-8.
 *
 * UTF-8 is passed through: whether it is well-formed is checked line by line, where a repair can
 * name the line. UTF-16 is known by its mark or by every second byte being zero. Zero bytes at the very
 * beginning, or almost everywhere, are data; a run of them further on is a text that a power loss has
 * damaged, whose other lines can be read.
 */
import { FORMATS_DEFAULTS } from "../../base/defaults/formats.ts";
import { InputError } from "../../base/errors.ts";
import { parseJson } from "../../base/json.ts";
import type { RepairLog } from "../../formats/repair-log.ts";

/**
 * Chooses the converter by the first piece of a file. The converter is called with every piece and
 * at last with an empty one. @throws InputError `INPUT_UNREADABLE` for binary data. @internal
 */
export function toUtf8(
  first: Buffer,
  file: { readonly name: string; readonly repairs: RepairLog },
): (bytes: Buffer) => Buffer {
  const utf16 = utf16Order(first);
  if (utf16 !== undefined) {
    file.repairs.add(
      "bad-encoding",
      `the text is UTF-16 (${utf16 === "le" ? "little" : "big"} endian); converted`,
    );
    return utf16Converter(utf16);
  }
  const sample = first.subarray(0, FORMATS_DEFAULTS.sampleBytes);
  if (isBinary(sample)) {
    throw new InputError("INPUT_UNREADABLE", {
      message: `${file.name} is binary data, not text.`,
      hint: "Give the session as JSON or JSON Lines, plain or gzip-compressed. Unpack other archives first.",
    });
  }
  return withoutMark();
}

function utf16Order(bytes: Buffer): "le" | "be" | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "be";
  const sample = bytes.subarray(0, FORMATS_DEFAULTS.sampleBytes);
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

function utf16Converter(order: "le" | "be"): (bytes: Buffer) => Buffer {
  const decoder = new TextDecoder(order === "le" ? "utf-16le" : "utf-16be");
  return (bytes) => Buffer.from(decoder.decode(bytes, { stream: bytes.length > 0 }), "utf8");
}

/** Passes UTF-8 through, without the byte order mark at its start. */
function withoutMark(): (bytes: Buffer) => Buffer {
  let isStart = true;
  return (bytes) => {
    const hasMark = isStart && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    isStart = false;
    return hasMark ? bytes.subarray(3) : bytes;
  };
}

function isBinary(sample: Buffer): boolean {
  const { signatureBytes, binaryShare, zeroShare } = FORMATS_DEFAULTS;
  if (sample.subarray(0, signatureBytes).includes(0)) return true;
  let zeros = 0;
  let controls = 0;
  for (const byte of sample) {
    if (byte === 0) zeros++;
    else if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) controls++;
  }
  const isMostlyZeros = zeros > sample.length * zeroShare && !hasReadableStart(sample);
  return isMostlyZeros || controls > (sample.length - zeros) * binaryShare;
}

/** Whether the first line begins like JSON and is one: what comes after it may be damaged, but is no other format. */
function hasReadableStart(sample: Buffer): boolean {
  const end = sample.indexOf(0x0a);
  const first = sample.subarray(0, Math.max(0, end)).toString("utf8");
  return parseJson(first).ok;
}
