/**
 * Positions of each term: the documents that have it, with its weight and fields there.
 *
 * A place is one 32-bit number: the document's number, the weighed count (capped at a value where repetition no
 * longer matters) and one bit for each field. The places of a term are sorted, so that one can be found, inserted and
 * removed anywhere; numbers of documents are reused. So results never depend on the order in which documents came and
 * went.
 */
import { assert } from "../assert.ts";

const FIELD_BITS = 5;
const COUNT_BITS = 6;
const NUMBER_SHIFT = FIELD_BITS + COUNT_BITS;
const MOST_COUNT = 2 ** COUNT_BITS - 1;
/** Documents that one index numbers. */
export const MOST_DOCUMENTS = 2 ** (32 - NUMBER_SHIFT);
const FIRST_PLACES = 2;
/** Places up to which their room doubles; beyond, it grows by a share. Our choice: a new memory has a dozen terms of thousands of places, and new memory of the machine costs more than copying. */
const DOUBLED_COUNT = 512;
const GROWN_SHARE = 1 / 8;
/** Terms without places that are kept before they are given up together. */
const EMPTY_TERMS_KEPT = 1_000;

export interface TermPlaces {
  /** Only the first `count` are places. */
  places: Uint32Array;
  count: number;
}

/** Places of many terms and terms of many documents, one after the other: what a saved index is made of. */
export interface SavedPostings {
  /** By term: how many places it has. */
  readonly termCounts: Uint32Array;
  readonly places: Uint32Array;
  /** By document: how many terms it has. */
  readonly documentCounts: Uint32Array;
  readonly documentTerms: Uint32Array;
}

/** Saved postings, and where each term's and each document's begin. They are taken out of it when they are needed. */
interface Restored extends SavedPostings {
  readonly termStarts: Uint32Array;
  readonly documentStarts: Uint32Array;
}

const NO_TERMS: ArrayLike<number> & Iterable<number> = [];

export const placeNumber = (place: number): number => place >>> NUMBER_SHIFT;
export const placeCount = (place: number): number => (place >>> FIELD_BITS) & MOST_COUNT;
const placeFields = (place: number): number => place & (2 ** FIELD_BITS - 1);

export class Postings {
  /** By number of the term. */
  readonly #ofTerm: (TermPlaces | undefined)[] = [];
  /** Numbers of the terms of each document, by its number: what has to be taken out again. */
  readonly #ofDocument: ((ArrayLike<number> & Iterable<number>) | undefined)[] = [];
  #restored: Restored | undefined;
  #emptyCount = 0;
  /** Counts and terms of the document that is being added. */
  #counts = new Int32Array(0);
  #fields = new Uint8Array(0);
  #touched: number[] = [];

  find(term: number): TermPlaces | undefined {
    const places = this.#placesOf(term);
    return places === undefined || places.count === 0 ? undefined : places;
  }

  #placesOf(term: number): TermPlaces | undefined {
    const places = this.#ofTerm[term];
    if (places !== undefined || this.#restored === undefined) return places;
    const { termStarts, termCounts, places: all } = this.#restored;
    const count = termCounts[term];
    if (count === undefined || count === 0) return undefined;
    const own = { places: all.subarray(termStarts[term], termStarts[term]! + count), count };
    // From now on they are here.
    termCounts[term] = 0;
    this.#ofTerm[term] = own;
    return own;
  }

