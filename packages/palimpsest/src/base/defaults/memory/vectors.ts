/**
 * Numbers of finding memories by embeddings.
 */
export const MEMORY_VECTOR_DEFAULTS = {
  /** Distance above the mean of everyday messages from which a memory is shown, and is found by a search; 1 is as far as the closest of as many unrelated memories would be by chance. Source: packages/evaluation/bench/memory: with 1.5, one in thirteen messages about something else is shown one of 60 preferences or 120 facts, and 70 of 100 questions in other words find their preference; one measure holds for 5 memories and for 600, where a fixed number of spreads gives ten times as many; a search ranks what is left. */
  nearSpreads: { shown: 1.5, found: 0.4 },
  /** Memories that are found so, at the most. Source: our choice: as many as by words. */
  closestCount: 40,
  /** Longest time that a recall waits for embeddings, in milliseconds. Source: our choice: as long as for a light model's choice. */
  embedTimeoutMs: 3_000,
} as const;
