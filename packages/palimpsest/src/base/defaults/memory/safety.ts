/**
 * Numbers that keep memory safe: lengths of texts, sources that are believed, claims taken from one conversation.
 */
import { assert } from "../../assert.ts";

export const MEMORY_SAFETY_DEFAULTS = {
  /** Characters of a memory's name. Source: our choice: a line of a list, with its date, in a terminal. */
  memoryNameCharacters: 80,
  /** Characters of a memory's description. Source: our choice: two lines of a terminal; Claude Code's are of about 150. */
  memoryDescriptionCharacters: 300,
  /** Days from which on recalled text is to be verified before it is relied on. Source: Claude Code's memory: from the second day on. */
  verifyAfterDays: 2,
  /** Memories that one session may leave. Source: Claude Code's extraction at a session's end. */
  extractedCount: 20,
  /** Those of them that may be quarantined. Source: our choice: half, so that a page full of claims leaves room for what the user says. */
  extractedQuarantinedCount: 10,
  /** Share of a claim's words that the user's message must have for it to be the user's. Source: our choice: one word in ten may be another's; beyond that, it is an interpretation. */
  userWordsShare: 0.9,
  /** Share from which on a claim is a model's reading of what the user said. Source: our choice: a third of the words is more than chance. */
  readingShare: 0.34,
  /** Share of a claim's words in two lines of a tool's result from which on the tool said it. Source: our choice. */
  carriedShare: 0.6,
  /** Words of a claim that no user said from which on their source is named. Source: our choice: fewer meet by chance. */
  leastForeignCount: 3,
} as const;

assert(
  MEMORY_SAFETY_DEFAULTS.memoryNameCharacters < MEMORY_SAFETY_DEFAULTS.memoryDescriptionCharacters,
  "a name is shorter than what describes it",
);

assert(
  MEMORY_SAFETY_DEFAULTS.readingShare < MEMORY_SAFETY_DEFAULTS.carriedShare &&
    MEMORY_SAFETY_DEFAULTS.carriedShare < MEMORY_SAFETY_DEFAULTS.userWordsShare,
  "a claim is taken for a tool's sooner than for the user's",
);
