/**
 * Scores all documents of a search index for one query. A document's score has three parts: its own words, its
 * neighbours in the conversation, and the conversation as a whole.
 *
 * A short text leans on what was said around it ("yes, on Tuesday"), a long one speaks for itself: what neighbours and
 * conversation add counts less, the longer the document.
 *
 * The conversation is scored as if it were one document: while the scorer goes through the documents that have a term,
 * it also counts the term's occurrences per conversation, so no second index is needed. A document without a word of the
 * query can be found only through a neighbour that has one.
 */
import { MEMORY_SEARCH_DEFAULTS } from "../defaults/memory/search.ts";
import { type ConversationLinks, NO_DOCUMENT, NO_GROUP } from "./conversation-links.ts";
import { placeCount, placeNumber, type TermPlaces } from "./postings.ts";
import type { QueryTerm } from "./query-terms.ts";
import { type Bm25Constants, rarityOf, type ScoredNumber, termWeight } from "./ranking.ts";

/** A document's score and the three parts that add up to it. */
export interface ScoredDocument extends ScoredNumber {
  readonly ownScore: number;
  readonly neighbourScore: number;
  readonly groupScore: number;
}

/** Weights of the parts of a score. */
export interface ScoreWeights extends Bm25Constants {
  /** Share of a neighbour's own score that is added: `near` one step away, `far` two steps. */
  readonly neighbourShares: { readonly near: number; readonly far: number };
  /** Share of the best own score that a document needs to add anything to its neighbours. */
  readonly tellingShare: number;
  /** Share of the conversation's score that is added to each of its documents. */
  readonly groupShare: number;
  /** Words that a document has for what its surroundings add to count by half; shorter ones lean on them more. */
  readonly leaningWords: number;
}

/**
 * The scores of the latest search, in typed arrays indexed by document number. The next search overwrites them. A
 * *candidate* is a document that the search scores.
 */
export class Scorer {
  readonly #links: ConversationLinks;
  readonly #weights: ScoreWeights;
  readonly #lengths: number[] = [];
  #documentCount = 0;
  #totalLength = 0;
  #own = new Float64Array(0);
  /** Weighted own scores of the neighbours one and two steps before, added up. */
  #before = new Float64Array(0);
  /** Best own score among the neighbours one step after. */
  #next = new Float64Array(0);
  /** Best own score among the neighbours two steps after. */
  #afterNext = new Float64Array(0);
  #isCandidate = new Uint8Array(0);
  /** Numbers of the candidates; only the first `#candidateCount` are in use. */
  #candidates = new Uint32Array(0);
  #candidateCount = 0;
  #groupScores = new Float64Array(0);
  #groupCounts = new Float64Array(0);

  constructor(links: ConversationLinks, weights: ScoreWeights) {
    this.#links = links;
    this.#weights = weights;
  }

  /** Adds a document of `length` words. */
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

