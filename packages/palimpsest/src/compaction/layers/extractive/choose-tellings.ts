/**
 * Chooses the sentences that tell most of a session in few tokens.
 *
 * Words that many sentences have are what the work is about. The sentence comes first that has most of them and is short
 * and recent; then the one that adds most of those that no chosen sentence has, and so on.
 */
import type { DigestFinding } from "../../digest/digest-findings.ts";

/** Letters of a word that says something of a subject, at the least. Our choice: shorter ones are mostly grammar. */
const WORD = /\p{L}{6,}/gu;
/** Sentences that are chosen so, at the most; a summary holds a few dozen. Our choice: the time grows with it. */
const CHOSEN_COUNT = 80;
/** Characters of a line beside its sentence: pointer and marks. */
const FRAME_CHARACTERS = 20;

/** The sentences, best first. `newestSeq`: the newest entry of the log. */
export function chooseTellings(
  tellings: readonly DigestFinding[],
  newestSeq: number,
): readonly DigestFinding[] {
  const left = tellings.map((telling) => ({ telling, words: wordsOf(telling), value: 0 }));
  const counts = new Map<string, number>();
  for (const { words } of left) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const covered = new Set<string>();
  const reckon = ({ telling: { weight, seq, text }, words }: Candidate): number => {
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
    chosen.push(candidate.telling);
    for (const word of candidate.words) covered.add(word);
  }
  return chosen;
}

interface Candidate {
  readonly telling: DigestFinding;
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
  return new Set(text.toLowerCase().match(WORD) ?? []);
}
