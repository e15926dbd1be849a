/**
 * Numbers of turns: how long what is asked may take, and when a turn that goes nowhere ends.
 */
export const AGENT_DEFAULTS = {
  /** A hook is passed over after this long, in milliseconds. Source: our choice: it stands between a user and an answer. */
  hookTimeoutMs: 10_000,
  /** One call of a model is given up after this long, in milliseconds. Source: the official SDKs' own time limit, ten minutes. */
  callTimeoutMs: 600_000,
  /** Iterations of one turn, at the most. Source: our choice: far above the longest recorded turn of the corpus. */
  iterationsCount: 1_000,
  /** The same calls with the same results this many times in a row are a loop. Source: our choice: polling is rarely so even. */
  loopCount: 8,
  /** The vendor's models endpoint is asked for limits for this long, in milliseconds. Source: our choice: the catalogue is in. */
  limitsTimeoutMs: 5_000,
  /** A counting endpoint is asked for this long, in milliseconds. Source: our choice: the estimate is in. */
  counterTimeoutMs: 5_000,
  /** Tokens of the room for an answer that stay free for the provider's own wrapping. Source: our choice. */
  outputMarginTokens: 64,
  /** An answer that may not be longer than this is not worth asking for, in tokens. Source: our choice: a short paragraph and a call. */
  leastOutputTokens: 512,
} as const;
