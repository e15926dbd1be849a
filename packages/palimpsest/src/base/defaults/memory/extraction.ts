/**
 * Numbers of extraction by a model: when it is asked, what it is shown, and what it may leave.
 */
export const MEMORY_EXTRACTION_DEFAULTS = {
  /** Tokens of conversation since the last extraction before a turn's end brings another. Source: our choice: as with session notes, which start at about as much. */
  newTokens: 5_000,
  /** Longest time that one call may take, in milliseconds. Source: our choice: as long as an update of the notes. */
  callTimeoutMs: 120_000,
} as const;
