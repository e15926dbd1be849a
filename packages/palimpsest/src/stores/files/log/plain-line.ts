/**
 * Writes entries with a single text directly as bytes. A JSON string first would be concatenated, flattened, measured
 * and copied, which is half the cost of an append.
 *
 * Long texts and rare characters are left to `JSON.stringify`, so this file need not know all of JSON.
 */
import { isWellFormed } from "../../../base/text/text.ts";
import type { Entry } from "../../../transcript/entries.ts";
import { BEHIND_TEXT, findPlainEntry } from "../../../transcript/entry-line.ts";

/** Longest text written here, in characters; a longer one costs far more on the disk. */
const TEXT_LIMIT_CHARS = 16_384;
/** Most bytes of one character, raw or escaped. */
const CHARACTER_BYTES = 3;
const BACKSLASH = 0x5c;
/** The character after the backslash by byte; 0 for a byte without an escape. */
const ESCAPES = new Uint8Array(256);
/** Control characters that have no short escape. */
const RARE = 0xff;
ESCAPES.fill(RARE, 0, 0x20);
for (const [byte, letter] of ['""', "\\\\", "\nn", "\rr", "\tt"].map((pair) => Buffer.from(pair, "latin1")))
  ESCAPES[byte!] = letter!;

const RAW_TEXT = Buffer.allocUnsafeSlow(CHARACTER_BYTES * TEXT_LIMIT_CHARS);
/** Also has room for the fields around the text. */
const LINE = Buffer.allocUnsafeSlow((CHARACTER_BYTES + 1) * TEXT_LIMIT_CHARS);
/** Both, four bytes at a time. */
const RAW_WORDS = new DataView(RAW_TEXT.buffer, RAW_TEXT.byteOffset, RAW_TEXT.byteLength);
const LINE_WORDS = new DataView(LINE.buffer, LINE.byteOffset, LINE.byteLength);
const WORD_BYTES = 4;

/**
 * Formats the entry's JSON with free bytes before and after it; returns `undefined` if the entry is not plain. The bytes
 * are valid until the next entry is formatted; copy them to keep them.
 */
export function formatPlainEntry(
  entry: Entry,
  free: { readonly before: number; readonly behind: number },
): Buffer | undefined {
  const plain = findPlainEntry(entry);
  if (plain === undefined) return undefined;
  const { before, text } = plain;
  const aroundBytes = free.before + before.length + BEHIND_TEXT.length + free.behind;
  if (text.length > TEXT_LIMIT_CHARS || aroundBytes > TEXT_LIMIT_CHARS) return undefined;

  const textStart = free.before + LINE.write(before, free.before, "latin1");
  const textEnd = writeText(text, textStart);
  if (textEnd === undefined) return undefined;
  const end = textEnd + LINE.write(BEHIND_TEXT, textEnd, "latin1");
  return LINE.subarray(0, end + free.behind);
}

/** Writes the JSON between the quotes; returns its end. */
function writeText(text: string, start: number): number | undefined {
  const length = RAW_TEXT.write(text, 0, "utf8");
  // Half a surrogate pair is an escape in JSON and has no UTF-8 bytes.
  if (length !== text.length && !isWellFormed(text)) return undefined;
  const lastWord = length - WORD_BYTES;
  let at = start;
  for (let index = 0; index < length; ) {
    while (index <= lastWord) {
      const word = RAW_WORDS.getInt32(index, true);
      if (mayHoldEscape(word)) break;
      LINE_WORDS.setInt32(at, word, true);
      at += WORD_BYTES;
      index += WORD_BYTES;
    }
    for (const end = Math.min(length, index + WORD_BYTES); index < end; index++) {
      const byte = RAW_TEXT[index]!;
      const letter = ESCAPES[byte]!;
      if (letter === RARE) return undefined;
      if (letter !== 0) LINE[at++] = BACKSLASH;
      LINE[at++] = letter === 0 ? byte : letter;
    }
  }
  return at;
}

/**
 * True if one of the four bytes may be a control character, a quote or a backslash: in ASCII only these, and bytes after
 * them, set the highest bit of a byte. Source: "Determine if a word has a zero byte", S. E. Anderson, Bit
 * Twiddling Hacks.
 */
function mayHoldEscape(word: number): boolean {
  const quotes = word ^ 0x22222222;
  const backslashes = word ^ 0x5c5c5c5c;
  return (((word - 0x20202020) | (quotes - 0x01010101) | (backslashes - 0x01010101)) & 0x80808080) !== 0;
}
