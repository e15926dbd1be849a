/**
 * Numbers of memory files: how long an index may be, how long a line, and what a file may be called.
 */
export const MEMORY_FILES_DEFAULTS = {
  /** Lines of an index that a model is shown. Source: Claude Code's memory directory, which reads as many. */
  indexLines: 200,
  /** Bytes of an index that a model is shown. Source: Claude Code's memory directory, which reads as many. */
  indexBytes: 25_000,
  /** Characters of one line of the index that we write. Source: Claude Code's memory directory asks for lines of at most 200. */
  indexLineCharacters: 200,
} as const;
