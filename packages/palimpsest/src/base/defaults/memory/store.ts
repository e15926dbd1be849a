/**
 * Numbers of the memory store: what a memory file may be, and how long the store waits for whom.
 */

export const MEMORY_STORE_DEFAULTS = {
  /** Largest memory file that is read or written, in bytes. Source: our choice; forty times the index, which is the largest that anybody needs. */
  fileLimitBytes: 1_048_576,
  /** Most parts of a path, the file's name included. Source: our choice; memories are sorted by topic, two levels are usual. */
  depthLimitCount: 8,
  /** Most files that one listing reports. Source: our choice; a hundred times what people have kept, and half of what a search can number. More are reported, not passed over. */
  listedFilesCount: 1_000_000,
  /** Largest record that is read, in bytes. Source: our choice; a journal line has some hundred. */
  recordLimitBytes: 67_108_864,
  /** Pause between two looks whether it is its turn, in milliseconds; up to twice that. Source: measured with eight processes that change memories all the time on a busy machine: half of the changes take under 13 ms each, and 45 to 70 ms where it looks every 2 to 4 ms. */
  pollMs: 16,
  /** Times that something is looked at again because it changed meanwhile. Source: our choice; one is rare. */
  attempts: 16,
} as const;
