/**
 * A search index as flat arrays of numbers, which another process reads in a fraction of the time that it takes to
 * index the texts again.
 *
 * Documents and terms are numbered without gaps, in the order of their numbers here, so that the places of each term
 * stay sorted. Large arrays come in parts, so that a writer can give others a turn in between.
 */
import { type Postings, placeNumber, renumbered, type SavedPostings } from "./postings.ts";
import type { Scorer } from "./scorer.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Numbers in one part of an array. Our choice: a millisecond or two. */
const PART_COUNT = 32_768;

/** The names of the arrays, in the order in which they are saved. */
export const SAVED_ARRAYS = ["termCounts", "places", "documentCounts", "documentTerms", "lengths"] as const;

export interface SavedSearch {
  readonly ids: readonly string[];
  readonly terms: readonly string[];
  /** Lengths of the arrays. */
  readonly counts: Readonly<Record<(typeof SAVED_ARRAYS)[number], number>>;
  parts(name: (typeof SAVED_ARRAYS)[number]): Iterable<Uint32Array>;
}

/** A saved search, read again. */
export interface RestoredSearch extends SavedPostings {
  readonly documents: readonly {
    readonly id: string;
    readonly before: string | undefined;
    readonly group: string | undefined;
  }[];
  readonly terms: readonly string[];
  readonly lengths: Uint32Array;
}

interface SearchParts {
  readonly vocabulary: Vocabulary;
  readonly postings: Postings;
  readonly scorer: Scorer;
  readonly ids: readonly string[];
  readonly numbers: ReadonlyMap<string, number>;
}

export function saveSearch({ vocabulary, postings, scorer, ids, numbers }: SearchParts): SavedSearch {
  const documents = Uint32Array.from(numbers.values()).sort();
  const terms = vocabulary.numbersInUse().filter((term) => postings.find(term) !== undefined);
  const newNumbers = numbersOf(documents);
  const newTerms = numbersOf(terms);
  let placesCount = 0;
  for (const term of terms) placesCount += postings.find(term)!.count;
  function* placesOf(): Iterable<number> {
    for (const term of terms) {
      const { places, count } = postings.find(term)!;
      for (let at = 0; at < count; at++) yield renumbered(places[at]!, newNumbers[placeNumber(places[at]!)]!);
    }
  }
  function* termsOf(): Iterable<number> {
    for (const number of documents) for (const term of postings.termsOf(number)) yield newTerms[term]!;
  }
  function* ofEach(numbers: Iterable<number>, measure: (number: number) => number): Iterable<number> {
    for (const number of numbers) yield measure(number);
  }
  const values: Record<(typeof SAVED_ARRAYS)[number], () => Iterable<number>> = {
    termCounts: () => ofEach(terms, (term) => postings.find(term)!.count),
    places: placesOf,
    documentCounts: () => ofEach(documents, (number) => postings.termsOf(number).length),
    documentTerms: termsOf,
    lengths: () => ofEach(documents, (number) => scorer.lengthOf(number)),
  };
  return {
    ids: Array.from(documents, (number) => ids[number]!),
    terms: terms.map((term) => vocabulary.termOf(term)),
    counts: {
      termCounts: terms.length,
      places: placesCount,
      documentCounts: documents.length,
      documentTerms: placesCount,
      lengths: documents.length,
    },
    parts: (name) => inParts(values[name]()),
  };
}

/** By old number: the place in the order. */
function numbersOf(old: ArrayLike<number>): Uint32Array {
  const numbers = new Uint32Array(old.length === 0 ? 0 : old[old.length - 1]! + 1);
  for (let at = 0; at < old.length; at++) numbers[old[at]!] = at;
  return numbers;
}

function* inParts(values: Iterable<number>): Iterable<Uint32Array> {
  let part = new Uint32Array(PART_COUNT);
  let count = 0;
  for (const value of values) {
    part[count++] = value;
    if (count < PART_COUNT) continue;
    yield part;
    part = new Uint32Array(PART_COUNT);
    count = 0;
  }
  if (count > 0) yield part.subarray(0, count);
}

/** False for arrays that do not fit each other: the bytes were damaged, or forged. */
export async function isWhole(saved: RestoredSearch, yieldTurn: () => Promise<void>): Promise<boolean> {
  const { documents, terms, termCounts, places, documentCounts, documentTerms, lengths } = saved;
  const sum = (counts: Uint32Array): number => counts.reduce((total, count) => total + count, 0);
  if (termCounts.length !== terms.length) return false;
  if (documentCounts.length !== documents.length || lengths.length !== documents.length) return false;
  if (sum(termCounts) !== places.length || sum(documentCounts) !== documentTerms.length) return false;
  for (let at = 0; at < places.length; at++) {
    if (placeNumber(places[at]!) >= documents.length || documentTerms[at]! >= terms.length) return false;
    if (at % (8 * PART_COUNT) === 0) await yieldTurn();
  }
  return places.length === documentTerms.length;
}
