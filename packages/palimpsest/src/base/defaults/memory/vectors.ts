/**
 * Numbers of finding memories by embeddings.
 */
export const MEMORY_VECTOR_DEFAULTS = {
  /** Spreads of unrelated texts above the mean of everyday messages: from which on a memory is shown, and found by a search. Source: packages/evaluation/bench/memory: with 3.5, one in twelve questions about something else is shown a preference and 70 of 100 in other words find theirs; with 4, one in twenty and 60; a search ranks what is left. */
  nearSpreads: { shown: 3.5, found: 1 },
  /** Memories that are found so, at the most. Source: our choice: as many as by words. */
  closestCount: 40,
  /** Longest time that a recall waits for embeddings, in milliseconds. Source: our choice: as long as for a light model's choice. */
  embedTimeoutMs: 3_000,
} as const;
