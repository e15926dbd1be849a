/**
 * Ranking functions that the searches over a session's history and over memories share: BM25 scores, the best of many
 * scored documents, and the fusion of several rankings into one.
 */

/** The constant of reciprocal rank fusion: the larger, the less the first ranks differ. Source: packages/evaluation/bench/memory: 5 and 10 keep what only one ranking has first; the 60 of its authors, who fused many long rankings, loses up to 13 points of it. */
const FUSION_RANK = 5;

/** The constants of BM25. */
export interface Bm25Constants {
  /** Saturation: the smaller, the sooner further occurrences of a term stop counting. */
  readonly k1: number;
  /** Length normalization: 0 ignores a document's length, 1 applies it in full. */
  readonly b: number;
}

/**
 * Returns BM25's inverse document frequency. It is never below zero, so a common word cannot lower a document's score.
 */
export function rarityOf(documentsWithTerm: number, documentCount: number): number {
  return Math.log(1 + (documentCount - documentsWithTerm + 0.5) / (documentsWithTerm + 0.5));
}

/**
 * Returns the BM25 weight of one term as a function of its occurrences in a document and the document's length. `rarity`
 * is the result of {@link rarityOf}.
 */
export function termWeight(
  rarity: number,
  { k1, b }: Bm25Constants,
  averageLength: number,
): (occurrences: number, length: number) => number {
  const fixedPart = k1 * (1 - b);
  const lengthPart = (k1 * b) / averageLength;
  return (occurrences, length) =>
    (rarity * occurrences * (k1 + 1)) / (occurrences + fixedPart + lengthPart * length);
}

export interface ScoredNumber {
  readonly number: number;
  readonly score: number;
}

interface BestOptions {
  readonly scoreOf: (number: number) => number;
  readonly limit: number;
  /** Orders numbers with the same score. */
  readonly compareTied: (one: number, other: number) => number;
  /** Asked only about numbers that could still be among the best. */
  readonly accepts?: (number: number) => boolean;
}

/**
 * Returns the `limit` best with a score above 0. Instead of sorting all, it collects up to twice the limit, sorts these,
 * and drops the worse half.
 */
export function takeBest(
  numbers: Iterable<number>,
  { scoreOf, limit, compareTied, accepts }: BestOptions,
): readonly ScoredNumber[] {
  const better = (one: ScoredNumber, other: ScoredNumber): number =>
    other.score - one.score || compareTied(one.number, other.number);
  let best: ScoredNumber[] = [];
  let worst: ScoredNumber | undefined;
  for (const number of numbers) {
    const score = scoreOf(number);
    if (score <= 0) continue;
    const isWorse =
      worst !== undefined &&
      (score < worst.score || (score === worst.score && compareTied(number, worst.number) > 0));
    if (isWorse) continue;
    if (accepts?.(number) === false) continue;
    best.push({ number, score });
    if (best.length < 2 * limit) continue;
    best = best.sort(better).slice(0, limit);
    worst = best.at(-1);
  }
  return best.sort(better).slice(0, limit);
}

/** A ranking, best first. */
export interface Ranking {
  readonly ids: readonly string[];
  /** Its weight relative to the other rankings. @defaultValue 1 */
  readonly weight?: number;
}

interface FusedRank {
  readonly id: string;
  /** Larger is better; comparable within one fusion only. */
  readonly score: number;
}

/** Fuses several rankings into one, best first; equal scores are ordered by id. An id counts once in a ranking. */
export function fuseRanks(rankings: readonly Ranking[]): readonly FusedRank[] {
  const scores = new Map<string, number>();
  for (const { ids, weight = 1 } of rankings)
    [...new Set(ids)].forEach((id, rank) => {
      const addedScore = weight / (FUSION_RANK + rank + 1);
      scores.set(id, (scores.get(id) ?? 0) + addedScore);
    });
  return [...scores]
    .map(([id, score]) => ({ id, score }))
    .sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1));
}
