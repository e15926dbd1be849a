/**
 * Chooses the sentences that tell most of a session in few tokens.
 *
 * Words that many sentences have are what the work is about. The sentence comes first that has most of them and is short
 * and recent; then the one that adds most of those that no chosen sentence has, and so on.
 */
import { CLASS_DENSE, charClass } from "../../../base/text/char-class.ts";
import type { DigestFinding } from "../../digest/digest-findings.ts";

/** Letters of a word that says something of a subject, at the least. Our choice: shorter ones are mostly grammar. */
const WORD_LETTERS = 6;
const LETTERS = /[\p{L}\p{M}]{2,}/gu;
/** Sentences that are chosen so, at the most; a summary holds a few dozen. Our choice: the time grows with it. */
const CHOSEN_COUNT = 80;
/** Characters of a line beside its sentence: pointer and marks. */
const FRAME_CHARACTERS = 20;

/** The sentences, best first. `newestSeq`: the newest entry of the log. */
export function chooseFindings(
  findings: readonly DigestFinding[],
  newestSeq: number,
): readonly DigestFinding[] {
  const left = findings.map((finding) => ({ finding, words: wordsOf(finding), value: 0 }));
  const counts = new Map<string, number>();
  for (const { words } of left) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const covered = new Set<string>();
  const reckon = ({ finding: { weight, seq, text }, words }: Candidate): number => {
    let value = weight;
    for (const word of words) if (!covered.has(word)) value += counts.get(word)!;
    return value * ((1 + seq / newestSeq) / Math.sqrt(FRAME_CHARACTERS + text.length));
  };
  for (const candidate of left) candidate.value = reckon(candidate);
  const chosen: DigestFinding[] = [];
  while (left.length > 0 && chosen.length < CHOSEN_COUNT) {
    const best = indexOfBest(left);
    const candidate = left[best]!;
    // A value only falls as words are covered: the best is the one that is still as good as it was.
    const value = reckon(candidate);
    const isStill = value === candidate.value;
    candidate.value = value;
    if (!isStill) continue;
    left.splice(best, 1);
    chosen.push(candidate.finding);
    for (const word of candidate.words) covered.add(word);
  }
  return chosen;
}

interface Candidate {
  readonly finding: DigestFinding;
  readonly words: ReadonlySet<string>;
  /** At most this, as of when it was last reckoned. */
  value: number;
}

/** The first of those with the highest value. */
function indexOfBest(candidates: readonly Candidate[]): number {
  let best = 0;
  for (let index = 1; index < candidates.length; index++)
    if (candidates[index]!.value > candidates[best]!.value) best = index;
  return best;
}

function wordsOf({ text }: DigestFinding): ReadonlySet<string> {
  const words = new Set<string>();
  for (const [letters] of text.toLowerCase().matchAll(LETTERS)) addWords(words, letters);
  return words;
}

/** Adds long words and, of a script without blanks, each pair of characters. */
function addWords(words: Set<string>, letters: string): void {
  let start = 0;
  for (let index = 0; index <= letters.length; index++) {
    const isDense = index < letters.length && charClass(letters.charCodeAt(index)) === CLASS_DENSE;
    if (!isDense && index < letters.length) continue;
    if (index - start >= WORD_LETTERS) words.add(letters.slice(start, index));
    const pair = isDense && index > 0 && index === start ? letters.slice(index - 1, index + 1) : "";
    if (pair !== "" && !HIRAGANA.test(pair)) words.add(pair);
    start = index + 1;
  }
}

/** Japanese letters that are mostly grammar. */
const HIRAGANA = /[\u3040-\u309f]/;
