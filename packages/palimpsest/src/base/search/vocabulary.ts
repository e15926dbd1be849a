/**
 * The terms of all texts: without case and accents, English words by their stem, and without stop words. Each term
 * has a small number.
 *
 * A word of any other language is compared as it is written; a query finds its other forms by their first letters. The terms of words are cached, because a few thousand
 * words make up most of all texts; cache and terms are bounded by the current texts.
 */
import { visitTerms } from "../text/text-terms.ts";
import { OTHER_FORMS, STOP_WORDS, stemEnglish } from "./english-words.ts";

/** Words that are remembered with what they are compared by. Our choice: a large vocabulary. */
const WORDS_KEPT_COUNT = 100_000;

export class Vocabulary {
  readonly #numbers = new Map<string, number>();
  readonly #terms: string[] = [];
  readonly #free: number[] = [];
  /** By word: the number of its only term, or those of several. */
  readonly #ofWord = new Map<string, number | readonly number[]>();
  /** Numbers of the terms with the same first letters; absent until a search asks. */
  #byBeginning: Map<string, number[]> | undefined;

  get size(): number {
    return this.#numbers.size;
  }

  /** The term that has a number. */
  termOf(number: number): string {
    return this.#terms[number]!;
  }

  /** The number of a term that some text has. */
  numberOf(term: string): number | undefined {
    return this.#numbers.get(term);
  }

  /** The numbers of all terms, the smallest first. */
  numbersInUse(): readonly number[] {
    return [...Uint32Array.from(this.#numbers.values()).sort()];
  }

  /** Adds terms with the next numbers, to a vocabulary that has forgotten none. A repeated one leaves it smaller than it was given. */
  restore(terms: readonly string[]): void {
    this.#byBeginning = undefined;
    for (const term of terms) this.#numbers.set(term, this.#terms.push(term) - 1);
  }

  /** Visits the number of each term, as often as it occurs; terms that are new get one. */
  visit(text: string, visit: (number: number) => void): void {
    visitTerms(text, (word) => {
      const known = this.#ofWord.get(word) ?? this.#learn(word);
      if (typeof known === "number") visit(known);
      else known.forEach(visit);
    });
  }

  /** Visits the terms of a text that are known, with the word as it is written, in small letters. */
  visitKnown(text: string, visit: (number: number, term: string, word: string) => void): void {
    visitTerms(text, (word) => {
      for (const term of wordTerms(word)) {
        const number = this.#numbers.get(term);
        if (number !== undefined) visit(number, term, word);
      }
    });
  }

  /** The numbers of all terms with the same {@link beginningOf}. */
  withBeginning(beginning: string): readonly number[] {
    if (this.#byBeginning === undefined) {
      this.#byBeginning = new Map();
      for (const [term, number] of this.#numbers) this.#noteBeginning(term, number);
    }
    return this.#byBeginning.get(beginning) ?? [];
  }

  #noteBeginning(term: string, number: number): void {
    const beginning = beginningOf(term);
    if (beginning === undefined) return;
    const known = this.#byBeginning?.get(beginning);
    if (known === undefined) this.#byBeginning?.set(beginning, [number]);
    else known.push(number);
  }

  /** Removes terms that no text has; their numbers are reused. */
  forget(numbers: readonly number[]): void {
    if (numbers.length === 0) return;
    this.#byBeginning = undefined;
    for (const number of numbers) {
      this.#numbers.delete(this.#terms[number]!);
      this.#free.push(number);
    }
    this.#ofWord.clear();
  }

  #learn(word: string): number | readonly number[] {
    const numbers = wordTerms(word).map((term) => this.#numberOf(term));
    const known = numbers.length === 1 ? numbers[0]! : numbers;
    if (this.#ofWord.size >= WORDS_KEPT_COUNT) this.#ofWord.clear();
    this.#ofWord.set(word, known);
    return known;
  }

  #numberOf(term: string): number {
    let number = this.#numbers.get(term);
    if (number === undefined) {
      number = this.#free.pop() ?? this.#terms.length;
      this.#numbers.set(term, number);
      this.#terms[number] = term;
      if (this.#byBeginning !== undefined) this.#noteBeginning(term, number);
    }
    return number;
  }
}

/** First letters that the forms of a word have in common. Source: packages/evaluation/bench/memory: with four or six, R@10 differs by a point. */
const BEGINNING_LETTERS = 5;
const ONLY_LETTERS = /^[\p{L}\p{M}]+$/u;

/** The first letters of a term, if it is a longer word: its forms in languages that bend words at the end have the same ones. */
export function beginningOf(term: string): string | undefined {
  return term.length >= BEGINNING_LETTERS && ONLY_LETTERS.test(term)
    ? term.slice(0, BEGINNING_LETTERS)
    : undefined;
}

const NO_TERMS: readonly string[] = [];
const ONLY_ASCII = /^[\x00-\x7f]*$/;
/** Characters between the parts of a word, such as the signs that end a sentence in other scripts. */
const NO_LETTERS = /[^\p{L}\p{N}\p{M}]+/u;

/** The terms of one word in small letters. */
export function wordTerms(word: string): readonly string[] {
  if (ONLY_ASCII.test(word)) return asciiTerms(word);
  return foldAccents(word)
    .split(NO_LETTERS)
    .flatMap((part) => (part === "" ? NO_TERMS : asciiTerms(part)));
}

function asciiTerms(word: string): readonly string[] {
  if (STOP_WORDS.has(word)) return NO_TERMS;
  return [stemEnglish(OTHER_FORMS.get(word) ?? word)];
}

/** Accents of Latin, Greek and Cyrillic letters, vowel signs of Arabic and Hebrew: often left out, so never asked for. */
const LEFT_OUT = /[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]+/g;
const IN_ONE_PIECE = /[ßæœøđðłþıħŋ]/g;
const LETTERS_WITHOUT_PARTS: ReadonlyMap<string, string> = new Map(
  "ß:ss æ:ae œ:oe ø:o đ:d ð:d ł:l þ:th ı:i ħ:h ŋ:n"
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);

function foldAccents(word: string): string {
  const folded = word.normalize("NFKD").replace(LEFT_OUT, "");
  const whole = folded.replace(IN_ONE_PIECE, (letter) => LETTERS_WITHOUT_PARTS.get(letter)!);
  return whole.normalize("NFC").toLowerCase();
}
