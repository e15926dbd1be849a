/**
 * Which of the memories that a model was shown it used: those whose own words its answer has.
 *
 * Being shown says nothing of a memory's use, and were it counted, what was shown once would be shown ever more
 * often. So a word counts only where it came from the memory: not where somebody had said it anyway, as the
 * question did that called for it. That is a guess by words, which takes a memory that kept the model from
 * something for one that was not used; what it decides is bounded (`usedBonus`).
 */
import { MEMORY_RECALL_DEFAULTS } from "../../base/defaults/memory/recall.ts";
import { wordTerms } from "../../base/search/vocabulary.ts";
import { cutHead, cutTail } from "../../base/text/text.ts";
import { visitTerms } from "../../base/text/text-terms.ts";
import type { Memory } from "../files/memory.ts";

export interface Answered {
  /** What was said to the model, and by it before; without what it was shown of memories. */
  readonly userText: string;
  /** What it answered, and what it passed to tools. */
  readonly answer: string;
}

/** Those of the memories that were used. Linear in what is read of the texts. */
export function usedMemories<Shown extends Pick<Memory, "description" | "body">>(
  shown: readonly Shown[],
  { userText, answer }: Answered,
): readonly Shown[] {
  const { readCharacters, wordsShare, mostWordsCount } = MEMORY_RECALL_DEFAULTS.used;
  // What was said last, and what the answer says first.
  const known = termsOf(cutTail(userText, readCharacters));
  const answered = termsOf(cutHead(answer, readCharacters));
  return shown.filter(({ description, body }) => {
    // A name is what it is called by, and not what it says.
    const text = body.trim() === "" ? description : body;
    const own = [...termsOf(cutHead(text, readCharacters))].filter((term) => !known.has(term));
    const least = Math.min(mostWordsCount, Math.ceil(wordsShare * own.length));
    return own.length > 0 && own.filter((term) => answered.has(term)).length >= least;
  });
}

function termsOf(text: string): ReadonlySet<string> {
  const terms = new Set<string>();
  visitTerms(text, (word) => {
    for (const term of wordTerms(word)) terms.add(term);
  });
  return terms;
}
