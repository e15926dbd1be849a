/**
 * What a person quotes within what they type: somebody else's words, although they typed or pasted them in the
 * middle of a sentence.
 *
 * A name or a few words in quotation marks are still theirs (`the job is called "night run"`); a whole sentence is
 * not, and neither is what stands behind "the page says:". Who asks that just that be remembered makes it theirs.
 * Linear in the text: marks are looked for within a bounded length.
 */
import { MEMORY_SAFETY_DEFAULTS } from "../base/defaults/memory-safety.ts";

export interface QuotingText {
  /** The text without what it quotes. */
  readonly own: string;
  /** What it quotes, a line each. */
  readonly quoted: readonly string[];
}

/** In pairs, and none that is an apostrophe or a measure. */
const QUOTED =
  /(?<![\p{L}\p{N}])"[^"]{1,4000}"(?![\p{L}\p{N}])|“[^“”]{1,4000}”|„[^„“”]{1,4000}[“”]|«[^«»]{1,4000}»|»[^«»]{1,4000}«|‹[^‹›]{1,4000}›|「[^「」]{1,4000}」|『[^『』]{1,4000}』|‘[^‘]{1,4000}?’(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])'[^']{1,4000}'(?![\p{L}\p{N}])|`[^`]{1,4000}`/gu;
/** Somebody else is said to say what follows on the line. */
const REPORTED =
  /\b(?:(?<!\b(?:i|we|ich|wir|je|yo)\s)(?:says?|said|reads|wrote|writes|states?|claims?|tells? (?:me|us)|told (?:me|us)|sagt|schreibt|lautet|dit|écrit|dice|escribe|diz|scrive)|found|got|received|saw|steht)\b[^.!?:\n]{0,40}:[ \t]{1,9}(\S.{0,4000})/giu;
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu;
const ASKS_TO_REMEMBER =
  /remember|memori[sz]e|keep in mind|(?:do not|don['’]t) forget|merk|retiens|souviens|recuerda|acuérdate|lembr|ricorda|запомни|记住|記住|覚えて|기억/i;

/** The text in two. */
export function splitQuoted(text: string): QuotingText {
  const quoted: string[] = [];
  const without = (found: string, ...rest: readonly unknown[]): string => {
    const whole = rest.at(-1) as string;
    const at = rest.at(-2) as number;
    if (!isSentence(found) || isAskedFor(whole, at, found.length)) return found;
    quoted.push(found);
    return " ";
  };
  const own = text
    .replace(QUOTED, without)
    .replace(REPORTED, (found: string, words: string, at: number, whole: string) => {
      if (!isSentence(words) || isAskedFor(whole, at, found.length)) return found;
      quoted.push(words);
      return found.slice(0, found.length - words.length);
    });
  return { own, quoted };
}

/** Fewer words are a name, or a phrase that is being spoken of; in scripts without blanks two letters are one. */
function isSentence(text: string): boolean {
  const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  const letters = text.match(UNSPACED)?.length ?? 0;
  return words + letters / 2 >= MEMORY_SAFETY_DEFAULTS.quotedWordsCount;
}

/** How far around a quotation its sentence is looked for. */
const AROUND_CHARACTERS = 300;

/** Whether its line asks for it to be remembered, in words of its own; who asks a question does not. */
function isAskedFor(text: string, at: number, length: number): boolean {
  const before = text.slice(Math.max(0, at - AROUND_CHARACTERS), at);
  const behind = text.slice(at + length, at + length + AROUND_CHARACTERS);
  const [rest = ""] = behind.split("\n", 1);
  return ASKS_TO_REMEMBER.test(before.slice(before.lastIndexOf("\n") + 1)) && !/[?？]\s{0,9}$/.test(rest);
}
