/**
 * Several rankings made into one by rank alone (reciprocal rank fusion): scores of different kinds cannot be
 * compared, places in a list can.
 */
import { MEMORY_SEARCH_DEFAULTS } from "../defaults/memory/search.ts";

/** A ranking, best first, and how much it counts beside the others; 1 where it does not say. */
export interface Ranking {
  readonly ids: readonly string[];
  readonly weight?: number;
}

interface FusedRank {
  readonly id: string;
  /** Larger is better; comparable within one fusion only. */
  readonly score: number;
}

/** What several rankings say together, best first; by id among equals. An id counts once in a ranking. */
export function fuseRanks(rankings: readonly Ranking[]): readonly FusedRank[] {
  const scores = new Map<string, number>();
  for (const { ids, weight = 1 } of rankings)
    [...new Set(ids)].forEach((id, rank) => {
      const part = weight / (MEMORY_SEARCH_DEFAULTS.fusionRank + rank + 1);
      scores.set(id, (scores.get(id) ?? 0) + part);
    });
  return [...scores]
    .map(([id, score]) => ({ id, score }))
    .sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1));
}
