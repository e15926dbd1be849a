/**
 * Chooses the terms of a query that a search looks up: the rarest of its words that the index knows.
 *
 * A query may be a whole message with a file pasted into it. Its rare words say what it is about; common ones cost
 * the most and say the least. So only the rare words make memories candidates, common words only add to the scores of
 * those candidates, and the most common ones are left out.
 */

import { MEMORY_SEARCH_DEFAULTS } from "../defaults/memory/search.ts";
import { CLASS_DENSE, charClass } from "../text/char-class.ts";
import { cutHead } from "../text/text.ts";
import { visitTerms } from "../text/text-terms.ts";
import { DENSE_PHRASES, FOREIGN_WORDS, isForeign } from "./english-words.ts";
import { joinPlaces, type Postings, type TermPlaces } from "./postings.ts";
import { rarityOf } from "./ranking.ts";
import { beginningOf, type Vocabulary, wordTerms } from "./vocabulary.ts";

/** Number of terms that {@link findRelatedTerms} adds from the best results. Source: measured on the hard questions of packages/evaluation/bench/memory: twenty and forty make no difference. */
const RELATED_TERMS_COUNT = 20;
/** Characters of a query that are read. Our choice: text pasted into a message is seldom the question. */
const READ_QUERY_CHARACTERS = 8_000;
/** Most terms of a query that are looked up, the rarest first. */
const QUERY_TERMS_COUNT = 48;
/** Most places (a term in a document) that one search visits; further terms of a long query are left out. Measured by packages/evaluation/bench/memory: about a millisecond. */
const VISITED_PLACES_COUNT = 300_000;

export interface QueryTerm {
  readonly term: string;
  /** The word as the query writes it, in lower case. */
  readonly word: string;
  readonly places: TermPlaces;
  /** True if every memory that has the term becomes a candidate; false if it only adds to the scores of candidates. */
  readonly addsCandidates: boolean;
  /** Its weight relative to the other terms. @defaultValue 1 */
  readonly weight?: number;
}

/** Returns the terms of a query that the index knows, the rarest first. */
export function readQuery(query: string, vocabulary: Vocabulary, postings: Postings): readonly QueryTerm[] {
  const { choosingPlacesCount } = MEMORY_SEARCH_DEFAULTS;
  const read = cutHead(query, READ_QUERY_CHARACTERS);
  const found = new Map<string, Omit<QueryTerm, "addsCandidates">>();
  vocabulary.visitKnown(read, (number, term, word) => {
    const places = found.has(term) ? undefined : postings.find(number);
    if (places !== undefined) found.set(term, { term, word, places });
  });
  // Scripts without blanks are indexed by pairs of characters: single characters beside them would count twice.
  const hasPairs = [...found.keys()].some((term) => term.length === 2 && isDense(term));
  const known = [...found.values()].filter(({ term }) => !(hasPairs && term.length === 1 && isDense(term)));
  const all = isForeign(read) ? [...known, ...findOtherForms(read, vocabulary, postings)] : known;
  all.sort(
    (one, other) =>
      one.places.count - other.places.count ||
      // A term before its forms.
      (other.weight ?? 1) - (one.weight ?? 1) ||
      (one.term < other.term ? -1 : 1),
  );

  let placesCount = 0;
  return all.slice(0, QUERY_TERMS_COUNT).flatMap((term, position) => {
    placesCount += term.places.count;
    if (position > 0 && placesCount > VISITED_PLACES_COUNT) return [];
    return [{ ...term, addsCandidates: position === 0 || placesCount <= choosingPlacesCount }];
  });
}

/** Weight of the other forms of a word. Source: packages/evaluation/bench/memory: of sentences and answers in twelve languages R@10 is 1 to 15 points higher than without; a weight of 1 differs by a point. English words have stems, and find no more with it. */
const FORMS_WEIGHT = 0.6;

/** For each longer word of a query: all terms with its first letters as one, if there are others than its own. */
function findOtherForms(
  query: string,
  vocabulary: Vocabulary,
  postings: Postings,
): readonly Omit<QueryTerm, "addsCandidates">[] {
  const asked = new Map<string, { readonly term: string; readonly word: string }>();
  visitTerms(query, (word) => {
    for (const term of wordTerms(word)) {
      const beginning = beginningOf(term);
      if (beginning !== undefined && !asked.has(beginning)) asked.set(beginning, { term, word });
    }
  });
  const { choosingPlacesCount } = MEMORY_SEARCH_DEFAULTS;
  const groups = [...asked].flatMap(([beginning, { term, word }]) => {
    const numbers = vocabulary.withBeginning(beginning);
    const places = numbers.flatMap((number) => postings.find(number) ?? []);
    const count = places.reduce((sum, one) => sum + one.count, 0);
    const isOnlyItself = numbers.every((number) => vocabulary.termOf(number) === term);
    return isOnlyItself || count === 0 ? [] : [{ term, word, places, count }];
  });
  groups.sort((one, other) => one.count - other.count || (one.term < other.term ? -1 : 1));
  let placesCount = 0;
  return groups.flatMap(({ term, word, places, count }) => {
    placesCount += count;
    if (placesCount > choosingPlacesCount) return [];
    return [{ term, word, places: joinPlaces(places), weight: FORMS_WEIGHT }];
  });
}

