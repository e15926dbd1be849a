/**
 * Numbers of the meter that `replay` and the evaluation share: which strings count as references, how they
 * are searched for, and what is assumed of a recording that does not say.
 */
export const METERING_DEFAULTS = {
  /** A reference is far where its string was last seen this many tokens before. Source: where-the-numbers-come-from.md, "Survival": what lies nearer is in every policy's tail. */
  farTokens: 8_000,
  /** Shortest string that counts as a reference, in characters. Source: our choice. */
  referenceCharacters: 4,
  /** Strings in more than this share of the messages carry no information. Source: our choice. */
  commonShare: 0.15,
  /** … or in more than this many, whichever is more. Source: our choice. */
  commonMessages: 12,
  /** Fixed part of a prompt where the recording does not say: system prompt and tools, in tokens. Source: our choice, a small agent's. */
  fixedTokens: 4_000,
  /** Bounds of a fixed part that is inferred from the first billed call, in tokens. Source: our choice. */
  fixedLeastTokens: 1_500,
  /** And the most, in tokens. Source: our choice: larger ones are messages that were not recorded. */
  fixedMostTokens: 60_000,
  /** Time between two messages of a recording without times, in milliseconds. Source: our choice. */
  stepMs: 10_000,
  /** Hits of a search that count as found. Source: our choice: what a model reads before it asks again. */
  searchHits: 5,
  /** Messages that held a string whose other strings are searched for, newest first. Source: our choice: what an agent remembers of it. */
  searchedHolders: 4,
  /** Queries of a single string that are tried. Source: our choice: an agent tries a few. */
  searchTries: 3,
  /** Strings of a query at the most. Source: our choice: what a model types. */
  queryStrings: 6,
} as const;
