/**
 * Quoted literals of one line.
 *
 * No stretch is searched twice for the same closing mark, so a line of a million open quotes costs as much
 * as a line of a million letters.
 */
import { CLASS_DIGIT, CLASS_OTHER, CLASS_UNDERSCORE, charClass } from "../../base/text/char-class.ts";

// Quoted literals of one line. No stretch is searched twice for the same closing mark, so a line of a
// million open quotes costs as much as a line of a million letters.

const QUOTED_MIN = 4;
const QUOTED_MAX = 80;
const APOSTROPHE = 39;

const CLOSING: ReadonlyMap<number, number> = new Map(
  [`""`, "''", "``", "“”", "„“", "«»", "「」", "『』", "《》"].map((pair) => [
    pair.charCodeAt(0),
    pair.charCodeAt(1),
  ]),
);

/** True if a quote may open with this unit. */
export const opensQuote = (code: number): boolean =>
  code < 128 ? code === 34 || code === APOSTROPHE || code === 96 : CLOSING.has(code);

export class QuoteScanner {
  readonly #text: string;
  readonly #start: number;
  readonly #end: number;
  /** Behind the last quoted literal, so that its closing mark does not open the next one. */
  #quotedTo = 0;
  /** Per closing mark, up to where there is none. */
  #clearTo: Map<number, number> | undefined;

  constructor(text: string, start: number, end: number) {
    this.#text = text;
    this.#start = start;
    this.#end = end;
  }

  /** Returns the end of the literal that a quote at `index` opens; -1 if it opens none. Call with growing indexes. */
  findLiteralEnd(index: number, code: number): number {
    const closing = CLOSING.get(code);
    if (closing === undefined || index < this.#quotedTo || this.#isApostrophe(index, code)) return -1;
    const close = this.#findClose(index + 1, closing);
    if (close === -1) return -1;
    this.#quotedTo = close + 1;
    return isQuotedLiteral(this.#text, index + 1, close) ? close : -1;
  }

  /** `don't`: a mark inside a word opens nothing. */
  #isApostrophe(index: number, code: number): boolean {
    if (code !== APOSTROPHE || index <= this.#start) return false;
    return charClass(this.#text.charCodeAt(index - 1)) !== CLASS_OTHER;
  }

  #findClose(from: number, closing: number): number {
    const clearTo = this.#clearTo?.get(closing) ?? 0;
    const to = Math.min(this.#end, from + QUOTED_MAX + 1);
    for (let index = Math.max(from, clearTo); index < to; index++)
      if (this.#text.charCodeAt(index) === closing) return index;
    this.#clearTo ??= new Map();
    this.#clearTo.set(closing, to);
    return -1;
  }
}

/** Most of it letters, of any script, and no blank at its ends. */
function isQuotedLiteral(text: string, start: number, end: number): boolean {
  const length = end - start;
  if (length < QUOTED_MIN || length > QUOTED_MAX) return false;
  if (text.charCodeAt(start) <= 32 || text.charCodeAt(end - 1) <= 32) return false;
  let letters = 0;
  for (let index = start; index < end; index++) {
    const kind = charClass(text.charCodeAt(index));
    if (kind !== CLASS_OTHER && kind !== CLASS_DIGIT && kind !== CLASS_UNDERSCORE) letters++;
  }
  return letters * 2 >= length;
}