  /** Scores all documents for the terms of a query; `scoreOf` and `partsOf` return the results. */
  score(terms: readonly QueryTerm[]): void {
    this.#clear();
    const candidateTerms = terms.filter(({ addsCandidates }) => addsCandidates);
    for (const { places } of candidateTerms) this.#addCandidates(places);
    for (const { places, weight } of terms) this.#scoreDocuments(places, weight);
    // A word that nearly all documents have says nothing about their neighbours, and visiting all of them is slow.
    if (this.#links.hasNeighbours && this.#candidateCount <= MEMORY_SEARCH_DEFAULTS.choosingPlacesCount)
      this.#scoreNeighbours();
    if (this.#links.groupCount > 0)
      for (const { places, weight } of candidateTerms) this.#scoreGroups(places, weight);
  }

  /** The numbers of the candidates, in no order. */
  get numbers(): Uint32Array {
    return this.#candidates.subarray(0, this.#candidateCount);
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
      if (this.#isCandidate[number] === 1)
        this.#own[number]! += weightOf(placeCount(place), this.#lengths[number]!);
    }
  }

  #scoreGroups({ places, count }: TermPlaces, weight = 1): void {
    const links = this.#links;
    const counts = this.#groupCounts;
    const groupsWithTerm: number[] = [];
    for (let index = 0; index < count; index++) {
      const place = places[index]!;
      const group = links.groupOf(placeNumber(place));
      if (group === NO_GROUP) continue;
      if (counts[group] === 0) groupsWithTerm.push(group);
      counts[group]! += placeCount(place);
    }
    const rarity = weight * rarityOf(groupsWithTerm.length, links.groupCount);
    const weightOf = termWeight(rarity, this.#weights, links.averageGroupTerms);
    for (const group of groupsWithTerm) {
      this.#groupScores[group]! += weightOf(counts[group]!, links.groupTerms(group));
      counts[group] = 0;
    }
  }

  /**
   * Adds shares of each document's own score to the documents one and two steps away: an answer may have none of the
   * words of its question. Documents with a low own score add nothing, because one common word would make half of all
   * conversations candidates.
   */
  #scoreNeighbours(): void {
    const links = this.#links;
    const { near, far } = this.#weights.neighbourShares;
    // Neighbours become candidates, too, but pass nothing on.
    const ownCount = this.#candidateCount;
    const leastOwn = this.#bestOwn() * this.#weights.tellingShare;
    for (let index = 0; index < ownCount; index++) {
      const number = this.#candidates[index]!;
      const own = this.#own[number]!;
      if (own < leastOwn) continue;
      const previous = links.previousOf(number);
      const beforePrevious = links.previousOf(previous);
      this.#addCandidate(previous);
      this.#addCandidate(beforePrevious);
      if (previous !== NO_DOCUMENT) this.#next[previous] = Math.max(this.#next[previous]!, own);
      if (beforePrevious !== NO_DOCUMENT)
        this.#afterNext[beforePrevious] = Math.max(this.#afterNext[beforePrevious]!, own);
      let follower = links.firstFollowerOf(number);
      for (; follower !== NO_DOCUMENT; follower = links.nextSiblingOf(follower)) {
        this.#addCandidate(follower);
        this.#before[follower]! += near * own;
        let secondFollower = links.firstFollowerOf(follower);
        for (; secondFollower !== NO_DOCUMENT; secondFollower = links.nextSiblingOf(secondFollower)) {
          this.#addCandidate(secondFollower);
          this.#before[secondFollower]! += far * own;
        }
      }
    }
  }

  #bestOwn(): number {
    let best = 0;
    for (const number of this.numbers) best = Math.max(best, this.#own[number]!);
    return best;
  }

  #addCandidates({ places, count }: TermPlaces): void {
    for (let index = 0; index < count; index++) this.#addCandidate(placeNumber(places[index]!));
  }

  #addCandidate(number: number): void {
    if (number === NO_DOCUMENT || this.#isCandidate[number] === 1) return;
    this.#isCandidate[number] = 1;
    this.#candidates[this.#candidateCount++] = number;
  }

  #neighbourScore(number: number): number {
    const { near, far } = this.#weights.neighbourShares;
    const added = this.#before[number]! + near * this.#next[number]! + far * this.#afterNext[number]!;
    return added === 0 ? 0 : this.#leaning(number) * added;
  }

  #groupScore(number: number): number {
    const group = this.#links.groupOf(number);
    if (group === NO_GROUP) return 0;
    return this.#leaning(number) * this.#weights.groupShare * this.#groupScores[group]!;
  }

  /** Between 0 and 1: how much a document leans on its surroundings. */
  #leaning(number: number): number {
    const { leaningWords } = this.#weights;
    return leaningWords / (leaningWords + this.#lengths[number]!);
  }

  #clear(): void {
    for (let index = 0; index < this.#candidateCount; index++) {
      const number = this.#candidates[index]!;
      this.#own[number] = 0;
      this.#before[number] = 0;
      this.#next[number] = 0;
      this.#afterNext[number] = 0;
      this.#isCandidate[number] = 0;
    }
    this.#candidateCount = 0;
    const length = this.#lengths.length;
    if (this.#own.length < length) {
      const size = Math.max(length, 2 * this.#own.length);
      this.#own = new Float64Array(size);
      this.#before = new Float64Array(size);
      this.#next = new Float64Array(size);
      this.#afterNext = new Float64Array(size);
      this.#isCandidate = new Uint8Array(size);
      this.#candidates = new Uint32Array(size);
    }
    if (this.#groupScores.length < this.#links.groupNumbers) {
      const size = Math.max(this.#links.groupNumbers, 2 * this.#groupScores.length);
      this.#groupScores = new Float64Array(size);
      this.#groupCounts = new Float64Array(size);
    } else this.#groupScores.fill(0);
  }
}

const averageOf = (total: number, count: number): number => Math.max(1, total / Math.max(1, count));
