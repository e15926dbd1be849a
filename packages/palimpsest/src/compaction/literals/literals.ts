/**
 * Literals of a text: the strings that cannot be retold in other words.
 *
 * Identifiers, paths, urls, hashes, numbers and quoted literals are what an agent needs letter by
 * letter after a compaction, and what a retelling loses or invents. The extractor scans once, unit
 * by unit, and is script-aware: a name may be Cyrillic, a quote Japanese; running Chinese text
 * holds no identifiers.
 */
import type { Steps } from "../../base/steps.ts";
import { CLASS_DENSE, CLASS_LOWER, CLASS_OTHER, CLASS_UPPER, charClass } from "../../base/text/char-class.ts";
import {
  isAlternative,
  isDefinitionLine,
  isFlag,
  isIdentifier,
  kindOfName,
  kindOfPiece,
  type LiteralKind,
  looksLikeFile,
  MAX_CHARACTERS,
  MIN_CHARACTERS,
} from "./literal-shape.ts";
import { opensQuote, QuoteScanner } from "./quote-scanner.ts";

export type { LiteralKind } from "./literal-shape.ts";

/**
 * Called for each literal, in order; the same string may come several times. `from`: a place shortly before the literal,
 * where its run or its quote begins.
 */
type LiteralVisitor = (text: string, kind: LiteralKind, isOnDefinitionLine: boolean, from: number) => void;
/** The same within one run, whose place is known. */
type RunVisitor = (text: string, kind: LiteralKind, isOnDefinitionLine: boolean) => void;

/** A run longer than this is encoded data, not a path or a name. */
const MAX_RUN_CHARACTERS = 400;

/** Units that join words into one run: paths, urls, dotted names, versions, flags. */
const JOINERS = new Set([..."/.-:@~+#%&=?"].map((character) => character.charCodeAt(0)));
const BACKSLASH = 92;

/**
 * Visits every literal of `text`, or of its lines that begin in a stretch of it. Linear in its length. Returns where the
 * next line begins.
 */
export function visitLiterals(text: string, visit: LiteralVisitor, from = 0, to = text.length): number {
  let lineStart = from;
  while (lineStart <= to) {
    const newline = text.indexOf("\n", lineStart);
    const lineEnd = newline === -1 ? text.length : newline;
    scanLine(text, lineStart, lineEnd, visit);
    lineStart = lineEnd + 1;
  }
  return lineStart;
}

/** The distinct literals of `text`, in order of first appearance. */
export function findLiterals(text: string): readonly string[] {
  const found = new Set<string>();
  visitLiterals(text, (literal) => found.add(literal));
  return [...found];
}

/** The same in steps, as a set. @internal */
export function* literalsOfText(text: string): Steps<ReadonlySet<string>> {
  const found = new Set<string>();
  yield* visitInSteps(text, (literal) => found.add(literal));
  return found;
}

/** Characters of one step: about a millisecond. */
const STEP_CHARACTERS = 24_000;

/** Visits every literal of a text in steps. @internal */
export function* visitInSteps(text: string, visit: LiteralVisitor): Steps {
  for (let at = 0; at <= text.length; ) {
    at = visitLiterals(text, visit, at, Math.min(text.length, at + STEP_CHARACTERS));
    if (at <= text.length) yield;
  }
}

function scanLine(text: string, start: number, end: number, visit: LiteralVisitor): void {
  const isDefinition = isDefinitionLine(text, start, end);
  let from = start;
  const visitHere: RunVisitor = (literal, kind) => visit(literal, kind, isDefinition, from);
  const line: ScannedLine = { text, end, isDefinition };
  const quotes = new QuoteScanner(text, start, end);
  let index = start;
  while (index < end) {
    const code = text.charCodeAt(index);
    if (code <= 32) index++;
    else if (code === BACKSLASH && isLineEscape(text.charCodeAt(index + 1))) index += 2;
    else if (isRunUnit(code)) {
      from = index;
      index = scanRun(line, index, visitHere);
    } else if (!opensQuote(code)) index++;
    else {
      const close = quotes.findLiteralEnd(index, code);
      if (close !== -1 && !isPlainKey(text, index + 1, close))
        visit(text.slice(index + 1, close), "quoted", isDefinition, index + 1);
      index++;
    }
  }
}

interface ScannedLine {
  readonly text: string;
  readonly end: number;
  readonly isDefinition: boolean;
}

/** Visits the run at `start`; returns its end. Most runs are words of prose, which are passed by at once. */
function scanRun({ text, end, isDefinition }: ScannedLine, start: number, visit: RunVisitor): number {
  const wordEnd = findWordEnd(text, start, end);
  if (wordEnd > start && (wordEnd === end || !isRunUnit(text.charCodeAt(wordEnd)))) return wordEnd;
  const runEnd = findRunEnd(text, start, end);
  const isWord = wordEnd > start && wordEnd === runEnd - 1 && isTrimmed(text.charCodeAt(wordEnd), false);
  if (runEnd - start <= MAX_RUN_CHARACTERS && !isWord) visitRun(text, start, runEnd, isDefinition, visit);
  return runEnd;
}

/** End of a word of prose, small letters behind a first one; `start` where none begins. */
function findWordEnd(text: string, start: number, end: number): number {
  const first = charClass(text.charCodeAt(start));
  if (first !== CLASS_LOWER && first !== CLASS_UPPER) return start;
  let index = start + 1;
  while (index < end && charClass(text.charCodeAt(index)) === CLASS_LOWER) index++;
  return index;
}

/** A word of prose, as most are, with its full stop. */
function isPlainWord(text: string, start: number, end: number): boolean {
  const wordEnd = findWordEnd(text, start, end);
  if (wordEnd === start) return false;
  return wordEnd === end || (wordEnd === end - 1 && isTrimmed(text.charCodeAt(wordEnd), false));
}

