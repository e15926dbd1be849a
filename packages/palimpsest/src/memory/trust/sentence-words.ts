/**
 * What a sentence is about, as a set of words that can be compared: how much of it another text says too, and
 * whether one of them denies what the other says.
 */
import { MEMORY_SAFETY_DEFAULTS } from "../../base/defaults/memory/safety.ts";
import { wordTerms } from "../../base/search/vocabulary.ts";
import { visitTerms } from "../../base/text/text-terms.ts";

export interface SentenceWords {
  /** Words that mean something, by their stems; scripts without blanks in pairs. */
  readonly words: ReadonlySet<string>;
  /** Addresses: of pages, hosts and people. */
  readonly addresses: ReadonlySet<string>;
  readonly isDenied: boolean;
}

/** What one word is compared by: a few thousand words make up most of all texts. */
const termsOf = new Map<string, readonly string[]>();
/** A single character of a script without blanks is in half of all texts, and of Latin in all. */
const SINGLE = /^[^\d]$/u;

/** Visits the words of a text that mean something, each as often as it occurs. */
export function visitWords(text: string, visit: (word: string) => void): void {
  visitTerms(text, (word) => {
    let terms = termsOf.get(word);
    if (terms === undefined) {
      if (termsOf.size >= MEMORY_SAFETY_DEFAULTS.wordsKnownCount) termsOf.clear();
      terms = SINGLE.test(word) ? [] : wordTerms(word);
      termsOf.set(word, terms);
    }
    for (const term of terms) visit(term);
  });
}

const ADDRESS =
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>()]{3,300}|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}|\b(?:[a-z0-9-]{1,63}\.){1,4}(?:com|org|net|io|dev|app|ai|co|example|test|invalid|local|internal|info|biz|xyz|ru|cn|de|fr|uk|eu|me|sh|cloud|site|online|top|link|zip)\b(?:\/[^\s"'<>()]{0,300})?|\b\d{1,3}(?:\.\d{1,3}){3}\b/gi;

/** Words by which a sentence says the opposite. */
const DENIAL =
  /(?<![\p{L}\p{N}])(?:no|not|never|none|nothing|without|don['’]?t|doesn['’]?t|didn['’]?t|won['’]?t|isn['’]?t|aren['’]?t|can['’]?t|cannot|shouldn['’]?t|mustn['’]?t|stop|avoid|skip|disable|ignore|nicht|kein\p{L}{0,2}|nie|niemals|ohne|ne|pas|jamais|sans|nunca|jam[aá]s|sin|não|sem|non|mai|senza|не|нет|никогда|без)(?![\p{L}\p{N}])|n['’]|[不没別别勿沒无]|ない|ません|ずに|안 |않|말고|마세요|지 마|없/iu;

export function sentenceWords(text: string): SentenceWords {
  const words = new Set<string>();
  visitWords(text, (word) => words.add(word));
  const addresses = new Set(
    (text.toLowerCase().match(ADDRESS) ?? []).map((found) => found.replace(/[.,;:!?/]+$/, "")),
  );
  return { words, addresses, isDenied: DENIAL.test(text) };
}

/** Which share of one text's words the other has, too; 0 where the one has none. */
export function shareIn(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of one) if (other.has(word)) shared++;
  return one.size === 0 ? 0 : shared / one.size;
}
