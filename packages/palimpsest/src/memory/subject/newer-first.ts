/**
 * Puts the newer of two memories about the same subject first.
 *
 * A person who repeats a fact with a change seldom calls it a correction, and the old one may match a question
 * better. Both stay; only their order says which to believe.
 */
import { factTokens } from "./fact-frame.ts";
import { areOfTwoInstances } from "./same-subject.ts";
import { COMPARED_CHARACTERS, memoizeCompared, subjectWords } from "./subject-words.ts";

/** Part of an older memory's score that a newer one of the same matter has at the least to come before it. Measured by packages/evaluation/bench/memory: as above. */
const NEWER_SCORE_SHARE = 0.5;

/** Share of their words that two memories have in common from which on they are of the same matter, for ranking only. Measured by packages/evaluation/bench/memory: with half of them, newer facts of recorded corrections come first in seven of eight, and what searches find hardly changes. */
const SAME_SUBJECT_SHARE = 0.5;

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Best memories of a search that are compared with each other. Our choice: as many as are looked at closely. */
const RANKED_COUNT = 40;

/** The best of them, which are also compared by the words of the message that they have. Our choice: about as many as are shown; of many long memories it takes long to tell whether two hold at once. */
const ANSWERS_COUNT = 10;
/** Words of a memory that is compared so, at the most. Our choice: some sentences. */
const ANSWER_WORDS_COUNT = 60;

/** The compared parts of a found memory. */
export interface RankedText {
  readonly text: string;
  /** Larger is better. */
  readonly score: number;
  /** The words of the message that it has. @defaultValue none */
  readonly words?: readonly string[];
  /** When it was said; `undefined` is older than anything. */
  readonly timeMs: number | undefined;
  /** Its trust: see `trustOf`. */
  readonly trust: number;
}

/**
 * The same memories, best first as before, but each before the older ones of the same matter that are neither far
 * better nor believed more: what a model concludes later does not come before what a user said. Compares the
 * first few only.
 */
export function putNewerFirst<Found>(
  ranked: readonly Found[],
  read: (found: Found) => RankedText,
): readonly Found[] {
  const compared = ranked.slice(0, RANKED_COUNT).map((found, at) => {
    const { text, score, trust, words = [], timeMs = Number.NEGATIVE_INFINITY } = read(found);
    const terms = termsOf(text);
    const isAnswer = at < ANSWERS_COUNT && terms.size <= ANSWER_WORDS_COUNT;
    return {
      found,
      score,
      trust,
      timeMs,
      text,
      words: new Set(isAnswer ? words.filter(isTelling) : []),
      terms,
    };
  });
  const ordered: typeof compared = [];
  for (const next of compared) {
    const at = ordered.findIndex(
      (earlier) =>
        next.timeMs > earlier.timeMs &&
        next.trust >= earlier.trust &&
        next.score >= NEWER_SCORE_SHARE * earlier.score &&
        (isSameSubject(next.terms, earlier.terms) ||
          (answersAsMuch(next.words, earlier.words) && !areOfTwoInstances(next.text, earlier.text))),
    );
    ordered.splice(at === -1 ? ordered.length : at, 0, next);
  }
  return [...ordered.map(({ found }) => found), ...ranked.slice(RANKED_COUNT)];
}

function termsOf(text: string): ReadonlySet<string> {
  const compared = text.slice(0, COMPARED_CHARACTERS);
  // Scripts without blanks are compared by characters.
  const words = UNSPACED.test(compared) ? factTokens(compared) : subjectWords(compared);
  return new Set(words.map(({ term }) => term));
}

/** Verbs of being of languages whose common words are searched like others. */
const BEING = new Set("ist sind es son está están est sont 是".split(" "));

/** True for a word of a message that says what it is about. */
export const isTelling = memoizeCompared(
  (word) => !BEING.has(word) && factTokens(word).some(({ role }) => role !== "form"),
);

/** True if it has all words of the message that the other one has: to the question, both are of one matter. */
function answersAsMuch(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return other.size > 0 && [...other].every((word) => one.has(word));
}

/** Twice what they share, of what both have. */
function isSameSubject(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  let sharedCount = 0;
  for (const term of one) if (other.has(term)) sharedCount++;
  return 2 * sharedCount >= SAME_SUBJECT_SHARE * (one.size + other.size) && sharedCount > 0;
}
