/**
 * Numbers of session memory: when the notes are updated, how long they may become, and what an update may do.
 */
import { assert } from "../assert.ts";

export const NOTES_DEFAULTS = {
  /** Conversation before the first update. Source: Claude Code's session memory, which starts at 10,000 tokens; the floor is our choice. */
  start: { tokens: 10_000, floor: 2_000 },
  /** Growth of the conversation from one update to the next. Source: Claude Code's session memory: 5,000 tokens; the floor is our choice. */
  growth: { tokens: 5_000, floor: 1_000 },
  /** Tool calls since the last update that make one due before the agent pauses. Source: Claude Code's session memory: three. */
  toolCallsCount: 3,
  /** Highest share of the session's cost that updates may have. Source: our choice: notes that were updated by growth alone took 13 to 45 % of recorded sessions' bills. */
  costShareCap: 0.05,
  /** Size of one section, without its heading. Source: Claude Code's session memory: about 2,000 tokens; the floor is our choice. */
  section: { tokens: 2_000, floor: 500 },
  /** Size of the whole document. Source: Claude Code's session memory: 12,000 tokens; the floor is our choice. */
  total: { tokens: 12_000, floor: 3_000 },
  /** Words of a session's title, at the most. Source: Claude Code's session memory: 5 to 10 words. */
  titleWordsCount: 10,
  /** Longest time that one update may take, in milliseconds. Source: our choice: as long as a summary. */
  updateTimeoutMs: 120_000,
  /** A compaction waits this long for an update that is being written, in milliseconds. Source: Claude Code's session memory: 15 seconds. */
  compactionWaitMs: 15_000,
  /** Closing a session waits this long for an update, in milliseconds. Source: our choice: what someone who ends a program bears. */
  drainMs: 5_000,
  /** Updates in a row that failed, after which the log's own facts are written instead. Source: our choice: as with summaries. */
  failuresCount: 3,
  /** Tokens of an update's answer, before one was seen. Source: our choice: two sections rewritten and some entries. */
  expectedOutputTokens: 1_200,
  /** Tokens of the instruction for an update, without the notes. Source: measured of our own: about 550. */
  instructionTokens: 600,
  /** Patches of one answer that are looked at. Source: our choice: four for each section; more is a model that runs on. */
  patchesCount: 40,
  /** Characters of an answer without patches that may say that nothing is to be changed. Source: our choice: two or three sentences. */
  remarkCharacters: 300,
  /** Tool calls of one update that may be allowed. Source: the same. */
  updaterCallsCount: 40,
  /** Characters that the notes may have after an edit, before anything is measured. Source: our choice: far beyond any limit in tokens, so that one letter replaced everywhere costs little. */
  editedCharacters: 4_000_000,
  /** Characters of one fact that is written without a model. Source: our choice: two lines of a terminal. */
  factCharacters: 300,
  /** Lines that an updater without a model writes in one section. Source: our choice: what a reader takes in. */
  factLinesCount: 30,
  /** Key facts that one compaction may merge into the notes. Source: our choice: they fill the notes at about 60 tokens each. */
  keyFactsCount: 200,
  /** Share of a fact's words that one line must have to tell the same. Source: our choice. */
  sameFactShare: 0.85,
  /** Lines of the notes that a fact is compared with word by word, the newest ones. Source: our choice: notes within their limits have fewer. */
  comparedLinesCount: 1_000,
} as const;

assert(
  NOTES_DEFAULTS.section.tokens < NOTES_DEFAULTS.total.tokens &&
    NOTES_DEFAULTS.section.floor < NOTES_DEFAULTS.total.floor,
  "one section cannot fill the whole document",
);
assert(
  NOTES_DEFAULTS.growth.tokens <= NOTES_DEFAULTS.start.tokens,
  "the first update is not due later than the growth that makes a second one due",
);
