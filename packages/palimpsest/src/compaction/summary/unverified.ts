/**
 * Marks strings of a summary that occur nowhere in the log: a model that summarizes changes digits, completes paths and
 * invents names.
 *
 * The mark follows the first occurrence of each string, never inside code, where it would be read as code; strings that
 * occur only in fenced code are listed at the end. The next summary is written from a window that shows this one, so
 * marked strings are recognized again. Everything is linear in the text, whatever the text is.
 */
import { type LiteralKind, visitLiterals } from "../literals/literals.ts";

/** Strings that are marked in one summary, at the most. Our choice: more says that the summary is bad, not which string is wrong. */
const MARKS_COUNT = 60;
/** Digits of a number that is checked. */
const LEAST_DIGITS = 4;
const MARK = " [unverified]";
const LIST = "Not found in the log [unverified]: ";
const MORE = " more strings of this summary were not found in the log.";

/** The text with its marks. */
export function markUnverified(
  text: string,
  isInLog: (literal: string, kind: LiteralKind) => boolean,
): string {
  const found = new Map<string, "known" | "unknown" | "marked">();
  let marksCount = 0;
  const mark = (literal: string): boolean => {
    if (found.get(literal) !== "unknown" || marksCount >= MARKS_COUNT) return false;
    found.set(literal, "marked");
    marksCount++;
    return true;
  };
  const lines: string[] = [];
  let isFenced = false;
  for (const line of text.split("\n")) {
    if (/^\s*(?:```|~~~)/.test(line)) isFenced = !isFenced;
    const places = new Set<number>();
    const code = new CodeMarks(line);
    const isList = line.startsWith(LIST);
    visitLiterals(line, (literal, kind, _, from) => {
      if (kind === "quoted" && isBetweenQuotes(line, from)) return;
      if (!found.has(literal))
        found.set(literal, isShort(literal, kind) || isInLog(literal, kind) ? "known" : "unknown");
      if (isFenced || !mark(literal) || isList) return;
      const place = code.placeBehind(literal, from);
      if (!line.startsWith(MARK, place)) places.add(place);
    });
    lines.push(withMarks(line, places));
  }
  const left = [...found.keys()].filter(mark).map((literal) => `\`${literal.replaceAll("`", "'")}\``);
  const over = [...found.values()].filter((state) => state === "unknown").length;
  if (left.length + over > 0 && isFenced) lines.push("```");
  if (left.length > 0) lines.push("", `${LIST}${left.join(", ")}`);
  if (over > 0) lines.push("", `${over}${MORE}`);
  return lines.join("\n");
}

/** Short numbers are counts and places more often than facts to be copied. */
const isShort = (literal: string, kind: LiteralKind): boolean =>
  kind === "number" && literal.replace(/\D/g, "").length < LEAST_DIGITS;

/** True if the quotation mark before a string closes another one: `"one" and "two"` has three pairs of marks. */
const isBetweenQuotes = (line: string, from: number): boolean =>
  /["']/.test(line.charAt(from - 1)) && /[\p{L}\p{N}.,;:!?)]/u.test(line.charAt(from - 2));

function withMarks(line: string, places: ReadonlySet<number>): string {
  if (places.size === 0) return line;
  const cuts = [0, ...[...places].sort((one, other) => one - other), line.length];
  return cuts
    .slice(1)
    .map((cut, index) => line.slice(cuts[index], cut))
    .join(MARK);
}

/**
 * The literals of a marked text that have no mark: what the log was found to hold. None if there were more than could be
 * marked: then a string without a mark says nothing.
 */
export function findVerified(marked: string): ReadonlySet<string> {
  const verified = new Set<string>();
  const unverified = new Set<string>();
  for (const line of marked.split("\n")) {
    if (line.endsWith(MORE)) return new Set();
    const isList = line.startsWith(LIST);
    const hasMarks = line.includes(MARK);
    const code = new CodeMarks(line);
    visitLiterals(line, (literal, _, __, from) => {
      verified.add(literal);
      if (isList || (hasMarks && line.startsWith(MARK, code.placeBehind(literal, from))))
        unverified.add(literal);
    });
  }
  for (const literal of unverified) verified.delete(literal);
  return verified;
}

/** Runs are not longer, nor are quotes. */
const RUN_CHARACTERS = 400;
const NAME_CHARACTERS = 120;

/** The places of marks in one line. Ask with growing `from`: the line is read once. */
class CodeMarks {
  readonly #line: string;
  /** Backticks before `#countedTo`. */
  #ticksCount = 0;
  #countedTo = 0;
  #nextTick = -1;

  constructor(line: string) {
    this.#line = line;
  }

  /** Returns the place behind a string, and behind the code and the quotation marks around it. */
  placeBehind(literal: string, from: number): number {
    const line = this.#line;
    let end = findNameEnd(line, findWhole(line, literal, from) + literal.length);
    if (this.#isInCode(from, end)) end = Math.max(end, this.#findTick(end));
    while (end < line.length && /[`"'*_)\]]/.test(line[end]!)) end++;
    return end;
  }

  #isInCode(from: number, end: number): boolean {
    for (; this.#countedTo < from; this.#countedTo++)
      if (this.#line[this.#countedTo] === "`") this.#ticksCount++;
    return (this.#ticksCount + this.#line.slice(from, end).split("`").length - 1) % 2 === 1;
  }

  /** The next backtick; -1 if there is none. */
  #findTick(from: number): number {
    if (this.#nextTick < from && this.#nextTick !== Number.POSITIVE_INFINITY) {
      const next = this.#line.indexOf("`", from);
      this.#nextTick = next === -1 ? Number.POSITIVE_INFINITY : next;
    }
    return this.#nextTick === Number.POSITIVE_INFINITY ? -1 : this.#nextTick;
  }
}

/** The first place from there on where the string is not a part of a name. */
function findWhole(line: string, literal: string, from: number): number {
  const run = line.slice(Math.max(0, from - 1), from + RUN_CHARACTERS + literal.length);
  const offset = Math.max(0, from - 1);
  for (let at = run.indexOf(literal); at !== -1; at = run.indexOf(literal, at + 1))
    if (!isPartOfName(run[at - 1]) && !isPartOfName(run[at + literal.length])) return offset + at;
  return offset + Math.max(0, run.indexOf(literal));
}

/** The end of the name that goes on here: `reader` is a part of `reader.ts`, and one mark is enough for both. */
function findNameEnd(line: string, from: number): number {
  let end = from;
  const isInside = (): boolean =>
    isPartOfName(line[end]) || (/[./:@#-]/.test(line[end] ?? "") && isPartOfName(line[end + 1]));
  while (end < from + NAME_CHARACTERS && isInside()) end++;
  return end;
}

const isPartOfName = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_]/u.test(character);