  /** Numbers of the terms that a document has, each once. */
  termsOf(number: number): ArrayLike<number> & Iterable<number> {
    const terms = this.#ofDocument[number];
    if (terms !== undefined || this.#restored === undefined) return terms ?? NO_TERMS;
    const { documentStarts, documentCounts, documentTerms } = this.#restored;
    const start = documentStarts[number];
    return start === undefined ? NO_TERMS : documentTerms.subarray(start, start + documentCounts[number]!);
  }

  /** Takes over saved postings, which are not copied: an index that has nothing yet. */
  restore(saved: SavedPostings): void {
    const { termCounts, documentCounts } = saved;
    this.#ofTerm.length = termCounts.length;
    this.#ofTerm.fill(undefined);
    this.#restored = { ...saved, termStarts: startsOf(termCounts), documentStarts: startsOf(documentCounts) };
  }

  /** Says of the next document that it has a term once more. */
  note(term: number, weight: number, fieldBit: number): void {
    if (term >= this.#counts.length) this.#grow(term);
    if (this.#counts[term] === 0) this.#touched.push(term);
    this.#counts[term]! += weight;
    this.#fields[term]! |= fieldBit;
  }

  /** Puts in what was noted, as a document of this number. */
  add(number: number): void {
    assert(number < MOST_DOCUMENTS, "a document's number fits into its place");
    for (const term of this.#touched) {
      let places = this.#placesOf(term);
      if (places === undefined) {
        places = { places: new Uint32Array(FIRST_PLACES), count: 0 };
        this.#ofTerm[term] = places;
      } else if (places.count === 0) this.#emptyCount--;
      const count = Math.min(this.#counts[term]!, MOST_COUNT);
      insert(places, ((number << NUMBER_SHIFT) | (count << FIELD_BITS) | this.#fields[term]!) >>> 0);
      this.#counts[term] = 0;
      this.#fields[term] = 0;
    }
    this.#ofDocument[number] = Int32Array.from(this.#touched);
    this.#touched = [];
  }

  remove(number: number): void {
    for (const term of this.termsOf(number)) {
      const places = this.#placesOf(term)!;
      const at = firstNotBelow(places, number);
      places.places.copyWithin(at, at + 1, places.count);
      places.count--;
      if (places.count === 0) this.#emptyCount++;
    }
    this.#ofDocument[number] = NO_TERMS;
  }

  /** Terms without documents, once there are many; their numbers become free. */
  takeEmptyTerms(termCount: number): readonly number[] {
    if (this.#emptyCount <= EMPTY_TERMS_KEPT + termCount / 2) return [];
    const empty: number[] = [];
    this.#ofTerm.forEach((places, term) => {
      if (places?.count !== 0) return;
      empty.push(term);
      this.#ofTerm[term] = undefined;
    });
    this.#emptyCount = 0;
    return empty;
  }

  #grow(term: number): void {
    const size = Math.max(term + 1, 2 * this.#counts.length, EMPTY_TERMS_KEPT);
    const counts = new Int32Array(size);
    const fields = new Uint8Array(size);
    counts.set(this.#counts);
    fields.set(this.#fields);
    this.#counts = counts;
    this.#fields = fields;
  }
}

function startsOf(counts: Uint32Array): Uint32Array {
  const starts = new Uint32Array(counts.length);
  for (let at = 1; at < counts.length; at++) starts[at] = starts[at - 1]! + counts[at - 1]!;
  return starts;
}

/** The same place of a document that has another number. */
export function renumbered(place: number, number: number): number {
  return ((number << NUMBER_SHIFT) | (place & (2 ** NUMBER_SHIFT - 1))) >>> 0;
}

/** The places of several terms as those of one. */
export function joinPlaces(all: readonly TermPlaces[]): TermPlaces {
  const joined = new Uint32Array(all.reduce((sum, { count }) => sum + count, 0));
  let count = 0;
  for (const { places, count: added } of all) {
    joined.set(places.subarray(0, added), count);
    count += added;
  }
  joined.sort();
  count = 0;
  for (const place of joined) {
    const last = count === 0 ? undefined : joined[count - 1]!;
    if (last === undefined || placeNumber(last) !== placeNumber(place)) joined[count++] = place;
    else joined[count - 1] = addPlaces(last, place);
  }
  return { places: joined, count };
}

/** Two places of one document as one. */
function addPlaces(one: number, other: number): number {
  const count = Math.min(placeCount(one) + placeCount(other), MOST_COUNT);
  const fields = placeFields(one) | placeFields(other);
  return ((placeNumber(one) << NUMBER_SHIFT) | (count << FIELD_BITS) | fields) >>> 0;
}

/** The fields in which a document has a term, as bits; 0 where it does not have it. */
export function fieldsAt(places: TermPlaces, number: number): number {
  const at = firstNotBelow(places, number);
  const place = at < places.count ? places.places[at]! : undefined;
  return place !== undefined && placeNumber(place) === number ? placeFields(place) : 0;
}

function insert(into: TermPlaces, place: number): void {
  if (into.count === into.places.length) {
    const added = into.count <= DOUBLED_COUNT ? into.count : Math.ceil(into.count * GROWN_SHARE);
    const larger = new Uint32Array(into.count + added);
    larger.set(into.places);
    into.places = larger;
  }
  const last = into.count === 0 ? -1 : into.places[into.count - 1]!;
  if (place > last) into.places[into.count] = place;
  else {
    const at = firstNotBelow(into, placeNumber(place));
    into.places.copyWithin(at + 1, at, into.count);
    into.places[at] = place;
  }
  into.count++;
}

function firstNotBelow({ places, count }: TermPlaces, number: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (placeNumber(places[middle]!) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}
