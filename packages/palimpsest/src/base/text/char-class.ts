/**
 * Classifies UTF-16 code units (letter, digit, capital …) for scanners of text.
 *
 * Scanners read a text once, unit by unit, instead of running a regular expression over it. So their time is linear,
 * whatever the input is.
 */

export const CLASS_OTHER = 0;
export const CLASS_LOWER = 1;
export const CLASS_UPPER = 2;
export const CLASS_DIGIT = 3;
/** `_` and `$`: part of identifiers. */
export const CLASS_UNDERSCORE = 4;
/** Letters of other scripts that separate words by blanks; their case is not told apart. */
export const CLASS_LETTER = 5;
/** Characters of scripts that do not separate words by blanks: Han, Kana, Thai …; Hangul is treated alike. */
export const CLASS_DENSE = 6;

const ASCII = new Uint8Array(128);
for (let code = 48; code <= 57; code++) ASCII[code] = CLASS_DIGIT;
for (let code = 65; code <= 90; code++) ASCII[code] = CLASS_UPPER;
for (let code = 97; code <= 122; code++) ASCII[code] = CLASS_LOWER;
ASCII[95] = CLASS_UNDERSCORE;
ASCII[36] = CLASS_UNDERSCORE;

/** Returns the class of a UTF-16 code unit, one of the `CLASS_…` constants. */
export function charClass(code: number): number {
  if (code < 128) return ASCII[code]!;
  if (code < 0xc0) return code === 0xaa || code === 0xb5 || code === 0xba ? CLASS_LETTER : CLASS_OTHER;
  if (code === 0xd7 || code === 0xf7) return CLASS_OTHER;
  if (isUpper(code)) return CLASS_UPPER;
  if (isLower(code)) return CLASS_LOWER;
  if (code < 0x0e00) return CLASS_LETTER;
  // Thai, Lao; Myanmar, Khmer: no blanks between words.
  if (code < 0x0f00 || (code >= 0x1000 && code < 0x10a0) || (code >= 0x1780 && code < 0x1800))
    return CLASS_DENSE;
  if (code < 0x2000) return CLASS_LETTER;
  if (code < 0x2c00) return CLASS_OTHER;
  if (code < 0x2e00) return CLASS_LETTER;
  if (code < 0x3005) return CLASS_OTHER;
  if (code === 0x30fb || (code >= 0x3008 && code <= 0x3020)) return CLASS_OTHER;
  if (code < 0xd7b0) return CLASS_DENSE;
  if (code < 0xe000) return CLASS_OTHER;
  if (code >= 0xf900 && code < 0xfb00) return CLASS_DENSE;
  if (code >= 0xff66 && code < 0xffdd) return CLASS_DENSE;
  return CLASS_OTHER;
}

/** Capitals of Latin-1, Greek and Cyrillic, the scripts in which camelCase names occur. */
const isUpper = (code: number): boolean =>
  (code >= 0xc0 && code <= 0xde) || (code >= 0x391 && code <= 0x3a9) || (code >= 0x400 && code <= 0x42f);
const isLower = (code: number): boolean =>
  (code >= 0xdf && code <= 0xff) || (code >= 0x3b1 && code <= 0x3c9) || (code >= 0x430 && code <= 0x45f);
