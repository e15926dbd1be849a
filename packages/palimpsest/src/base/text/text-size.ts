/**
 * Sizes of text other than tokens: bytes, which stores and requests are limited in, and the
 * longest line, which tools that read by line choke on.
 */

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
