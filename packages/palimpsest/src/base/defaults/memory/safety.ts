/**
 * Numbers that keep memory safe: lengths of texts, sources that are believed, claims taken from one conversation.
 */
import { assert } from "../../assert.ts";

export const MEMORY_SAFETY_DEFAULTS = {
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
} as const;

assert(
  MEMORY_SAFETY_DEFAULTS.readingShare < MEMORY_SAFETY_DEFAULTS.carriedShare &&
    MEMORY_SAFETY_DEFAULTS.carriedShare < MEMORY_SAFETY_DEFAULTS.userWordsShare,
  "a claim is taken for a tool's sooner than for the user's",
);
