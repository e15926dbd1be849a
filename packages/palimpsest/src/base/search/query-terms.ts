/**
 * The searched terms of a query: its rarest known words, as many as one search can weigh.
 *
 * A query may be a whole message with a file pasted into it. Its rare words say what it is about; common ones cost
 * the most and tell the least. So the rare ones choose which memories are weighed, common ones only add to those, and
 * the commonest are left out.
 */

import { MEMORY_SEARCH_DEFAULTS } from "../defaults/memory/search.ts";
import { CLASS_DENSE, charClass } from "../text/char-class.ts";
import { cutHead } from "../text/text.ts";
import type { Postings, TermPlaces } from "./postings.ts";
import { rarityOf } from "./ranking.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Words of the memories that fit best that are looked for, too. Source: measured on the hard questions of packages/evaluation/bench/memory: twenty and forty make no difference. */
const ALIKE_TERMS_COUNT = 20;
/** Characters of a query that are read. Our choice: what someone pastes into a message is seldom what is asked. */
const READ_QUERY_CHARACTERS = 8_000;
/** Words of a query that are looked for, the rarest ones. */
const QUERY_TERMS_COUNT = 48;
/** Places that one search looks at; the commonest words of a long query are left out beyond it. Measured by packages/evaluation/bench/memory: about a millisecond. */
const LOOKED_AT_PLACES_COUNT = 300_000;

export interface QueryTerm {
  readonly term: string;
  /** As the query writes it, in small letters. */
  readonly word: string;
  readonly places: TermPlaces;
  /** True if it brings in memories that no rarer word has. */
  readonly isChoosing: boolean;
  /** Its weight beside the others. @defaultValue 1 */
  readonly weight?: number;
}

/** The known terms of a query, the rarest first. */
export function readQuery(query: string, vocabulary: Vocabulary, postings: Postings): readonly QueryTerm[] {
  const { choosingPlacesCount } = MEMORY_SEARCH_DEFAULTS;
  const found = new Map<string, Omit<QueryTerm, "isChoosing">>();
  vocabulary.visitKnown(cutHead(query, READ_QUERY_CHARACTERS), (number, term, word) => {
    const places = found.has(term) ? undefined : postings.find(number);
    if (places !== undefined) found.set(term, { term, word, places });
  });
  // Next to pairs of characters, the single ones they are made of would count everything twice.
  const hasPairs = [...found.keys()].some((term) => term.length === 2 && isDense(term));
  const known = [...found.values()].filter(({ term }) => !(hasPairs && term.length === 1 && isDense(term)));
  known.sort((one, other) => one.places.count - other.places.count || (one.term < other.term ? -1 : 1));

  let placesCount = 0;
  return known.slice(0, QUERY_TERMS_COUNT).flatMap((term, position) => {
    placesCount += term.places.count;
    if (position > 0 && placesCount > LOOKED_AT_PLACES_COUNT) return [];
    return [{ ...term, isChoosing: position === 0 || placesCount <= choosingPlacesCount }];
  });
}

const isDense = (term: string): boolean => charClass(term.charCodeAt(0)) === CLASS_DENSE;

interface Seed {
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
    .slice(0, ALIKE_TERMS_COUNT);
}
