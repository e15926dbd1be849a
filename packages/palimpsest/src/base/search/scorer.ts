/**
 * The scores of all documents for one query: their own, their neighbours' and their conversation's.
 *
 * A conversation is weighed as if it were one document: while the places of a term are gone through, its
 * occurrences are counted for each conversation, so no second index is needed. A document that has no word of
 * the query can be found only through a neighbour that has one.
 */
import { MEMORY_SEARCH_DEFAULTS } from "../defaults/memory/search.ts";
import { type ConversationLinks, NO_DOCUMENT, NO_GROUP } from "./conversation-links.ts";
import { placeCount, placeNumber, type TermPlaces } from "./postings.ts";
import type { QueryTerm } from "./query-terms.ts";
import { type Bm25Constants, rarityOf, type ScoredNumber, termWeight } from "./ranking.ts";

/** The parts of one document's score. */
export interface ScoredDocument extends ScoredNumber {
  readonly ownScore: number;
  readonly neighbourScore: number;
  readonly groupScore: number;
}

/** Weights of the parts of a score. */
export interface ScoreWeights extends Bm25Constants {
  readonly neighbourShares: { readonly near: number; readonly far: number };
  /** Part of the best document's own score below which one tells its neighbours nothing. */
  readonly tellingShare: number;
  readonly groupShare: number;
}

/** One search's scores; the next search writes over them. */
export class Scorer {
  readonly #links: ConversationLinks;
  readonly #weights: ScoreWeights;
  readonly #lengths: number[] = [];
  #documentCount = 0;
  #totalLength = 0;
  #own = new Float64Array(0);
  /** Weighed scores of one and two steps before, and the best of one and two steps after. */
  #before = new Float64Array(0);
  #next = new Float64Array(0);
  #afterNext = new Float64Array(0);
  #isTouched = new Uint8Array(0);
  #numbers = new Uint32Array(0);
  #count = 0;
  #groupScores = new Float64Array(0);
  #groupCounts = new Float64Array(0);

  constructor(links: ConversationLinks, weights: ScoreWeights) {
    this.#links = links;
    this.#weights = weights;
  }

  learn(number: number, length: number): void {
    this.#lengths[number] = length;
    this.#documentCount++;
    this.#totalLength += length;
  }

  forget(number: number): void {
    this.#documentCount--;
    this.#totalLength -= this.#lengths[number]!;
  }

  lengthOf(number: number): number {
    return this.#lengths[number]!;
  }

