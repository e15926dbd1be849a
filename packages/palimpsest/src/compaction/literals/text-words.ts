/**
 * The words of a text and their hashes, the same for a log and for a literal that is looked for in it: where they begin
 * and end, what is between two of them, and which other names a word may be read as.
 */
import {
  CLASS_DENSE,
  CLASS_DIGIT,
  CLASS_LOWER,
  CLASS_OTHER,
  CLASS_UPPER,
  charClass,
} from "../../base/text/char-class.ts";

/** Longer words are names that people shorten, such as commit ids: their beginnings are known, too. */
const SHORTENED_CHARACTERS = 20;
const LONGEST_NAME = 80;
/** Digits at the end of a name that are a number by themselves. */
const LONG_NUMBER = 6;
const BEGINNINGS = [6, 7, 8, 9, 10, 11, 12] as const;

/**
 * Visits the words of a text in order: letters, digits and `_`, or one character of a script without blanks. Linear in
 * its length. Of a stretch, those that begin in it; returns where to go on.
 */
export function visitTextWords(
  text: string,
  visit: (start: number, end: number, isDense: boolean) => void,
  from = 0,
  to = text.length,
): number {
  let index = from;
  while (index < to) {
    const kind = charClass(text.charCodeAt(index));
    const start = index++;
    if (kind === CLASS_DENSE) visit(start, index, true);
    else if (kind !== CLASS_OTHER) {
      index = findWordEnd(text, index);
      visit(start, index, false);
    } else if (text.charCodeAt(start) === ESCAPE) index = skipColour(text, index);
  }
  return index;
}

function findWordEnd(text: string, from: number): number {
  let index = from;
  for (; index < text.length; index++) {
    const kind = charClass(text.charCodeAt(index));
    if (kind === CLASS_DENSE || (kind === CLASS_OTHER && !isInnerApostrophe(text, index))) return index;
  }
  return index;
}

/** The apostrophe of `don't`, which people leave out; not the one of `b'text'`. */
function isInnerApostrophe(text: string, index: number): boolean {
  if (!isApostrophe(text.charCodeAt(index)) || !isLetter(text, index - 1) || !isLetter(text, index + 1))
    return false;
  const next = isLetter(text, index + 2) ? index + 3 : index + 2;
  return next >= text.length || charClass(text.charCodeAt(next)) === CLASS_OTHER;
}

const isApostrophe = (code: number): boolean => code === 39 || code === 0x2019;
const isLetter = (text: string, index: number): boolean => /\p{L}/u.test(text.charAt(index));

/** Behind a sequence that sets a colour in a terminal. */
function skipColour(text: string, from: number): number {
  if (text[from] !== "[") return from;
  let index = from + 1;
  while (index < from + 20 && /[\d;?]/.test(text.charAt(index))) index++;
  return index + 1;
}

/**
 * The hash of a word. `Parser`, `PARSER` and `parser` are one word, because sentences and headings write capitals;
 * `parseLine` and `parseline` are two. Apostrophes do not count, nor the `_` between digits.
 */
export function hashWord(text: string, start = 0, end: number = text.length): number {
  let exact = FNV_START;
  let lower = FNV_START;
  let uppers = 0;
  let lowers = 0;
  let isNumber = true;
  for (let index = start; index < end; index++) {
    const code = text.charCodeAt(index);
    if (isApostrophe(code)) continue;
    const kind = charClass(code);
    if (kind === CLASS_UPPER) uppers++;
    else if (kind === CLASS_LOWER) lowers++;
    isNumber &&= kind === CLASS_DIGIT || code === UNDERSCORE;
    exact = fnv(exact, code);
    lower = fnv(lower, kind === CLASS_UPPER ? lowerOf(code) : code);
  }
  if (isNumber) return hashDigits(text, start, end);
  const isCapitalised = uppers === 1 && charClass(text.charCodeAt(start)) === CLASS_UPPER;
  return uppers === 0 || lowers === 0 || isCapitalised ? lower : exact;
}

function hashDigits(text: string, start: number, end: number, from = FNV_START): number {
  let hash = from;
  for (let index = start; index < end; index++)
    if (text.charCodeAt(index) !== UNDERSCORE) hash = fnv(hash, text.charCodeAt(index));
  return hash;
}

const FNV_START = 0x811c9dc5 | 0;
const fnv = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193);

/** The small letter of a capital of Latin, Greek or Cyrillic. */
const lowerOf = (code: number): number => (code >= 0x400 && code < 0x410 ? code + 80 : code + 32);

/** `12,345` and `12.345` are known as `12345`, too. */
export class DigitGroups {
  #end = -2;
  #hash = 0;

  /** The hash of all groups up to this one; `undefined` if it is the first. */
  next(text: string, start: number, end: number): number | undefined {
    if (!isDigits(text, start, end)) {
      this.#end = -2;
      return undefined;
    }
    const isNext =
      end - start === 3 && start === this.#end + 1 && isThousandsMark(text.charCodeAt(start - 1));
    const isFirst = !isNext && end - start <= 3;
    this.#hash = hashDigits(text, start, end, isNext ? this.#hash : undefined);
    this.#end = isNext || isFirst ? end : -2;
    return isNext ? this.#hash : undefined;
  }
}

