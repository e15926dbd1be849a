/**
 * Numbers of finding memories by embeddings.
 */
export const MEMORY_VECTOR_DEFAULTS = {
  /** Cosine below which a memory is not found, however close it is among others. Source: our choice: unrelated sentences are at 0.1 to 0.3 with common models. */
  leastSimilarity: 0.3,
  /** Distance from the closest memory within which another one is found. Source: our choice: less than what separates a paraphrase from a neighbour. */
  reach: 0.15,
  /** Memories that are found so, at the most. Source: our choice: as many again as are shown. */
  closestCount: 10,
  /** Longest time that a recall waits for embeddings, in milliseconds. Source: our choice: as long as for a light model's choice. */
  embedTimeoutMs: 3_000,
} as const;
