/**
 * The words of one fact in their order, as two facts are compared: by their stems, without those that say
 * nothing, and with those that turn what is said into its opposite.
 */
import { STOP_WORDS } from "../../base/search/english-words.ts";
import { wordTerms } from "../../base/search/vocabulary.ts";
import { memoizeRecent } from "../../base/text/memoize-recent.ts";

/** Characters of a fact that are compared; a longer one corrects nothing and is corrected by nothing. Our choice: some sentences; in a page no single value stands out. */
export const COMPARED_CHARACTERS = 600;
/** Words of a value at the most. Our choice: a name or a short phrase. */
export const VALUE_WORDS_COUNT = 5;

/** Texts of which results are kept. Our choice: more than a recall compares with each other; a new fact is compared with fewer, and each of them is read several times. */
const RECENT_COUNT = 64;

/** The same function, which computes the result for a recently compared text only once. */
export const memoizeCompared = <Result>(work: (text: string) => Result): ((text: string) => Result) =>
  memoizeRecent(work, { count: RECENT_COUNT, characters: COMPARED_CHARACTERS });

/** The same for two texts, of which one judgement compares them in several steps. */
export function memoizeComparedPair<Result>(
  work: (one: string, other: string) => Result,
): (one: string, other: string) => Result {
  const resultsOf = memoizeCompared((one) => memoizeCompared((other) => work(one, other)));
  return (one, other) => resultsOf(one)(other);
}

/** Words of which terms are kept. Our choice: those of the compared texts, each of which is read in several ways. */
const RECENT_WORDS = { count: 2_048, characters: 40 };

/** The terms of a word, as `wordTerms` reads them. */
export const termsOfWord = memoizeRecent(wordTerms, RECENT_WORDS);

export interface SubjectWord {
  /** Its form for comparison. All forms of `be` are one, and so are all denials. */
  readonly term: string;
  /** As it is written, in small letters. */
  readonly word: string;
  /** The small words before it: `on the`. */
  readonly lead: string;
  readonly isName: boolean;
}

export const BE = "be";
export const NOT = "not";

