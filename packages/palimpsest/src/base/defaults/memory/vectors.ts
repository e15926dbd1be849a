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
  /** Longest time that one call that embeds new memories may take, in milliseconds. Source: our choice: it goes on beside the recalls, and what takes longer is not going to come. */
  indexTimeoutMs: 20_000,
  /** Texts of one call. Source: our choice: what common providers take. */
  embeddedTextsCount: 96,
  /** Characters of a memory that are embedded. Source: our choice: within 2,000 tokens, which every common model takes. */
  embeddedCharacters: 6_000,
} as const;
