/**
 * Finds quotations in a person's own text: they belong to someone else, even in the middle of a sentence.
 *
 * A name or a few words in quotation marks are still the user's (`the job is called "night run"`); a whole sentence
 * is not, and neither is text after "the page says:". Text in backticks is code and theirs, unless it is reported or
 * is a request by itself. A quotation counts as the user's own if they ask to remember it, or give a rule about it:
 * `never end with "Let me know what you think"`. Linear in the text: marks are matched within a bounded length.
 */
import { ASKS_TO_REMEMBER } from "../cues/cues.ts";
import { rememberRequestOf, withoutLead } from "../cues/remember-request.ts";
import { sentencesOf } from "./sentences.ts";

/** Words in quotation marks from which on they are someone else's. Our choice: titles and names have fewer, sentences more. */
const QUOTED_WORDS_COUNT = 5;

interface QuotingText {
  /** The text with {@link LEFT_OUT_MARK} in the place of what it quotes. */
  readonly own: string;
  /** Its quotations, one a line. */
  readonly quoted: readonly string[];
}

/** Replaces a quotation: the rest of its sentence is incomplete. */
const LEFT_OUT_MARK = "⟦⟧";

/** Pairs of quotation marks; a mark inside a word or behind a number is an apostrophe or a measure. */
const QUOTATIONS = [
  '(?<![\\p{L}\\p{N}])"[^"]{1,4000}"(?![\\p{L}\\p{N}])',
  "(?<![\\p{L}\\p{N}])'[^']{1,4000}'(?![\\p{L}\\p{N}])",
  "‘[^‘]{1,4000}?’(?![\\p{L}\\p{N}])",
  "„[^„“”]{1,4000}[“”]",
  ...["“”", "«»", "»«", "‹›", "「」", "『』", "``"].map(
    ([open, close]) => `${open}[^${open}${close}]{1,4000}${close}`,
  ),
];
const QUOTED = new RegExp(QUOTATIONS.join("|"), "gu");

/** Words by which a text reports another person's words: "the docs say", but not "I said" or "never say". */
const REPORT_WORDS = [
  "(?<!\\b(?:i|we|ich|wir|je|yo)\\s)(?:says|said|reads|wrote|writes|states?|claims?|tells? (?:me|us)|told (?:me|us))",
  "(?<!\\b(?:i|we|ich|wir|je|yo)\\s)(?:sagt|schreibt|lautet|dit|écrit|dice|escribe|diz|scrive)",
  "(?:they|people|(?!always)\\p{L}+s) say|steht",
  "(?:found|got|received|saw) (?:this|these|the following|on|in|from|(?:an? |the )?(?:e-?mail|mail|message|page|comment|note|letter))",
];
const REPORTING = `(?<![\\p{L}\\p{N}])(?:${REPORT_WORDS.join("|")})(?![\\p{L}\\p{N}])`;
const REPORTS = new RegExp(REPORTING, "iu");
const REPORTED = new RegExp(`${REPORTING}[^.!?:\\n]{0,40}:[ \\t]{1,9}(\\S.{0,4000})`, "giu");
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu;
/** Words that are not to be said or used. */
const FORBIDS =
  /^(?:stop|avoid|no more|(?:do not|don['’]?t)(?= (?:say|write|use|add|put|end|begin|start|answer|reply|run|call|name|print|include)\b))(?!\p{L})/iu;

/** The text in two. */
export function splitQuoted(text: string): QuotingText {
  const quoted: string[] = [];
  const without = (found: string, ...rest: readonly unknown[]): string => {
    const whole = rest.at(-1) as string;
    const at = rest.at(-2) as number;
    if (!isSentence(found) || isTheirs(found, at, whole)) return found;
    quoted.push(found);
    // The sentence that ends with the quotation ends all the same.
    const [end = ""] = /[.!?。！？](?=.$)/u.exec(found) ?? [];
    return `${LEFT_OUT_MARK}${end}`;
  };
  const own = text
    .replace(QUOTED, without)
    .replace(REPORTED, (found: string, words: string, at: number, whole: string) => {
      if (!isSentence(words) || isAskedFor(whole, at, found.length)) return found;
      quoted.push(words);
      return `${found.slice(0, found.length - words.length)}${LEFT_OUT_MARK}`;
    });
  return { own, quoted };
}

/** Marks of which a whole sentence has an even number. */
const PAIRED = [/"/g, /[“”„]/g, /[«»]/g, /[「」]/g, /`/g];
/** A measure, or the end of a quotation: then the marks are even as they are. */
const INCHES = /\d"/g;

/** True if a sentence is incomplete: a part was left out, or a quotation is open. */
export function isTorn(sentence: string): boolean {
  if (sentence.includes(LEFT_OUT_MARK)) return true;
  const isOdd = (text: string): boolean => PAIRED.some((mark) => (text.match(mark)?.length ?? 0) % 2 === 1);
  return isOdd(sentence) && isOdd(sentence.replace(INCHES, ""));
}

/** Fewer words are a name, or a phrase that is being spoken of; in scripts without blanks two letters are one. */
function isSentence(text: string): boolean {
  const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  const letters = text.match(UNSPACED)?.length ?? 0;
  return words + letters / 2 >= QUOTED_WORDS_COUNT;
}

/** The distance within which a quotation's sentence is searched. */
const AROUND_CHARACTERS = 300;

/** True if a quotation is the user's own: a part of their request, or code. */
function isTheirs(found: string, at: number, text: string): boolean {
  if (isAskedFor(text, at, found.length)) return true;
  const before = lineBefore(text, at);
  if (REPORTS.test(before)) return false;
  // A quoted request was copied, even if the user wants the opposite.
  if (sentencesOf(found.slice(1, -1)).some((sentence) => rememberRequestOf(sentence) !== undefined))
    return false;
  if (found.startsWith("`") && !found.includes("\n")) return true;
  return !isAsked(text, at + found.length) && isWanted(before);
}

/** True if the sentence around a quotation is a request by the words before it. */
function isWanted(before: string): boolean {
  const sentences = sentencesOf(`${before}${LEFT_OUT_MARK}`);
  // Where the line begins too far away, its first sentence is not whole.
  if (sentences.length === 1 && before.length === AROUND_CHARACTERS) return false;
  const sentence = sentences.at(-1) ?? "";
  const kind = rememberRequestOf(sentence)?.kind;
  return kind === "rule" || kind === "preference" || FORBIDS.test(withoutLead(sentence));
}

/** True if its line asks to remember it and is not a question. */
function isAskedFor(text: string, at: number, length: number): boolean {
  return ASKS_TO_REMEMBER.test(lineBefore(text, at)) && !isAsked(text, at + length);
}

function lineBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - AROUND_CHARACTERS), at);
  return before.slice(before.lastIndexOf("\n") + 1);
}

/** True if the line ends as a question. */
function isAsked(text: string, end: number): boolean {
  const [rest = ""] = text.slice(end, end + AROUND_CHARACTERS).split("\n", 1);
  return /[?？]\s{0,9}$/.test(rest);
}
