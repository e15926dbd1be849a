/**
 * Numbers of context collapse: how many rounds one line represents, and how much it may say.
 *
 * Token numbers are those of the reference window with the least that is still useful, as in
 * `compaction.ts`; without a floor they hold in every window.
 */
import { assert } from "../../assert.ts";

export const COLLAPSE_DEFAULTS = {
  /** Rounds that one line represents at the most. Source: our choice: a line that is still read as one. */
  spanRounds: 4,
  /** Tokens of a line for each round. Source: our choice: three calls with their main argument. */
  roundTokens: 36,
  /** The same of an answer without calls, in tokens. Source: our choice: two sentences, because it is what the user read. */
  answerTokens: 64,
  /** Messages whose rounds are written ahead with one call. Source: our choice: a fraction of a millisecond. */
  preparedMessages: 24,
  /** A line is this share of what it represents at the most. Source: our choice: a rewrite for less gains little. */
  maxLineShare: 0.5,
  /** Words of the user up to this size stay as they are, in tokens. Source: our choice: nearly all that people type. */
  userWords: { tokens: 600, floor: 200 },
  /** Characters that a line quotes of longer ones. Source: our choice: a sentence. */
  quotedCharacters: 160,
  /** Characters of a call's main argument. Source: our choice: the end of a path, the start of a command. */
  argumentCharacters: 48,
  /** Characters of what a failed call said. Source: our choice: an error's first words. */
  failureCharacters: 60,
  /** Characters of one sentence of the assistant. Source: our choice: a sentence. */
  sentenceCharacters: 140,
  /** Sentences of an answer without calls. Source: our choice. */
  answerSentences: 2,
} as const;

assert(
  COLLAPSE_DEFAULTS.spanRounds * COLLAPSE_DEFAULTS.roundTokens < COLLAPSE_DEFAULTS.userWords.floor &&
    COLLAPSE_DEFAULTS.answerTokens < COLLAPSE_DEFAULTS.userWords.floor,
  "a line is shorter than words that are not worth one",
);
