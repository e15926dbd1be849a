/** Numbers of the log of recalled memories. */

export const MEMORY_LOG_DEFAULTS = {
  /** Words of a message that one line holds, the rarest of those that the memory has. Source: our choice: they say why, and are not the message. */
  wordsCount: 12,
  /** Lines that are read where no one says how many. Source: our choice: a few screens. */
  newestCount: 200,
} as const;
