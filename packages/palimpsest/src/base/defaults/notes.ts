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
  /** Longest time that one update may take, in milliseconds. Source: our choice: as long as a summary. */
  updateTimeoutMs: 120_000,
  /** A compaction waits this long for an update that is being written, in milliseconds. Source: Claude Code's session memory: 15 seconds. */
  compactionWaitMs: 15_000,
  /** Closing a session waits this long for an update, in milliseconds. Source: our choice: what someone who ends a program bears. */
  drainMs: 5_000,
  /** Updates in a row that failed, after which the log's own facts are written instead. Source: our choice: as with summaries. */
  failuresCount: 3,
  /** Characters of an answer without patches that may say that nothing is to be changed. Source: our choice: two or three sentences. */
  remarkCharacters: 300,
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