  score(terms: readonly QueryTerm[]): void {
    this.#clear();
    const choosing = terms.filter(({ isChoosing }) => isChoosing);
    for (const { places } of choosing) this.#touchAll(places);
    for (const { places, weight } of terms) this.#scoreDocuments(places, weight);
    // A word that nearly all have says nothing of their neighbours, and asking all of them takes long.
    if (this.#links.hasNeighbours && this.#count <= MEMORY_SEARCH_DEFAULTS.choosingPlacesCount)
      this.#scoreNeighbours();
    if (this.#links.groupCount > 0) for (const { places } of choosing) this.#scoreGroups(places);
  }

  get numbers(): Uint32Array {
    return this.#numbers.subarray(0, this.#count);
  }

  scoreOf(number: number): number {
    return this.#own[number]! + this.#neighbourScore(number) + this.#groupScore(number);
  }

  partsOf(number: number): ScoredDocument {
    return {
      number,
      score: this.scoreOf(number),
      ownScore: this.#own[number]!,
      neighbourScore: this.#neighbourScore(number),
      groupScore: this.#groupScore(number),
    };
  }

  #scoreDocuments({ places, count }: TermPlaces, weight = 1): void {
    const rarity = weight * rarityOf(count, this.#documentCount);
    const weightOf = termWeight(rarity, this.#weights, averageOf(this.#totalLength, this.#documentCount));
    for (let index = 0; index < count; index++) {
      const place = places[index]!;
      const number = placeNumber(place);
      if (this.#isTouched[number] === 1)
        this.#own[number]! += weightOf(placeCount(place), this.#lengths[number]!);
    }
  }

  #scoreGroups({ places, count }: TermPlaces): void {
    const links = this.#links;
    const counts = this.#groupCounts;
    const touched: number[] = [];
    for (let index = 0; index < count; index++) {
      const place = places[index]!;
      const group = links.groupOf(placeNumber(place));
      if (group === NO_GROUP) continue;
      if (counts[group] === 0) touched.push(group);
      counts[group]! += placeCount(place);
    }
    const rarity = rarityOf(touched.length, links.groupCount);
    const weightOf = termWeight(rarity, this.#weights, links.averageGroupTerms);
    for (const group of touched) {
      this.#groupScores[group]! += weightOf(counts[group]!, links.groupTerms(group));
      counts[group] = 0;
    }
  }

  /**
   * Every document that has enough of the query tells it to those one and two steps away, which may be what was
   * meant. One common word is not enough: it would make half of all conversations candidates.
   */
  #scoreNeighbours(): void {
    const links = this.#links;
    const { near, far } = this.#weights.neighbourShares;
    const ownCount = this.#count;
    const leastOwn = this.#bestOwn() * this.#weights.tellingShare;
    for (let index = 0; index < ownCount; index++) {
      const number = this.#numbers[index]!;
      const own = this.#own[number]!;
      if (own < leastOwn) continue;
      const previous = links.previousOf(number);
      const last = links.previousOf(previous);
      this.#touch(previous);
      this.#touch(last);
      if (previous !== NO_DOCUMENT) this.#next[previous] = Math.max(this.#next[previous]!, own);
      if (last !== NO_DOCUMENT) this.#afterNext[last] = Math.max(this.#afterNext[last]!, own);
      let follower = links.firstFollowerOf(number);
      for (; follower !== NO_DOCUMENT; follower = links.nextSiblingOf(follower)) {
        this.#touch(follower);
        this.#before[follower]! += near * own;
        let next = links.firstFollowerOf(follower);
        for (; next !== NO_DOCUMENT; next = links.nextSiblingOf(next)) {
          this.#touch(next);
          this.#before[next]! += far * own;
        }
      }
    }
  }

  #bestOwn(): number {
    let best = 0;
    for (const number of this.numbers) best = Math.max(best, this.#own[number]!);
    return best;
  }

  #touchAll({ places, count }: TermPlaces): void {
    for (let index = 0; index < count; index++) this.#touch(placeNumber(places[index]!));
  }

  #touch(number: number): void {
    if (number === NO_DOCUMENT || this.#isTouched[number] === 1) return;
    this.#isTouched[number] = 1;
    this.#numbers[this.#count++] = number;
  }

  #neighbourScore(number: number): number {
    const { near, far } = this.#weights.neighbourShares;
    return this.#before[number]! + near * this.#next[number]! + far * this.#afterNext[number]!;
  }

  #groupScore(number: number): number {
    const group = this.#links.groupOf(number);
    return group === NO_GROUP ? 0 : this.#weights.groupShare * this.#groupScores[group]!;
  }

  #clear(): void {
    for (let index = 0; index < this.#count; index++) {
      const number = this.#numbers[index]!;
      this.#own[number] = 0;
      this.#before[number] = 0;
      this.#next[number] = 0;
      this.#afterNext[number] = 0;
      this.#isTouched[number] = 0;
    }
    this.#count = 0;
    const length = this.#lengths.length;
    if (this.#own.length < length) {
      const size = Math.max(length, 2 * this.#own.length);
      this.#own = new Float64Array(size);
      this.#before = new Float64Array(size);
      this.#next = new Float64Array(size);
      this.#afterNext = new Float64Array(size);
      this.#isTouched = new Uint8Array(size);
      this.#numbers = new Uint32Array(size);
    }
    if (this.#groupScores.length < this.#links.groupNumbers) {
      const size = Math.max(this.#links.groupNumbers, 2 * this.#groupScores.length);
      this.#groupScores = new Float64Array(size);
      this.#groupCounts = new Float64Array(size);
    } else this.#groupScores.fill(0);
  }
}

const averageOf = (total: number, count: number): number => Math.max(1, total / Math.max(1, count));