/** Rarest terms of a query that make up its weight. Source: packages/evaluation/bench/memory: with 6 long messages are given three times as many memories that do not belong, with 12 long questions find less. */
const WEIGHED_TERMS_COUNT = 8;

/** Fewer documents than this say little of how rare a word is: they count as so many. Our choice: a month of memories. */
const LEAST_COMPARED_COUNT = 100;

/** Words that a message is phrased with, and that say nothing of what it is about. */
const PHRASING: ReadonlySet<string> = new Set([
  ...(
    "please thanks thank again once more now still really maybe just ok okay yes hi hello hey sure want need like " +
    "know tell show give let help us get make use using"
  )
    .split(" ")
    .concat(...FOREIGN_WORDS)
    .flatMap(wordTerms),
  ...pairsIn(DENSE_PHRASES),
]);

/** The pairs of characters by which a script without blanks is searched. */
function pairsIn(text: string): readonly string[] {
  const pairs: string[] = [];
  visitTerms(text, (term) => {
    if (term.length === 2) pairs.push(term);
  });
  return pairs;
}

/** The kind of what is asked for: an answer has the day itself, not the word. German, Spanish and Chinese as well. */
const ASKED_KIND = new RegExp(
  [
    "(?<!\\p{L})(?:which|what|how many) (?:week)?(?:day|date|time|hour|month|year|place|number)s?(?!\\p{L})",
    "(?<!\\p{L})welche[mnrs]? (?:wochen)?(?:tag|datum|uhrzeit|monat|jahr|ort|nummer)(?:e[ns]?)?(?!\\p{L})",
    "(?<!\\p{L})qué (?:día|fecha|hora|mes|año|lugar|número)(?:e?s)?(?!\\p{L})",
    "(?:星期|周)?几|哪(?:一?天|个?月|年)",
  ].join("|"),
  "giu",
);

/** The weight of one term in a query. */
function matchedWeight(term: string, count: number, size: number): number {
  return PHRASING.has(term) ? 0 : rarityOf(count, Math.max(size, LEAST_COMPARED_COUNT));
}

/** Rarity of the words of a query. */
interface QueryWeights {
  readonly ofTerms: ReadonlyMap<string, number>;
  /** Of its rarest words, added up. */
  readonly total: number;
}

/**
 * Weighs a query. A word that no document has is as rare as can be, so that a document which has one word of many
 * matches little of the whole.
 */
export function weighQuery(
  query: string,
  vocabulary: Vocabulary,
  postings: Postings,
  size: number,
): QueryWeights {
  const counts = new Map<string, number>();
  visitTerms(cutHead(query, READ_QUERY_CHARACTERS).replace(ASKED_KIND, " "), (word) => {
    for (const term of wordTerms(word)) {
      if (counts.has(term)) continue;
      const number = vocabulary.numberOf(term);
      counts.set(term, number === undefined ? 0 : (postings.find(number)?.count ?? 0));
    }
  });
  const hasPairs = [...counts.keys()].some((term) => term.length === 2 && isDense(term));
  const ofTerms = new Map(
    [...counts].flatMap(([term, count]) =>
      hasPairs && term.length === 1 && isDense(term)
        ? []
        : [[term, matchedWeight(term, count, size)] as const],
    ),
  );
  const rarest = [...ofTerms.values()].sort((one, other) => other - one).slice(0, WEIGHED_TERMS_COUNT);
  return { ofTerms, total: rarest.reduce((sum, rarity) => sum + rarity, 0) };
}

const isDense = (term: string): boolean => charClass(term.charCodeAt(0)) === CLASS_DENSE;

interface Seed {
  readonly number: number;
  readonly score: number;
}

/**
 * Returns further terms to search for: the rarest terms of the best results (`seeds`) that are not in the query. Their
 * order does not depend on the order in which documents were added.
 */
export function findRelatedTerms(
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
      // A term that no other memory has finds nothing new.
      if (places.count < 2 || asked.has(places)) continue;
      weights.set(term, (weights.get(term) ?? 0) + score * rarityOf(places.count, size));
    }
  return [...weights]
    .map(([number, weight]) => {
      const term = vocabulary.termOf(number);
      return { term, word: term, places: postings.find(number)!, addsCandidates: true, weight };
    })
    .sort((one, other) => other.weight - one.weight || (one.term < other.term ? -1 : 1))
    .slice(0, RELATED_TERMS_COUNT);
}
