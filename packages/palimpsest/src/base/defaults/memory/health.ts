/** Numbers of looking at the health of a memory directory. */

export const MEMORY_HEALTH_DEFAULTS = {
  /** Memories that are compared at all. Source: our choice: a directory that people read has hundreds. */
  comparedMemoriesCount: 5_000,
} as const;
