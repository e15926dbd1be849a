/**
 * Splits text into sentences and sentences into words, to find out how many words two texts share and if one of them
 * is a denial. Works for scripts with and without blanks, in time linear in the text.
 */
import { wordTerms } from "../../base/search/vocabulary.ts";
import { visitTerms } from "../../base/text/text-terms.ts";

/** Words whose stems are cached. Our choice: some megabytes; English text has fewer. */
const WORDS_KNOWN_COUNT = 30_000;

/** Ends of sentences; a full stop only in front of a blank, so that `v1.2` and `a.ts` stay whole. */
/** A run of marks is tried from its beginning only: from each of them it would be quadratic. */
const END = /(?<![.!?…])[.!?…]+["'”’)\]]{0,3}(?=\s|$)|[。！？]+[」』”）]{0,3}/g;
/** Abbreviations: the full stop after one does not end a sentence. */
const SHORT_FORM =
  /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|z\.B|d\.h|bzw|usw|ca|p\.ex|ej|т\.е|т\.д|[A-Za-zА-я])\.$/i;

/** Returns the sentences of all lines, trimmed, with their punctuation. */
export function sentencesOf(text: string): readonly string[] {
  return text.split(/\r\n?|\n/).flatMap((line) => {
    const sentences: string[] = [];
    let from = 0;
    for (const { 0: sign, index } of line.matchAll(END)) {
      const end = index + sign.length;
      if (sign === "." && SHORT_FORM.test(line.slice(Math.max(from, end - 12), end))) continue;
      sentences.push(line.slice(from, end));
      from = end;
    }
    sentences.push(line.slice(from));
    return sentences.map((sentence) => sentence.trim()).filter((sentence) => sentence !== "");
  });
}

/** Matches any of the words, which `|` separates, as a whole word, or any of `pieces`, for scripts without blanks. */
export function anyWord(words: string, pieces?: string): RegExp {
  const whole = `(?<![\\p{L}\\p{N}])(?:${words.replaceAll("'", "['’]?")})(?![\\p{L}\\p{N}])`;
  return new RegExp(pieces === undefined ? whole : `${whole}|${pieces}`, "iu");
}

export interface SentenceWords {
  /** Stems of the meaningful words; pairs of characters in scripts without blanks. */
  readonly words: ReadonlySet<string>;
  /** Addresses of pages, hosts and people. */
  readonly addresses: ReadonlySet<string>;
  readonly isDenied: boolean;
}

const ADDRESSES: readonly string[] = [
  "\\b[a-z][a-z0-9+.-]{1,20}:\\/\\/[^\\s\"'<>()]{3,300}",
  "[\\w.+-]{1,64}@[\\w-]{1,64}(?:\\.[\\w-]{1,64}){1,4}",
  "\\b(?:[a-z0-9-]{1,63}\\.){1,4}(?:com|org|net|io|dev|app|ai|co|example|test|invalid|local|internal|info|biz|xyz|ru|cn|de|fr|uk|eu|me|sh|cloud|site|online|top|link|zip)\\b(?:\\/[^\\s\"'<>()]{0,300})?",
  "\\b\\d{1,3}(?:\\.\\d{1,3}){3}\\b",
];
const ADDRESS = new RegExp(ADDRESSES.join("|"), "gi");

/** Words that negate a sentence. */
const DENIAL = anyWord(
  "no|not|never|none|nothing|without|don't|doesn't|didn't|won't|isn't|aren't|can't|cannot|shouldn't|mustn't|" +
    "stop|avoid|skip|disable|ignore|nicht|kein\\p{L}{0,2}|nie|niemals|ohne|ne|pas|jamais|sans|nunca|jam[aá]s|sin|" +
    "não|sem|non|mai|senza|не|нет|никогда|без",
  "n['’]|[不没別别勿沒无]|ない|ません|ずに|안 |않|말고|마세요|지 마|없",
);

/** Cache of the terms of words: a few thousand words make up most of all texts. */
const termsOf = new Map<string, readonly string[]>();
/** A single character, except a digit. Single characters are in too many texts to tell them apart. */
const SINGLE = /^[^\d]$/u;

/** Visits the meaningful words of a text, each as often as it occurs. */
export function visitWords(text: string, visit: (word: string) => void): void {
  visitTerms(text, (word) => {
    let terms = termsOf.get(word);
    if (terms === undefined) {
      if (termsOf.size >= WORDS_KNOWN_COUNT) termsOf.clear();
      terms = SINGLE.test(word) ? [] : wordTerms(word);
      termsOf.set(word, terms);
    }
    for (const term of terms) visit(term);
  });
}

export function sentenceWords(text: string): SentenceWords {
  const words = new Set<string>();
  visitWords(text, (word) => words.add(word));
  const found = text.toLowerCase().match(ADDRESS) ?? [];
  const addresses = new Set(found.map((address) => address.replace(/(?<![.,;:!?/])[.,;:!?/]+$/, "")));
  return { words, addresses, isDenied: DENIAL.test(text) };
}

/** The share of one text's words that the other has, too; 0 if the first has none. */
export function shareIn(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of one) if (other.has(word)) shared++;
  return one.size === 0 ? 0 : shared / one.size;
}
