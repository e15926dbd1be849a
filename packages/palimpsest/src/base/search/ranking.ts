/**
 * BM25, the best of many scored documents, and several rankings in one: what searches over a session's history and
 * over memories have in common.
 */

/** Reciprocal rank fusion's constant: how little the very first ranks differ. Source: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion", 2009: 60. */
const FUSION_RANK = 60;

/** BM25's constants: how soon repetition stops to count, and how much a long text is held against it. */
export interface Bm25Constants {
  readonly k1: number;
  readonly b: number;
}

/** BM25's inverse document frequency; never below zero, so a common word cannot speak against a document. */
export function rarityOf(withTerm: number, all: number): number {
  return Math.log(1 + (all - withTerm + 0.5) / (withTerm + 0.5));
}

/** Returns how much a term of some rarity weighs in a document, by its occurrences and the document's length. */
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
  readonly tie: (one: number, other: number) => number;
  /** Asked only about numbers that could still be among the best. */
  readonly accepts?: (number: number) => boolean;
}

/** The `limit` best with a score above 0, without sorting all: a list is cut back whenever it has doubled. */
export function takeBest(
  numbers: Iterable<number>,
  { scoreOf, limit, tie, accepts }: BestOptions,
): readonly ScoredNumber[] {
  const better = (one: ScoredNumber, other: ScoredNumber): number =>
    other.score - one.score || tie(one.number, other.number);
  let best: ScoredNumber[] = [];
  let worst: ScoredNumber | undefined;
  for (const number of numbers) {
    const score = scoreOf(number);
    if (score <= 0) continue;
    if (worst !== undefined && score <= worst.score)
      if (score < worst.score || tie(number, worst.number) > 0) continue;
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
  /** Its weight beside the others. @defaultValue 1 */
  readonly weight?: number;
}

interface FusedRank {
  readonly id: string;
  /** Larger is better; comparable within one fusion only. */
  readonly score: number;
}

/** Fuses several rankings into one, best first; by id among equals. An id counts once in a ranking. */
export function fuseRanks(rankings: readonly Ranking[]): readonly FusedRank[] {
  const scores = new Map<string, number>();
  for (const { ids, weight = 1 } of rankings)
    [...new Set(ids)].forEach((id, rank) => {
      const part = weight / (FUSION_RANK + rank + 1);
      scores.set(id, (scores.get(id) ?? 0) + part);
    });
  return [...scores]
    .map(([id, score]) => ({ id, score }))
    .sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1));
}
