/**
 * The best of very many scored documents, without sorting all of them.
 */

export interface ScoredDocument {
  readonly number: number;
  readonly score: number;
  readonly ownScore: number;
  readonly neighbourScore: number;
  readonly groupScore: number;
}

/** Documents that a search has weighed, told one by one; none twice. */
export interface ScoredDocuments {
  readonly numbers: Uint32Array;
  scoreOf(number: number): number;
  partsOf(number: number): ScoredDocument;
}

/**
 * The `limit` best that are accepted, by id among equals. A list is kept that is cut back when it has doubled,
 * and `accepts` is asked only about what could still be among the best.
 */
export function bestHits(
  scored: ScoredDocuments,
  limit: number,
  ids: readonly string[],
  accepts: ((id: string) => boolean) | undefined,
): readonly ScoredDocument[] {
  const better = (one: Candidate, other: Candidate) =>
    other.score - one.score || (ids[one.number]! < ids[other.number]! ? -1 : 1);
  let best: Candidate[] = [];
  let least = 0;
  for (const number of scored.numbers) {
    const score = scored.scoreOf(number);
    if (score <= 0 || score < least || accepts?.(ids[number]!) === false) continue;
    best.push({ number, score });
    if (best.length < 2 * limit) continue;
    best = best.sort(better).slice(0, limit);
    least = best.at(-1)!.score;
  }
  return best
    .sort(better)
    .slice(0, limit)
    .map(({ number }) => scored.partsOf(number));
}

interface Candidate {
  readonly number: number;
  readonly score: number;
}
