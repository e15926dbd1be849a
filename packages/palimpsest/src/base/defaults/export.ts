/**
 * Numbers of exports for reading: what is folded away until someone opens it.
 */

export const EXPORT_DEFAULTS = {
  /** Lines from which on what a person or the model says is folded. Source: our choice: two or three screens are read at once. */
  messageLines: 120,
  /** Likewise, in UTF-16 units, for texts of few long lines. Source: our choice: as many as fit on these screens. */
  messageChars: 12_000,
  /** Lines from which on calls, results and what the program around the agent put in are folded. Source: our choice: they interrupt the conversation. */
  outputLines: 8,
  /** Likewise, in UTF-16 units. Source: our choice: as many as fit on these lines. */
  outputChars: 600,
  /** UTF-16 units that are shown of the first line of a folded text. Source: our choice: what fits beside its size. */
  foldedLineChars: 120,
  /** Arguments with longer values, in UTF-16 units, show them below their names. Source: our choice: a line. */
  inlineArgumentChars: 100,
} as const;
