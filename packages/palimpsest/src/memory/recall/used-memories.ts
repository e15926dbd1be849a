/**
 * Finds the memories that an answer used: those whose own words it has.
 *
 * Being shown does not count as use, or a memory shown once would be shown ever more often. So a word counts only if
 * it came from the memory, and not from the question that recalled it. That is a guess: a memory that kept the model
 * from a mistake counts as unused. Its effect is bounded (`usedBonus`).
 */
import { MEMORY_RECALL_DEFAULTS } from "../../base/defaults/memory/recall.ts";
import { wordTerms } from "../../base/search/vocabulary.ts";
import { cutHead, cutTail } from "../../base/text/text.ts";
import { visitTerms } from "../../base/text/text-terms.ts";
import type { Memory } from "../files/memory.ts";

export interface Answered {
  /** The preceding conversation, without the shown memories. */
  readonly userText: string;
  /** Its answer, and its inputs to tools. */
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
