/**
 * Defaults of a session: when it writes checkpoints, and when it reports that compactions no longer help.
 */
export const ENGINE_DEFAULTS = {
  /** A checkpoint is written after this many bytes of log and blobs. Source: where-the-numbers-come-from.md, "Stores and durability": parsing 1 MB of log takes about 2 ms. */
  checkpointBytes: 1_000_000,
  /** Least share of the window that a compaction has to free to count as useful. Source: our choice; where-the-numbers-come-from.md, "Compaction targets". */
  usefulFreedShare: 0.2,
  /** Useless compactions in a row after which a session reports them. Source: our choice; where-the-numbers-come-from.md, "Compaction targets". */
  uselessCompactions: 3,
} as const;