const FORMS_OF_BE = new Set("is are was were be am s".split(" "));
const DENIALS = new Set("not never no without cannot neither nor instead rather".split(" "));
/** Adverbs that do not change a value; comparisons of values skip them. */
export const ADVERBS: ReadonlySet<string> = new Set(
  "only exclusively now currently actually also still anymore longer always usually already again instead really today please".split(
    " ",
  ),
);

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['’]\p{L}+)?/gu;

const wordsOf = memoizeCompared((text): readonly string[] => text.match(WORD) ?? []);

/** Small words that are names in capitals. */
const LABELS = new Set(["US", "IT", "WHO"]);

/** True for a small word that tells one thing from others: `the US office`, `server A`. Capitals throughout say nothing. */
export function isLabel(written: string, at: number, text: string): boolean {
  return (LABELS.has(written) || (written === "A" && at > 0)) && /\p{Ll}/u.test(text);
}

/** The words of a text. */
export const subjectWords = memoizeCompared((text): readonly SubjectWord[] => {
  const words: SubjectWord[] = [];
  let lead: string[] = [];
  const add = (term: string, word: string, isName: boolean) => {
    words.push({ term, word, lead: lead.join(" "), isName });
    lead = [];
  };
  for (const [at, written] of wordsOf(text).entries()) {
    const [word, ending] = partsOf(written.toLowerCase());
    const isDenied = ending === "t" && word.endsWith("n");
    if (isDenied) add(NOT, written.toLowerCase(), false);
    else if (DENIALS.has(word)) add(NOT, word, false);
    else if (FORMS_OF_BE.has(word)) add(BE, word, false);
    else if (isLabel(written, at, text)) add(word, word, true);
    else if (STOP_WORDS.has(word)) lead.push(word);
    else for (const term of termsOfWord(word)) add(term, word, written[0] !== word[0]);
  }
  return words;
});

/** The words before and behind an apostrophe. */
function partsOf(word: string): readonly [string, string | undefined] {
  const at = word.search(/['’]/);
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

/** They say that it was otherwise until now, or is from now on, and nothing of what is said. */
const TURNS =
  /^\s*(?:(?:no|nope|nah|wrong|incorrect|actually|in fact|correction)\s?[,:;!–—-]\s*){1,3}|\b(?:from now on|from here on(?: out)?|going forward|henceforth|as of (?:now|today)|starting (?:now|today))\b/gi;

/** “Not only x but also y” denies nothing. */
const NOT_ONLY =
  /\b(?:not|nicht|no) (?:only|just|merely|simply|solely|nur|s[oó]lo|solamente)\b(?=[^.;!?]{1,200}\b(?:but|sondern|sino)\b)/gi;

/** A statement without such words, for comparison; a text of only such words stays. */
export function withoutTurns(text: string): string {
  const rest = text.replace(TURNS, " ").replace(NOT_ONLY, " ");
  return /[\p{L}\p{N}]/u.test(rest) ? rest : text;
}

/** Words that change nothing of what is said, between two texts that have all others in common. */
const ARTICLES = new Set("the a an my your his her its our their this that".split(" "));

const normalised = memoizeCompared((text): string => {
  const terms = wordsOf(text).flatMap((written, at) => {
    const word = written.toLowerCase();
    return ARTICLES.has(word) && !isLabel(written, at, text) ? [] : termsOrWord(word);
  });
  return terms.join(" ");
});

/** Words for one person; “you” may be anybody. */
const PERSONS: ReadonlyMap<string, string> = new Map(
  ["i my me mine", "we our us ours", "your yours", "he his him", "she her hers", "they their them"].flatMap(
    (words) => words.split(" ").map((word) => [word, words] as const),
  ),
);

/** Words at the beginning of a fact that name whose it is. Our choice: “actually, in our …”. */
const OWNER_WORDS_COUNT = 4;

const personOf = memoizeCompared((text): string | undefined =>
  wordsOf(text)
    .slice(0, OWNER_WORDS_COUNT)
    .map((written, at) =>
      isLabel(written, at, text) ? undefined : PERSONS.get(partsOf(written.toLowerCase())[0]),
    )
    .find((person) => person !== undefined),
);

/** True if two texts begin with different persons: “my manager” is not “her manager”. */
export function areOfOtherPersons(one: string, other: string): boolean {
  const [first, second] = [personOf(one), personOf(other)];
  return first !== undefined && second !== undefined && first !== second;
}

/** Punctuation and emphasis around a word, and everywhere in scripts without blanks. */
const AROUND =
  /^[("'`“”‘’«»„*_>]+|(?<![)"'`“”‘’«»*_.,;:!?…])[)"'`“”‘’«»*_.,;:!?…]+$|[，。！？、；：「」『』（）《》]/gu;
/** Letters, digits, dashes between sentences, and hyphens and apostrophes in words. */
const WORDLIKE = /[\p{L}\p{N}\p{M}–—]|(?<=\p{L})[-'’](?=\p{L})/gu;

/** The signs of a text that tell words apart: `C++` from `C#`, `-5` from `5`, `==` from `===`, one emoji from another. */
export const signsOf = memoizeCompared((text): string =>
  text
    // The comma behind “from now on”, which was taken out.
    .replace(/^\s*[,;:.!?–—-]+\s+/u, "")
    .split(/\s+/u)
    .map((word) => (/[\p{L}\p{N}]/u.test(word) ? word.replace(AROUND, "") : word.replace(/^[.…!?]+$/u, "")))
    .map((word) => word.replace(WORDLIKE, ""))
    .filter((signs) => signs !== "")
    .join(" "),
);

/** True if two texts say the same of the same person in the same words, in any form, with the same signs. */
export function saysSame(one: string, other: string): boolean {
  const [first, second] = [normalised(one), normalised(other)];
  if (first !== second || (first === "" && one.trim() !== other.trim())) return false;
  return signsOf(one) === signsOf(other) && !areOfOtherPersons(one, other);
}

function termsOrWord(word: string): readonly string[] {
  const terms = termsOfWord(word);
  return terms.length === 0 ? [word] : terms;
}