/** Between the parts of a path: a slash of either kind, doubled or with a dot or `@` behind it. */
export function isPathGap(text: string, start: number, end: number): boolean {
  let hasSlash = false;
  if (end - start > 4) return false;
  for (let index = start; index < end; index++) {
    const code = text.charCodeAt(index);
    if (code === SLASH || code === BACKSLASH) hasSlash = true;
    else if (!PATH_SIGNS.has(code)) return false;
  }
  return hasSlash;
}

/** Between the words of a sentence: a blank, with or without punctuation; nothing in scripts without blanks. */
export function isPhraseGap(text: string, start: number, end: number, isDense: boolean): boolean {
  if (start === end) return isDense;
  if (end - start > 4) return false;
  let hasBlank = false;
  for (let index = start; index < end; index++) {
    const code = text.charCodeAt(index);
    if (code === 32 || code === 10) hasBlank = true;
    else if (!SENTENCE_SIGNS.has(code)) return false;
  }
  return hasBlank;
}

const codesOf = (signs: string): ReadonlySet<number> =>
  new Set(Array.from(signs, (sign) => sign.charCodeAt(0)));
const PATH_SIGNS = codesOf(".@~+#:-");
const SENTENCE_SIGNS = codesOf(",.;:!?\"'()*`\\-");

const isThousandsMark = (code: number): boolean =>
  code === 44 || code === 46 || code === 39 || code === 0xa0 || code === 0x2019 || code === 0x202f;

function isDigits(text: string, start: number, end: number): boolean {
  for (let index = start; index < end; index++)
    if (charClass(text.charCodeAt(index)) !== CLASS_DIGIT) return false;
  return true;
}

const SLASH = 47;
const BACKSLASH = 92;
const ESCAPE = 27;
const UNDERSCORE = 95;

/**
 * The word within a word: behind the letter of a written-out `\n`, `\t` or `\u003c`. A Windows path has such a backslash
 * as well, so both readings count.
 */
function findInnerWord(text: string, start: number, end: number): number | undefined {
  if (text.charCodeAt(start - 1) === BACKSLASH) {
    const isUnicode = text[start] === "u" && /^u[0-9a-f]{4}$/i.test(text.slice(start, start + 5));
    const inner = start + (isUnicode ? 5 : "nrtbf".includes(text[start]!) ? 1 : end);
    return inner < end ? inner : undefined;
  }
  return undefined;
}

/** The day and the hour in `2026-01-31T12:30`. */
const isDayAndHour = (text: string, start: number, end: number): boolean =>
  end - start === 5 && text[start + 2] === "T" && /^\d\dT\d\d$/.test(text.slice(start, end));

export const NO_HASHES: readonly number[] = [];

/** The hashes of other names within a word, which may have neighbours as the word has. */
export function hashReadings(text: string, start: number, end: number): readonly number[] {
  const cuts = findCuts(text, start, end);
  const inner = findInnerWord(text, start, end);
  if (cuts.length === 0 && inner === undefined) return NO_HASHES;
  const readings = cuts.flatMap((cut) => {
    const next = charClass(text.charCodeAt(cut)) === CLASS_DIGIT ? cut : cut + 1;
    return [hashWord(text, start, cut), hashWord(text, next, end)];
  });
  return inner === undefined ? readings : [...readings, hashWord(text, inner, end)];
}

/** The hashes of the beginnings of a long name. */
export function hashBeginnings(text: string, start: number, end: number): readonly number[] {
  if (!isShortened(text, start, end)) return NO_HASHES;
  return BEGINNINGS.map((characters) => hashWord(text, start, start + characters));
}

/** The places within a name where a shorter one ends: at each `_`, and before a long number at its end. */
function findCuts(text: string, start: number, end: number): readonly number[] {
  if (end - start > LONGEST_NAME) return NO_HASHES;
  if (isDayAndHour(text, start, end)) return [start + 2];
  let cuts: number[] | undefined;
  for (let at = start + 1; at < end - 1; at++)
    if (text.charCodeAt(at) === UNDERSCORE) {
      cuts ??= [];
      cuts.push(at);
    }
  const digits = findLongNumber(text, start, end);
  return digits === undefined ? (cuts ?? NO_HASHES) : [...(cuts ?? NO_HASHES), digits];
}

function findLongNumber(text: string, start: number, end: number): number | undefined {
  let at = end;
  while (at > start && charClass(text.charCodeAt(at - 1)) === CLASS_DIGIT) at--;
  return end - at >= LONG_NUMBER && at > start ? at : undefined;
}

function isShortened(text: string, start: number, end: number): boolean {
  if (end - start < SHORTENED_CHARACTERS || end - start > LONGEST_NAME) return false;
  for (let index = start; index < end; index++)
    if (charClass(text.charCodeAt(index)) === CLASS_DIGIT) return true;
  return false;
}
