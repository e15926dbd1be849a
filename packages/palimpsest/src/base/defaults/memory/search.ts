/**
 * Numbers of the search for memories: what a word weighs, what lies around a memory adds, and how much of a
 * text is read.
 */
import { assert } from "../../assert.ts";

export const MEMORY_SEARCH_DEFAULTS = {
  /** Weight of a word in each part of a memory. Source: our choice: a name and a description were written to say what it is about. */
  fieldWeights: { name: 3, description: 2, tags: 2, time: 1, body: 1 },
  /** BM25's k1: how soon repetition stops counting. Source: packages/evaluation/bench/memory: short texts want it a little below the usual 1.2. */
  k1: 0.9,
  /** BM25's b: how much a long text is held against it. Source: packages/evaluation/bench/memory: short texts want it below the usual 0.75. */
  b: 0.4,
  /** Share of the scores of the memories one and two steps before and after that is added to a memory's score. Source: packages/evaluation/bench/memory. */
  neighbourShares: { near: 0.5, far: 0.3 },
  /** Part of the best memory's own score below which a memory adds nothing to its neighbours. Source: packages/evaluation/bench/memory: sessions are found a little more often, and in half the time. */
  tellingShare: 0.2,
  /** Part of the score of the whole conversation that is added to each memory out of it. Source: packages/evaluation/bench/memory: more finds more of one conversation and less of several. */
  groupShare: 0.8,
  /** Memories that fit best whose other words find what shares none with the query. Source: measured on the hard questions of packages/evaluation/bench/memory: three to eight make no difference. */
  alikeSeedsCount: 5,
  /** Words of those memories that are looked for. Source: measured on the hard questions of packages/evaluation/bench/memory: twenty and forty make no difference. */
  alikeTermsCount: 20,
  /** The most that such a memory is worth, as a part of the last one that has a word of the query. Source: our choice: neither age nor time puts it before one of those, and without a model it is not shown. */
  alikeShare: 0.1,
  /** Characters of one memory that are read, from its beginning; the rest is not found. Source: our choice: far more than a memory has, so that a huge file costs no more than some pages. */
  memoryCharacters: 40_000,
  /** Characters of a query that are read. Source: our choice: what someone pastes into a message is seldom what is asked. */
  readQueryCharacters: 8_000,
  /** Words of a query that are looked for, the rarest ones. Source: our choice. */
  queryTermsCount: 48,
  /** Places of the rarest words that choose which memories are weighed; beyond it a word only adds to those. Source: packages/evaluation/bench/memory: no difference with a few thousand memories; with a hundred thousand, a search takes a few milliseconds instead of tens. */
  choosingPlacesCount: 8_000,
  /** Places that one search looks at; the commonest words of a long query are left out beyond it. Source: packages/evaluation/bench/memory: about a millisecond. */
  lookedAtPlacesCount: 300_000,
  /** Words that are remembered with what they are compared by. Source: our choice: a large vocabulary. */
  wordsKeptCount: 100_000,
  /** Reciprocal rank fusion's constant: how little the very first ranks differ. Source: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion", 2009: 60. */
  fusionRank: 60,
} as const;

assert(
  MEMORY_SEARCH_DEFAULTS.neighbourShares.far <= MEMORY_SEARCH_DEFAULTS.neighbourShares.near &&
    MEMORY_SEARCH_DEFAULTS.neighbourShares.near < 1,
  "what a memory says itself counts most, and what is farther away least",
);
