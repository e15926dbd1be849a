/**
 * Numbers of the engine: when it writes checkpoints, and when it gives up.
 */
import { assert } from "../assert.ts";

export const ENGINE_DEFAULTS = {
  /** A checkpoint is written after this many bytes of log and blobs. Source: where-the-numbers-come-from.md, "Stores and durability": parsing 1 MB of log takes about 2 ms. */
  checkpointBytes: 1_000_000,
  /** Share of the window that system prompt and tools may take: beyond it there is no room to work and to summarise. Source: our choice. */
  maxFixedShare: 0.5,
  /** Share of the blocking limit that a last-resort peel aims at: room for one more message. Source: our choice. */
  peelShare: 0.9,
  /** Share of the window that a compaction has to free to count as one. Source: our choice; where-the-numbers-come-from.md, "Compaction targets". */
  usefulFreedShare: 0.2,
  /** Useless compactions in a row after which a session is told so. Source: our choice; where-the-numbers-come-from.md, "Compaction targets". */
  uselessCompactions: 3,
} as const;

assert(ENGINE_DEFAULTS.maxFixedShare < 1, "a window holds more than system prompt and tools");
