/**
 * What the best memories for a query are about, beside the query: the words by which others are found that share
 * none with it.
 *
 * Who asks for help with a guitar may have spoken of a Les Paul; what fits tells of both. Such words are worth
 * little beside those of the query (where they are added to it, fewer turns are found: packages/evaluation/bench/memory), so what they
 * find only ever stands behind.
 */
import { MEMORY_SEARCH_DEFAULTS } from "../defaults/memory/search.ts";
import type { Postings } from "./postings.ts";
import type { QueryTerm } from "./query-terms.ts";
import { rarityOf } from "./scorer.ts";
import type { Vocabulary } from "./vocabulary.ts";

export interface Seed {
  readonly number: number;
  readonly score: number;
}

/** The words of the seeds that say the most and are not in the query; in the same order whatever came when. */
export function alikeTerms(
  seeds: readonly Seed[],
  query: readonly QueryTerm[],
  index: { readonly vocabulary: Vocabulary; readonly postings: Postings; readonly size: number },
): readonly QueryTerm[] {
  const { vocabulary, postings, size } = index;
  const asked = new Set(query.map(({ places }) => places));
  const weights = new Map<number, number>();
  for (const { number, score } of seeds)
    for (const term of postings.termsOf(number)) {
      const places = postings.find(term)!;
      // What no other memory has leads nowhere.
      if (places.count < 2 || asked.has(places)) continue;
      weights.set(term, (weights.get(term) ?? 0) + score * rarityOf(places.count, size));
    }
  return [...weights]
    .map(([number, weight]) => {
      const term = vocabulary.termOf(number);
      return { term, word: term, places: postings.find(number)!, isChoosing: true, weight };
    })
    .sort((one, other) => other.weight - one.weight || (one.term < other.term ? -1 : 1))
    .slice(0, MEMORY_SEARCH_DEFAULTS.alikeTermsCount);
}
