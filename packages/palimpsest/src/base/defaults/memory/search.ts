/**
 * Numbers of the search for memories: what a word weighs, what lies around a memory adds, and how much of a
 * text is read.
 */
import { assert } from "../../assert.ts";

export const MEMORY_SEARCH_DEFAULTS = {
  /** Weight of a word in each part of a memory. Source: our choice: a name and a description were written to say what it is about. */
  fieldWeights: { name: 3, description: 2, tags: 2, time: 1, body: 1 },
  /** BM25's k1: how soon repetition stops counting. Source: the textbook's; packages/evaluation/bench/memory: 0.9 and 1.5 differ by less than half a point over all sets. */
  k1: 1.2,
  /** BM25's b: how much a long text is held against it. Source: the textbook's; packages/evaluation/bench/memory: 0.4 finds up to 8 points less of what people said to assistants, and as much of all else. */
  b: 0.75,
  /** Share of the scores of the memories one and two steps before and after that is added to a memory's score. Source: packages/evaluation/bench/memory: without them 3 to 15 points less of every set of conversations except one, which loses half a point. */
  neighbourShares: { near: 0.3, far: 0.1 },
  /** Part of the best memory's own score below which a memory adds nothing to its neighbours. Source: packages/evaluation/bench/memory: sessions are found a little more often, and in half the time. */
  tellingShare: 0.3,
  /** Part of the score of the whole conversation that is added to each memory out of it. Source: packages/evaluation/bench/memory: without it 4 points less of talk between people, and up to 3 of talk with assistants. */
  groupShare: 1.5,
  /** Words of a memory at which what is around it counts by half; less for longer ones. Source: packages/evaluation/bench/memory: without it 3 to 9 points less of talk with assistants; 400 is as good. */
  leaningWords: 200,
  /** Places of the rarest words that choose which memories are weighed; beyond it a word only adds to those. Source: packages/evaluation/bench/memory: no difference with a few thousand memories; with a hundred thousand, a search takes a few milliseconds instead of tens. */
  choosingPlacesCount: 8_000,
} as const;

assert(
  MEMORY_SEARCH_DEFAULTS.neighbourShares.far <= MEMORY_SEARCH_DEFAULTS.neighbourShares.near &&
    MEMORY_SEARCH_DEFAULTS.neighbourShares.near < 1,
  "what a memory says itself counts most, and what is farther away least",
);
