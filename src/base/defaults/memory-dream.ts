/**
 * Numbers of dreaming: when memories are looked through, and how much one run may change.
 */
export const MEMORY_DREAM_DEFAULTS = {
  /** Hours since the last dream. Source: Claude Code's dream: a day. */
  restHours: 24,
  /** Sessions since the last dream. Source: Claude Code's dream: five. */
  sessionsCount: 5,
  /** Memories that one dream may put into the archive. Source: our choice: one that took 23 files in a day was reported as a loss of data. */
  archivedCount: 20,
  /** Facts that one dream may take out of the logs of sessions. Source: our choice: as many as one session may leave. */
  gatheredCount: 20,
  /** Sessions whose logs one dream reads, the newest first. Source: our choice: what is older was there for the dreams before. */
  readSessionsCount: 50,
  /** Dreams that can be reverted; records of older ones stay as they are. Source: our choice: a month of one a day. */
  listedCount: 31,
} as const;
