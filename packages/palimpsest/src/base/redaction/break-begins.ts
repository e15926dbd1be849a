/**
 * Places of a text where a line or a word may be broken, by two characters each: the patterns of breaks, which look further,
 * are tried only there. A text is mostly letters and single blanks, at which no break begins.
 */
import { UNSEEN } from "./unseen-marks.ts";

const UNSEEN_CHARACTER = new RegExp(`[${UNSEEN}]`);

/** By code of the first character: how a break may go on behind it. */
const [NOTHING, ANYTHING, BLANK, QUOTE, BACKSLASH] = [0, 1, 2, 3, 4];
const BEGINS = Uint8Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code);
  if (letter === " " || letter === "\t") return BLANK;
  if (letter === "\\") return BACKSLASH;
  if (/["'`]/.test(letter)) return QUOTE;
  return /[\r\n]/.test(letter) || UNSEEN_CHARACTER.test(letter) ? ANYTHING : NOTHING;
});
const FOLLOWS = [
  /./,
  /./,
  // Blanks before the end of a line, which may be written with backslashes.
  /[ \t\\\r\n]/,
  // A string that ends, and goes on in the next line.
  /[ \t+.\\\r\n]/,
  // Backslashes before a quote, ends of lines as JSON writes them, and marks that are written out.
  /[\\"'`\r\nrnuxbe0]/,
].map((next) =>
  Uint8Array.from({ length: 128 }, (_, code) => (next.test(String.fromCharCode(code)) ? 1 : 0)),
);

/** The next place where a break may begin; the length of the text if there is none. */
export function mayBreak(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) {
      if (isUnseen(code)) return at;
      continue;
    }
    const begins = BEGINS[code]!;
    if (begins === NOTHING) continue;
    if (begins === ANYTHING) return at;
    const next = at + 1 < text.length ? text.charCodeAt(at + 1) : 128;
    if (next < 128 && FOLLOWS[begins]![next] === 1) return at;
  }
  return text.length;
}

/** By code: 0 not looked at yet, 1 seen, 2 unseen. A pattern for each letter of a script would be slow. */
const SEEN = new Uint8Array(1 << 16);

function isUnseen(code: number): boolean {
  if (SEEN[code] === 0) SEEN[code] = UNSEEN_CHARACTER.test(String.fromCharCode(code)) ? 2 : 1;
  return SEEN[code] === 2;
}
