/**
 * Shapes of literals: tells whether a word is a name, a number, a hash or a file, or just prose; finds
 * definition lines and quoted literals.
 *
 * Only short words come here (`literals.ts` has cut them out of the text), so the patterns are safe.
 */
import {
  CLASS_DENSE,
  CLASS_DIGIT,
  CLASS_LETTER,
  CLASS_LOWER,
  CLASS_OTHER,
  CLASS_UNDERSCORE,
  CLASS_UPPER,
  charClass,
} from "../../base/text/char-class.ts";

export type LiteralKind = "identifier" | "path" | "url" | "hash" | "number" | "quoted";

/** Shorter strings are found everywhere, longer ones are not names. */
export const MIN_CHARACTERS = 3;
export const MAX_CHARACTERS = 120;
/** Shorter numbers name nothing. Source: where-the-numbers-come-from.md, "String appendix". */
const MIN_DIGITS = 4;

const HYPHEN = 45;

/** An option of a command: `--no-verify`. */
export const isFlag = (name: string): boolean =>
  name.charCodeAt(0) === HYPHEN && /^--?[a-z][\w-]{2,}$/i.test(name);

/** `and/or`, `true/false`, `10/12`: words beside each other, not a path. */
export function isAlternative(segments: readonly string[]): boolean {
  return segments.length === 2 && segments.every((segment) => /^\p{L}{1,8}$|^\d{1,4}$/u.test(segment));
}

const FILE_NAME = /^[\p{L}\p{N}_.@+-]*[\p{L}\p{N}_@-]\.(?=[a-z0-9]*[a-z])[a-z0-9]{1,8}$/iu;

export const looksLikeFile = (name: string): boolean =>
  name.length <= MAX_CHARACTERS && name.includes(".") && FILE_NAME.test(name);

/** The kind of a part of a longer name. */
export const kindOfPiece = (piece: string): LiteralKind =>
  isHash(piece) ? "hash" : /^\d+$/.test(piece) ? "number" : "identifier";

/** The kind of a name; `undefined` for prose. Most names lack the character that a pattern begins with, so it is checked first. */
export function kindOfName(name: string): LiteralKind | undefined {
  if (isHash(name)) return "hash";
  if (isNumber(name)) return "number";
  if (isIdentifier(name)) return "identifier";
  if (name.includes("@") && /^[^@\s]+@[^@\s]+\.[a-z]{2,}$/i.test(name)) return "identifier";
  if (looksLikeFile(name)) return "path";
  return undefined;
}

/** Commit ids, digests, UUIDs: hexadecimal with both digits and letters. */
function isHash(name: string): boolean {
  if (name.length < 7 || !isHexDigit(name.charCodeAt(0)) || !isHexDigit(name.charCodeAt(1))) return false;
  return (
    (/^[0-9a-f]{7,64}$/i.test(name) && /\d/.test(name) && /[a-f]/i.test(name)) ||
    /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(name)
  );
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isHexDigit = (code: number): boolean =>
  isDigit(code) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);

/** Long numbers, versions, dates, amounts, addresses. */
function isNumber(name: string): boolean {
  const isMarked = name.charCodeAt(0) === 118;
  if (!isDigit(name.charCodeAt(isMarked ? 1 : 0)) || !/^v?\d[\d.,:-]*$/.test(name)) return false;
  const digits = name.replace(/\D/g, "").length;
  return digits >= MIN_DIGITS || /^v?\d+\.\d+\.\d+/.test(name);
}

/**
 * A word that no prose would hold: inner capitals, underscores, digits among letters, all capitals.
 * It is one pass over the classes, because most words of a text are asked.
 */
export function isIdentifier(word: string): boolean {
  if (word.length < MIN_CHARACTERS || word.length > MAX_CHARACTERS) return false;
  let uppers = 0;
  let letters = 0;
  let digits = 0;
  let hasHump = false;
  let hasUnderscore = false;
  let previous = CLASS_OTHER;
  for (let index = 0; index < word.length; index++) {
    const kind = charClass(word.charCodeAt(index));
    if (kind === CLASS_OTHER || kind === CLASS_DENSE) return false;
    if (kind === CLASS_UNDERSCORE) hasUnderscore ||= index > 0;
    else if (kind === CLASS_DIGIT) digits++;
    else letters++;
    if (kind === CLASS_UPPER) {
      uppers++;
      if (previous === CLASS_LOWER || previous === CLASS_LETTER) hasHump = true;
    } else if (kind === CLASS_LOWER && uppers >= 2 && uppers === letters - 1 && index < word.length - 1)
      hasHump = true;
    previous = kind;
  }
  if (letters === 0) return digits >= MIN_DIGITS && !hasUnderscore;
  return hasHump || hasUnderscore || (digits > 0 && word.length > 3) || (uppers === letters && uppers >= 5);
}

// Definition lines: names on a line that defines them are needed again far more often than names that are
// merely used (7 % against 5 % and less; where-the-numbers-come-from.md, "String appendix").

const KEYWORDS: ReadonlySet<string> = new Set([
  "abstract",
  "async",
  "class",
  "const",
  "constexpr",
  "def",
  "enum",
  "export",
  "extern",
  "final",
  "fn",
  "func",
  "function",
  "impl",
  "interface",
  "internal",
  "let",
  "macro",
  "mod",
  "module",
  "namespace",
  "object",
  "override",
  "package",
  "private",
  "protected",
  "protocol",
  "pub",
  "public",
  "record",
  "sealed",
  "static",
  "struct",
  "sub",
  "table",
  "trait",
  "type",
  "typedef",
  "union",
  "val",
  "var",
]);

/** The stretch of a line in which its first word may begin: line numbers and diff marks may precede it. */
const PREFIX_CHARACTERS = 200;

/** Judges `text` from `start` to `end`, one line. */
export function isDefinitionLine(text: string, start: number, end: number): boolean {
  const wordStart = skipPrefix(text, start, Math.min(end, start + PREFIX_CHARACTERS));
  if (charClass(text.charCodeAt(wordStart)) !== CLASS_LOWER) return false;
  return KEYWORDS.has(firstWord(text, wordStart, end));
}

/** Behind indentation and what tools put before a line: `12→`, `12:`, `+`, `-`. */
function skipPrefix(text: string, start: number, end: number): number {
  let index = start;
  while (index < end) {
    const code = text.charCodeAt(index);
    const isDigit = code >= 48 && code <= 57;
    const isMark = code === 32 || code === 9 || code === 0x2192 || code === 58 || code === 43 || code === 45;
    if (!isDigit && !isMark && code !== 124) break;
    index++;
  }
  return index;
}

function firstWord(text: string, start: number, end: number): string {
  let index = start;
  const limit = Math.min(end, start + 12);
  while (index < limit && charClass(text.charCodeAt(index)) !== CLASS_OTHER) index++;
  return text.slice(start, index);
}
