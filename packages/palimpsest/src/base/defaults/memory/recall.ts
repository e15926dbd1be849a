/**
 * Numbers of recalling memories: what they are worth with age, how many are shown, and how much they may take.
 */
import { assert } from "../../assert.ts";

export const MEMORY_RECALL_DEFAULTS = {
  /** Days after which a memory that decays is worth half. Source: our choice: a month, so that a memory that was not confirmed for a season has nearly no weight. */
  halfLifeDays: 30,
  /** Worth below which a dream takes a memory out. Source: our choice: a hundred days, with nothing that speaks for it. */
  pruneBelowScore: 0.1,
  /** Memories that one recall shows, at the most. Source: Claude Code and qwen-code choose five. */
  recalledCount: 5,
  /** Memories that are looked at closely before those are chosen. Source: our choice: what a light model reads in its time. */
  candidatesCount: 40,
  /** Memories that a search shows, where no one says how many. Source: our choice: a screen. */
  searchedCount: 10,
  /** Tokens of what one recall shows. Source: our choice: one hundredth of a large window. */
  recallTokens: 2_000,
  /** Tokens that one memory has at least before it is left out rather than cut. Source: our choice: its head and two or three sentences. */
  leastItemTokens: 120,
  /** Longest time that a light model may take to choose, in milliseconds. Source: our choice: what a user waits without noticing, before the answer begins. */
  choiceTimeoutMs: 3_000,
  /** Hits below this share of the best one's score are not shown without a model. Source: our choice: what shares one common word only is noise. */
  leastScoreShare: 0.35,
  /** A memory clearly fits a message that did not ask for memories if its words make up this share of the message's, weighed by how rare they are (one word of its text alone needs more), or if its name and description have so many of them. Source: packages/evaluation/bench/memory: of questions about something else one in a hundred is given a memory (before: 50 to 84), and 98 of 100 questions that find their fact still do. */
  clear: { matchedShare: 0.3, aloneShare: 0.45, wordsCount: 3 },
  /** Score that one use in a session adds, and the most that all uses add. Source: our choice: ten uses make up for seventeen days of age, and no number of them lets a memory pass one of its age that fits a fifth better. */
  usedBonus: { each: 0.05, most: 0.5 },
  /** A memory counts as used if the answer has this share of the words that only it has, or this many of them; the answer is searched up to so many characters; records of other processes are read after so many milliseconds. Source: our choice: a third of a short fact is its point, and four words of a long one are not there by chance; a use more or less changes little. */
  used: { wordsShare: 1 / 3, mostWordsCount: 4, readCharacters: 40_000, lookAgainMs: 60_000 },
} as const;

assert(
  MEMORY_RECALL_DEFAULTS.recalledCount * MEMORY_RECALL_DEFAULTS.leastItemTokens <=
    MEMORY_RECALL_DEFAULTS.recallTokens,
  "every memory that is chosen finds room, cut if need be",
);
