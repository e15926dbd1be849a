/**
 * Keys that someone or something broke: over the lines of a terminal, a mail or a program's source, or by
 * characters that no one sees. A reader still has them whole, so they are taken out like others.
 *
 * They are looked for in the text without its breaks. A whole key at the end of a line is not one with the
 * word that begins the next: what follows a break belongs to it only where it looks random. Linear in the
 * text.
 */
import { addAll } from "../lists.ts";
import { finish, type Steps } from "../steps.ts";
import { mayBreak } from "./break-begins.ts";
import {
  findSecrets,
  joinSpans,
  type RedactedText,
  type SecretSpan,
  takenText,
  takeOut,
  takeOutWithin,
} from "./secret-patterns.ts";
import { behindBlanks, startsNewText, startsVariable } from "./text-behind-break.ts";
import { jointsOf, type Piece } from "./text-pieces.ts";
import { UNSEEN, UNSEEN_MARK } from "./unseen-marks.ts";

/** The end of a line, also as it is written in JSON, and in JSON inside JSON. */
const END = String.raw`(?:\r{0,2}\n|(?:\\{1,3}r)?\\{1,3}n)`;
/** Characters that may precede the next one: blanks, the marks of quotations, comments and tables, and a line's number. */
const FRONT = String.raw`[ \t]{0,40}(?:(?:[>|#*]|\/\/)[ \t]{1,4}|\d{1,6}(?:\t|\\{1,8}t|→|[ ]\|[ ]))?`;

/** Repetitions are bounded: a megabyte of blanks must not take quadratic time. */
const BREAKS = [
  // A string of a program that is put together from two, and a word that goes on behind a backslash.
  String.raw`(\\{0,3}["'\`])[ \t]{0,9}[+.]?[ \t]{0,9}\\?${END}[ \t]{0,40}[+.]?[ \t]{0,9}\1|(?<=\S)(?:\\\r?\n|(?:\\{3}){1,2}n)${FRONT}`,
  // The end of a line, blanks up to a terminal's width before it, and perhaps an empty line behind it.
  String.raw`((?:(?<![ \t])[ \t]{1,300})?\\{0,4}${END}(?:[ \t]{0,40}${END})?${FRONT})`,
  // Marks that are not seen, as they are and written out.
  UNSEEN_MARK,
];
/** Tried only where {@link mayBreak} finds a beginning: to look at two characters takes a fraction of the time. */
const BREAK = new RegExp(`(?:${BREAKS.join("|")})`, "y");

/** The text with every secret, whole or broken, replaced by `[redacted: family]`. The same string where there is none. */
export function redactBroken(text: string): RedactedText {
  return takeOut(text, findBroken(text));
}

/** The same in steps, for a long text. */
export function* redactInSteps(text: string): Steps<string> {
  return takeOut(text, yield* findInSteps(text)).text;
}

/** As long as `://:abc@`: a shorter text, such as most names of arguments, holds no secret. */
const FEWEST_WITH_SECRET = 8;

/**
 * A secret may hide the one behind it, which is found once the first is taken out. Each round finds at least one of a
 * chain; more are not worth the time, and a bound keeps the search linear. Source: our choice, not yet measured.
 */
const ROUNDS = 8;

/** Characters of a text that are searched at once: a longer one is searched in stretches that overlap by twice the margin. */
const STRETCH_CHARACTERS = 96_000;

/** A shorter text is searched in one step: less than a millisecond. */
const STEP_CHARACTERS = 12_000;

/** Every secret of the text, whole or broken, from the first to the last; none overlaps another. */
export function findBroken(text: string): readonly SecretSpan[] {
  return finish(findInSteps(text));
}

function* findInSteps(text: string): Steps<readonly SecretSpan[]> {
  if (text.length <= 2 * STRETCH_CHARACTERS) return yield* findAtOnce(text);
  const found: SecretSpan[] = [];
  for (let from = 0; from < text.length; from += STRETCH_CHARACTERS) {
    addAll(found, yield* findNear(text, { from, to: Math.min(text.length, from + STRETCH_CHARACTERS) }));
    yield;
  }
  return joinSpans(found);
}

function* findAtOnce(text: string): Steps<readonly SecretSpan[]> {
  if (text.length < FEWEST_WITH_SECRET) return [];
  let found = yield* findOnce(text);
  if (!BREAK_CHARACTER.test(text)) return found;
  for (let round = 1; round < ROUNDS && found.length > 0; round++) {
    const more = yield* findOnce(takeOut(text, found).text);
    if (more.length === 0) break;
    found = joinSpans([...found, ...placedBeforeRedaction(more, found)]);
  }
  return found;
}

/** Every break has one of these. */
const BREAK_CHARACTER = new RegExp(String.raw`[\n\\${UNSEEN}]`);

function* findOnce(text: string): Steps<readonly SecretSpan[]> {
  const whole = findSecrets(text);
  if (!BREAK_CHARACTER.test(text)) return whole;
  if (text.length >= STEP_CHARACTERS) yield;
  const pieces = piecesOf(text);
  if (pieces.length < 2) return whole;
  if (text.length >= STEP_CHARACTERS) yield;
  const broken = findSecrets(pieces.map((piece) => piece.text).join(""), jointsOf(pieces));
  return joinSpans([...whole, ...placed(broken, pieces, whole)]);
}

