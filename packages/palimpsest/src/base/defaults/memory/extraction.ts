/**
 * Numbers of extraction by a model: when it is asked, what it is shown, and what it may leave.
 */
export const MEMORY_EXTRACTION_DEFAULTS = {
  /** Tokens of conversation since the last extraction before a turn's end brings another. Source: our choice: as with session notes, which start at about as much. */
  newTokens: 5_000,
  /** Longest time that one call may take, in milliseconds. Source: our choice: as long as an update of the notes. */
  callTimeoutMs: 120_000,
  /** Characters of the conversation that it is shown, the newest. Source: our choice: about 15,000 tokens. */
  conversationCharacters: 60_000,
  /** Characters of one message. Source: our choice: typed messages fit; longer ones were pasted. */
  pieceCharacters: 4_000,
  /** Characters of the newest earlier messages that a claim is compared with. Source: our choice: about 75,000 tokens, read in a moment in which a session may well wait. */
  earlierCharacters: 300_000,
  /** Memories that it gets by name. Source: our choice: as many lines as an index has. */
  listedCount: 200,
  /** Tool calls of one answer that are carried out. Source: our choice: more is a model that runs on. */
  callsCount: 40,
  /** Characters of one memory that it reads. Source: our choice: what a memory may have and be read whole. */
  readCharacters: 8_000,
  /** Lines that one search returns. Source: our choice: a screen. */
  grepLinesCount: 40,
  /** Tokens of one answer. Source: our choice: twenty memories of a paragraph each. */
  outputTokens: 8_000,
} as const;
