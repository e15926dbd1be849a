/** Numbers of writing memories. */

export const MEMORY_WRITE_DEFAULTS = {
  /** Plans of a change that another writer's change precedes. Source: our choice: of eight programs that write without a pause, each is first every eighth time. */
  triesCount: 40,
  /** Memories that a new fact is compared with, the most similar ones. Source: our choice: what says the same is among the first few. */
  comparedCount: 8,
  /** Bytes of one file that is imported. Source: our choice: tens of thousands of memories; a larger file is something else. */
  importedBytes: 64_000_000,
} as const;
