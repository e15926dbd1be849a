/**
 * Cutting and mending text so that no character is ever split.
 *
 * A lone surrogate makes a provider refuse the request, and every later one that replays it; so
 * all cutting of text in the product goes through here.
 */

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** The first `length` UTF-16 units at the most, one fewer where the cut would split a character. */
export function cutHead(text: string, length: number): string {
  if (text.length <= length) return text;
  if (length <= 0) return "";
  return text.slice(0, isHighSurrogate(text.charCodeAt(length - 1)) ? length - 1 : length);
}

/** The last `length` UTF-16 units at the most, one fewer where the cut would split a character. */
export function cutTail(text: string, length: number): string {
  if (text.length <= length) return text;
  if (length <= 0) return "";
  const start = text.length - length;
  return text.slice(isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start);
}

/** `text` cut to `length` with an ellipsis where something was left out. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${cutHead(text, Math.max(0, length - 1))}…`;
}

/** The first line, without white space at its ends. */
export function firstLine(text: string): string {
  const trimmed = text.trimStart();
  const end = trimmed.indexOf("\n");
  return (end === -1 ? trimmed : trimmed.slice(0, end)).trimEnd();
}

/** True if `text` holds no half of a surrogate pair. */
export function isWellFormed(text: string): boolean {
  // Of the platform: it knows at once of a string without wide characters. The compiler's library does not list it yet.
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

/** `text` with every lone surrogate replaced by U+FFFD; the same string where there is none. */
export function toWellFormed(text: string): string {
  if (isWellFormed(text)) return text;
  return text.replace(/[\uD800-\uDBFF][\uDC00-\uDFFF]|[\uD800-\uDFFF]/g, (found) =>
    found.length === 2 ? found : "\uFFFD",
  );
}

/** Bytes of the text in UTF-8. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x80) continue;
    // Half of a surrogate pair: four bytes for the two of them.
    bytes += code >= 0x800 && (code < 0xd800 || code > 0xdfff) ? 2 : 1;
  }
  return bytes;
}

/** Characters of the longest line. */
export function longestLine(text: string): number {
  let longest = 0;
  let start = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", start)) {
    longest = Math.max(longest, at - start);
    start = at + 1;
  }
  return Math.max(longest, text.length - start);
}

/** The head and the tail of a text, with a mark between them; all of it where it is short enough. */
export function headAndTail(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const half = Math.floor(characters / 2);
  return `${cutHead(text, half)}\n[…]\n${cutTail(text, half)}`;
}
