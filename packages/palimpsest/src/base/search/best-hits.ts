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
  let worst: Candidate | undefined;
  for (const number of scored.numbers) {
    const score = scored.scoreOf(number);
    if (score <= 0) continue;
    // Of very many equals, too, only few are kept.
    if (worst !== undefined && score <= worst.score)
      if (score < worst.score || ids[number]! > ids[worst.number]!) continue;
    if (accepts?.(ids[number]!) === false) continue;
    best.push({ number, score });
    if (best.length < 2 * limit) continue;
    best = best.sort(better).slice(0, limit);
    worst = best.at(-1);
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
