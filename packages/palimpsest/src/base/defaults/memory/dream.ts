/**
 * Numbers of dreaming: when memories are looked through, how much one run may change, and what a model is asked.
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
  /** Memories that are compared with all others at a time. Source: measured: each takes some milliseconds, and a program that stands still for more than a tenth of a second is noticed. */
  stepsCount: 4,
  /** Longest time that one call of a model may take, in milliseconds. Source: our choice: as with extraction by a model. */
  dreamTimeoutMs: 120_000,
  /** Characters of the sessions' messages by which a model's facts are judged; older sessions are left to the rules. Source: our choice: hundreds of sessions, and some tens of megabytes of memory. */
  judgedCharacters: 8_000_000,
} as const;
