/**
 * Numbers of dreaming: when memories are looked through, how much one run may change, and what a model is asked.
 */
import { assert } from "../../assert.ts";

export const MEMORY_DREAM_DEFAULTS = {
  /** Hours since the last dream. Source: Claude Code's dream: a day. */
  restHours: 24,
  /** Sessions since the last dream. Source: Claude Code's dream: five. */
  sessionsCount: 5,
  /** Memories that one dream may put into the archive. Source: our choice: one that took 23 files in a day was reported as a loss of data. */
  archivedCount: 20,
  /** Facts that one dream may take out of the logs of sessions. Source: our choice: as many as one session may leave. */
  gatheredCount: 20,
  /** Sessions whose logs one dream reads, the newest first. Source: our choice: earlier dreams read the older ones. */
  readSessionsCount: 50,
  /** Dreams that can be reverted; records of older ones stay as they are. Source: our choice: a month of one a day. */
  listedCount: 31,
  /** Memories that are compared with all others at a time. Source: measured: each takes some milliseconds, and a program that stands still for more than a tenth of a second is noticed. */
  stepsCount: 4,
  /** Memories in the archive that a dream compares what it finds in sessions with, the newest first. Source: our choice: many times what is forgotten between two dreams. */
  forgottenCount: 200,
  /** Longest time that one call of a model may take, in milliseconds. Source: our choice: as with extraction by a model. */
  dreamTimeoutMs: 120_000,
  /** Tokens of one answer. Source: our choice: all proposals that are read, each with a paragraph. */
  dreamOutputTokens: 8_000,
  /** Characters of memories that a model is shown at once. Source: our choice: about 15,000 tokens, some hundred memories of a sentence or two. */
  shownCharacters: 60_000,
  /** Characters of a memory that a model is shown; a longer one is a document and stays as it is. Source: our choice: a screen. */
  shownMemoryCharacters: 2_000,
  /** Memories that are shown beside one because they are like it. Source: our choice: what says the same is among the first few. */
  likeCount: 4,
  /** Proposals of one answer that are looked at. Source: our choice: more is a model that runs on. */
  proposalsCount: 40,
  /** Proposals of a model that one dream carries out. Source: our choice: as many as it may archive, so that a person still reads what was done. */
  claimedCount: 20,
  /** Memories that one proposal may merge. Source: our choice: more are a topic and no memory. */
  mergedCount: 8,
  /** Characters of a memory that was merged by a model. Source: our choice: what a model is shown again the next time. */
  mergedCharacters: 2_000,
  /** Characters of the sessions' messages by which a model's facts are judged; older sessions are left to the rules. Source: our choice: hundreds of sessions, and some tens of megabytes of memory. */
  judgedCharacters: 8_000_000,
} as const;

assert(
  MEMORY_DREAM_DEFAULTS.mergedCharacters <= MEMORY_DREAM_DEFAULTS.shownMemoryCharacters,
  "what was merged can be looked at again",
);