/** Moves spans of a text without `taken` to their places in the text that still has them. Both are in order. */
function placedBeforeRedaction(
  spans: readonly SecretSpan[],
  taken: readonly SecretSpan[],
): readonly SecretSpan[] {
  let index = 0;
  let shift = 0;
  const placeOf = (at: number, edge: "from" | "to"): number => {
    for (; index < taken.length; index++) {
      const { family, from, to } = taken[index]!;
      const shownTo = from - shift + takenText(family).length;
      if (at < from - shift || (edge === "to" && at === from - shift)) break;
      if (at < shownTo || (edge === "to" && at === shownTo)) return edge === "from" ? from : to;
      shift = to - shownTo;
    }
    return at + shift;
  };
  return spans.map(({ family, from, to }) => ({
    family,
    from: placeOf(from, "from"),
    to: placeOf(to, "to"),
  }));
}

/** Longer than a key of any kind and what makes it known: no more is looked at around a stretch that is shown. */
const MARGIN_CHARACTERS = 12_000;

/** Every secret that reaches into a stretch of the text. */
export function findAround(
  text: string,
  stretch: { readonly from: number; readonly to: number },
): readonly SecretSpan[] {
  return finish(findNear(text, stretch));
}

function* findNear(
  text: string,
  { from, to }: { readonly from: number; readonly to: number },
): Steps<readonly SecretSpan[]> {
  const start = Math.max(0, from - MARGIN_CHARACTERS);
  const near = text.slice(start, to + MARGIN_CHARACTERS);
  return (yield* findAtOnce(near))
    .map((span) => ({ ...span, from: span.from + start, to: span.to + start }))
    .filter((span) => span.to > from && span.from < to);
}

/** A stretch of the text without the secrets that lie in it, in whole or in part. */
export function cutWithoutSecrets(
  text: string,
  stretch: { readonly from: number; readonly to: number },
): string {
  return takeOutWithin(text, findAround(text, stretch), stretch);
}

function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  let joinedAt = 0;
  let isRest = false;
  const add = (end: number): void => {
    if (end > at) pieces.push({ isRest, at, joinedAt, text: text.slice(at, end) });
    joinedAt += end - at;
  };
  /** The start of the line that a key may be broken in, which is the place of a comparison's marks. */
  let lineAt = 0;
  let from = 0;
  for (;;) {
    const begin = mayBreak(text, from);
    if (begin === text.length) break;
    BREAK.lastIndex = begin;
    const match = BREAK.exec(text);
    from = begin + 1;
    if (match === null) continue;
    let next = BREAK.lastIndex;
    from = next;
    const isLine = match[2] !== undefined;
    if (isLine) {
      const mark = text[next];
      const isCompared = (mark === "+" || mark === "-") && text[lineAt] === mark;
      lineAt = next;
      if (isCompared) next = behindBlanks(text, next + 1);
      from = next;
    }
    if (isLine ? startsNewText(text, next) : startsVariable(text, next)) continue;
    add(match.index);
    at = next;
    isRest = !isLine;
  }
  add(text.length);
  return pieces;
}

/** Places of the secrets that go over a break. */
function placed(
  secrets: readonly SecretSpan[],
  pieces: readonly Piece[],
  whole: readonly SecretSpan[],
): readonly SecretSpan[] {
  const found: SecretSpan[] = [];
  let first = 0;
  let known = 0;
  for (const { family, from, to } of secrets) {
    while (first + 1 < pieces.length && pieces[first + 1]!.joinedAt <= from) first++;
    const start = pieces[first]!;
    const begin = start.at + (from - start.joinedAt);
    if (to <= start.joinedAt + start.text.length) {
      // Known by a name that ends the line before, or stands before what is not seen.
      if (first > 0 && (start.isRest || from === start.joinedAt))
        found.push({ family, from: begin, to: begin + to - from });
      continue;
    }
    while (known < whole.length && whole[known]!.to <= begin) known++;
    const isWhole = known < whole.length && whole[known]!.from < start.at + start.text.length;
    const end = endOf(pieces, first, to, isWhole);
    if (end !== undefined) found.push({ family, from: begin, to: end });
  }
  return found;
}

/** The end, in the text, of a secret that begins in one piece; `undefined` where it ends there. */
function endOf(pieces: readonly Piece[], first: number, to: number, isWhole: boolean): number | undefined {
  let end: number | undefined;
  for (let index = first + 1; index < pieces.length; index++) {
    const { isRest, at, joinedAt, text } = pieces[index]!;
    if (joinedAt >= to) break;
    const part = text.slice(0, to - joinedAt);
    // Without its second part, it would not be recognised as a key.
    const isNeeded = !isWhole && index === first + 1;
    if (!isNeeded && !isRest && !looksRandom(part)) break;
    end = at + part.length;
  }
  return end;
}

const FEWEST_CHARACTERS = 6;

/** True if it has letters and digits, or changes between small letters and capitals as few words do. */
function looksRandom(text: string): boolean {
  if (text.length < FEWEST_CHARACTERS) return false;
  return /[A-Za-z]/.test(text) && (/\d/.test(text) || /[a-z][A-Z]|[A-Z]{2}[a-z]/.test(text));
}
