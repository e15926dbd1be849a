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
  const left = tellings.map((telling) => ({ telling, words: wordsOf(telling) }));
  const counts = new Map<string, number>();
  for (const { words } of left) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const covered = new Set<string>();
  const chosen: DigestFinding[] = [];
  while (left.length > 0 && chosen.length < CHOSEN_COUNT) {
    let best = 0;
    let most = Number.NEGATIVE_INFINITY;
    for (const [index, { telling, words }] of left.entries()) {
      let value = telling.weight;
      for (const word of words) if (!covered.has(word)) value += counts.get(word)!;
      value *= (1 + telling.seq / newestSeq) / Math.sqrt(FRAME_CHARACTERS + telling.text.length);
      if (value <= most) continue;
      most = value;
      best = index;
    }
    const { telling, words } = left.splice(best, 1)[0]!;
    chosen.push(telling);
    for (const word of words) covered.add(word);
  }
  return chosen;
}

function wordsOf({ text }: DigestFinding): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(WORD) ?? []);
}
