/**
 * Numbers of `MemoryManager`: when a conversation is compressed, and how large what it makes may be.
 */
import { assert } from "../assert.ts";

export const CONVERSATION_MEMORY_DEFAULTS = {
  /** Active entries of a session above which it is compressed. Source: our choice, the contract of the simple interface. */
  maxEntries: 100,
  /** Tokens of active entries and summaries above which a session is compressed. Source: our choice, the contract of the simple interface. */
  maxTokens: 50_000,
  /** Newest entries that are never compressed. Source: our choice, the contract of the simple interface. */
  recentWindow: 10,
  /** Fewest entries that a summary is written for. Source: our choice, the contract of the simple interface. */
  minEntriesToCompress: 5,
  /** Share of the original's tokens that a summary is asked to take. Source: our choice, the contract of the simple interface. */
  compressionRatio: 0.3,
  /** Share of `maxTokens` above which earlier summaries are summarised together with the entries: otherwise an endless conversation ends as nothing but summaries. Source: our choice, half of the room for what is recent. */
  foldedSummariesShare: 0.5,
  /** Longest time that a host's model may take for a summary, in milliseconds; then one is written without it. Source: our choice: 15,000 tokens of answer at 150 tokens a second, which someone waits for. */
  summarizeTimeoutMs: 120_000,
  /** Longest prompt for a summary, in characters: a model that is asked for a summary has a window, too. Source: our choice, about 150,000 tokens. */
  summaryPromptChars: 600_000,
} as const;

const D = CONVERSATION_MEMORY_DEFAULTS;
assert(D.recentWindow + D.minEntriesToCompress <= D.maxEntries, "a full session has something to compress");
assert(D.compressionRatio > 0 && D.compressionRatio < 1, "a summary is smaller than its original");
