/**
 * Terms by which a text is searched: words in small letters, identifiers and paths whole and in their parts, scripts
 * without blanks as single characters and pairs of them.
 *
 * Two characters at a time find Chinese, Japanese, Korean and Thai words without a dictionary and without
 * depending on one. What a word means, or which others mean the same, is left to who searches.
 */
import {
  CLASS_DENSE,
  CLASS_DIGIT,
  CLASS_LOWER,
  CLASS_OTHER,
  CLASS_UNDERSCORE,
  CLASS_UPPER,
  charClass,
} from "./char-class.ts";

/** Longer words are encoded data; no one searches them by their whole. */
const MAX_TERM_CHARACTERS = 64;
/** Units that tie words into one path or name; the whole is a term, too. */
const TIES = new Set([..."/.-:@"].map((character) => character.charCodeAt(0)));
const MAX_TIED_CHARACTERS = 160;

/** Characters whose terms are visited in one step. Our choice: about a millisecond. */
const VISITED_AT_ONCE = 16_384;

/** Visits every term of `text`, in lower case; linear. The same term comes as often as it occurs. */
export function visitTerms(text: string, visit: (term: string) => void): void {
  for (let index = 0; index < text.length; ) index = visitNext(text, index, visit);
}

/** The same in steps. */
export function* visitTermsInSteps(text: string, visit: (term: string) => void): Generator<void> {
  let stepEnd = VISITED_AT_ONCE;
  for (let index = 0; index < text.length; ) {
    index = visitNext(text, index, visit);
    if (index < stepEnd) continue;
    stepEnd = index + VISITED_AT_ONCE;
    yield;
  }
}

/** Visits the terms that begin at `index`, if any; returns the place behind them. */
function visitNext(text: string, index: number, visit: (term: string) => void): number {
  const kind = charClass(text.charCodeAt(index));
  if (kind === CLASS_DENSE) return visitDense(text, index, visit);
  return kind === CLASS_OTHER ? index + 1 : visitTied(text, index, visit);
}

function visitDense(text: string, start: number, visit: (term: string) => void): number {
  let index = start;
  while (index < text.length && charClass(text.charCodeAt(index)) === CLASS_DENSE) {
    visit(text[index]!);
    if (index > start) visit(text.slice(index - 1, index + 1));
    index++;
  }
  return index;
}

/** A word, or several that are tied together (`src/a-b.ts`): each, and the whole of them. */
function visitTied(text: string, start: number, visit: (term: string) => void): number {
  let end = visitWord(text, start, visit);
  let words = 1;
  while (end + 1 < text.length && TIES.has(text.charCodeAt(end)) && isWordUnit(text.charCodeAt(end + 1))) {
    end = visitWord(text, end + 1, visit);
    words++;
  }
  if (words > 1 && end - start <= MAX_TIED_CHARACTERS) visit(text.slice(start, end).toLowerCase());
  return end;
}

function isWordUnit(code: number): boolean {
  const kind = charClass(code);
  return kind !== CLASS_OTHER && kind !== CLASS_DENSE;
}

function visitWord(text: string, start: number, visit: (term: string) => void): number {
  let end = start;
  let isSmall = true;
  for (; end < text.length; end++) {
    const kind = charClass(text.charCodeAt(end));
    if (kind === CLASS_OTHER || kind === CLASS_DENSE) break;
    if (kind !== CLASS_LOWER) isSmall = false;
  }
  if (end - start > MAX_TERM_CHARACTERS) return end;
  const word = text.slice(start, end);
  visit(isSmall ? word : word.toLowerCase());
  if (!isSmall) visitParts(text, start, end, visit);
  return end;
}

/** Parts of `camelCase`, `snake_case`, `HTTPServer2`, where there is more than one. */
function visitParts(text: string, start: number, end: number, visit: (term: string) => void): void {
  let partStart = start;
  for (let index = start + 1; index <= end; index++) {
    if (index < end && !isPartStart(text, index, end)) continue;
    const isWhole = partStart === start && index === end;
    const from = charClass(text.charCodeAt(partStart)) === CLASS_UNDERSCORE ? partStart + 1 : partStart;
    if (!isWhole && index - from >= 2) visit(text.slice(from, index).toLowerCase());
    partStart = index;
  }
}

function isPartStart(text: string, index: number, end: number): boolean {
  const before = charClass(text.charCodeAt(index - 1));
  const here = charClass(text.charCodeAt(index));
  if (here === CLASS_UNDERSCORE || before === CLASS_UNDERSCORE) return here !== before;
  if ((here === CLASS_DIGIT) !== (before === CLASS_DIGIT)) return true;
  if (here !== CLASS_UPPER) return false;
  return before === CLASS_LOWER || (index + 1 < end && charClass(text.charCodeAt(index + 1)) === CLASS_LOWER);
}