/** `"status":`, a plain word that names a member: its schema contains it, so it need not be remembered. */
function isPlainKey(text: string, start: number, end: number): boolean {
  let next = end + 1;
  while (next < text.length && text.charCodeAt(next) === 32) next++;
  return text.charCodeAt(next) === 58 && isPlainWord(text, start, end);
}

/** `\n`, `\r` or `\t` written out, as in JSON: its letter is not part of the next word. */
const isLineEscape = (code: number): boolean => code === 110 || code === 114 || code === 116;

const ASCII_RUN = Uint8Array.from({ length: 128 }, (_, code) =>
  charClass(code) !== CLASS_OTHER || JOINERS.has(code) || code === BACKSLASH ? 1 : 0,
);

function isRunUnit(code: number): boolean {
  if (code < 128) return ASCII_RUN[code] === 1;
  const kind = charClass(code);
  return kind !== CLASS_OTHER && kind !== CLASS_DENSE;
}

/** End of a run. An escape such as `\n` in JSON ends it, a Windows path's backslash does not. */
function findRunEnd(text: string, start: number, end: number): number {
  let index = start;
  while (index < end && isRunUnit(text.charCodeAt(index))) {
    if (text.charCodeAt(index) === BACKSLASH && !isDrive(text, index, start))
      return Math.max(index, start + 1);
    index++;
  }
  return index;
}

const isDrive = (text: string, index: number, start: number): boolean =>
  index - start >= 2 && text.charCodeAt(start + 1) === 58;

function visitRun(text: string, start: number, end: number, isDefinition: boolean, visit: RunVisitor): void {
  let from = start;
  let to = end;
  while (from < to && isTrimmed(text.charCodeAt(from), true)) from++;
  while (to > from && isTrimmed(text.charCodeAt(to - 1), false)) to--;
  if (to - from < MIN_CHARACTERS) return;

  const run = text.slice(from, to);
  const equals = run.indexOf("=");
  if (run.includes("://")) visitUrl(run, isDefinition, visit);
  else if (isWindowsPath(run)) emit(run, "path", isDefinition, visit);
  else if (equals > 0) {
    visitRun(run, 0, equals, isDefinition, visit);
    visitRun(run, equals + 1, run.length, isDefinition, visit);
  } else if (run.includes("/")) visitPath(run, isDefinition, visit);
  else visitName(run, isDefinition, visit);
}

/** Punctuation around a run. A leading `/`, `.`, `~`, `@`, `-` or `#` may belong to it. */
function isTrimmed(code: number, isLeading: boolean): boolean {
  if (code === 58 || code === 61 || code === 38 || code === 63 || code === 43 || code === 37) return true;
  if (isLeading) return code === BACKSLASH;
  return code === 46 || code === 45 || code === 35 || code === 64 || code === 126 || code === BACKSLASH;
}

function visitUrl(run: string, isDefinition: boolean, visit: RunVisitor): void {
  const start = run.search(/[a-z][a-z0-9+.-]*:\/\//i);
  emit(start === -1 ? run : run.slice(start), "url", isDefinition, visit);
}

const isWindowsPath = (run: string): boolean =>
  run.length > 3 && run.charCodeAt(1) === 58 && run.charCodeAt(2) === BACKSLASH;

function visitPath(run: string, isDefinition: boolean, visit: RunVisitor): void {
  // A place in a file (`a/b.ts:12`), a Git range or a label: the path is what stands before.
  const colon = run.indexOf(":");
  const path = withoutMarks(colon === -1 ? run : run.slice(0, colon), PATH_MARKS);
  if (colon !== -1 && colon < run.length - 1) visitRun(run, colon + 1, run.length, isDefinition, visit);
  if (path.length < MIN_CHARACTERS || !/[\p{L}\p{N}]/u.test(path)) return;
  if (path.includes("/")) {
    const segments = path.split("/");
    const last = segments.at(-1)!;
    if (isAlternative(segments)) for (const segment of segments) visitName(segment, isDefinition, visit);
    else emit(path, "path", isDefinition, visit);
    if (looksLikeFile(last)) emit(last, "path", isDefinition, visit);
  } else visitName(path, isDefinition, visit);
}

/** A run without slashes: a flag, a file, a version or date, a hash, an identifier, or several of them. */
function visitName(name: string, isDefinition: boolean, visit: RunVisitor): void {
  if (name.length < MIN_CHARACTERS) return;
  if (isFlag(name)) {
    emit(name, "identifier", isDefinition, visit);
    return;
  }
  const trimmed = withoutMarks(name, NAME_MARKS);
  const kind = kindOfName(trimmed);
  if (kind !== undefined) emit(name.startsWith("#") ? name : trimmed, kind, isDefinition, visit);
  if (kind === "number" || kind === "hash") return;
  if (!PIECE_MARKS.test(trimmed)) return;
  for (const piece of trimmed.split(PIECE_MARKS))
    if (piece !== trimmed && isIdentifier(piece)) emit(piece, kindOfPiece(piece), isDefinition, visit);
}

const PIECE_MARKS = /[.:#%&?@~+-]+/;
/** Characters that may precede a path (a list's dash, a heading) or a name. */
const PATH_MARKS = "-#";
const NAME_MARKS = "-~#@.";

function withoutMarks(text: string, marks: string): string {
  let from = 0;
  while (from < text.length && marks.includes(text[from]!)) from++;
  return from === 0 ? text : text.slice(from);
}

function emit(text: string, kind: LiteralKind, isDefinition: boolean, visit: RunVisitor): void {
  if (text.length >= MIN_CHARACTERS && text.length <= MAX_CHARACTERS) visit(text, kind, isDefinition);
}
