/**
 * Numbers of the memory store: what a memory file may be, and how long the store waits for whom.
 */
import { assert } from "../../assert.ts";

export const MEMORY_STORE_DEFAULTS = {
  /** Largest memory file that is read or written, in bytes. Source: our choice; forty times the index, which is the largest that anybody needs. */
  fileLimitBytes: 1_048_576,
  /** Longest name of a file or folder, in bytes. Source: the limit of the file systems in common use. */
  nameLimitBytes: 255,
  /** Most parts of a path, the file's name included. Source: our choice; memories are sorted by topic, two levels are usual. */
  depthLimitCount: 8,
  /** Most files that one listing reports. Source: our choice; ten times what people have kept, and a listing of them fits in memory. */
  listedFilesCount: 100_000,
  /** Most problems that one listing reports. Source: our choice; more of them have one cause. */
  listedProblemsCount: 100,
  /** Largest record that is read, in bytes. Source: our choice; a journal line has some hundred. */
  recordLimitBytes: 67_108_864,
  /** For how long after a change two looks at a file are not compared, in milliseconds: clocks of file systems are coarse. Source: the coarsest in common use, FAT, counts in two seconds. */
  coarseClockMs: 2_000,
  /** Time for which a replaced text is kept aside, in milliseconds, for an editor that still holds it open. Source: our choice; a save takes milliseconds, also on a busy machine. */
  previousKeptMs: 10_000,
  /** After how long what a dead process prepared and never began is removed, in milliseconds. Source: our choice; preparing takes as long as the disk takes to sync a few files. */
  preparedKeptMs: 10_000,
  /** Pause between two searches of a process for texts to remove, in milliseconds. Source: our choice. */
  tidyEveryMs: 1_000,
  /** Longest time that a change waits for others, in milliseconds. Source: our choice; each takes as long as the disk takes to sync. */
  waitMs: 10_000,
  /** Pause between two looks whether it is its turn, in milliseconds; up to twice that. Source: measured with eight processes that change memories all the time on a busy machine: half of the changes take under 13 ms each, and 45 to 70 ms where it looks every 2 to 4 ms. */
  pollMs: 16,
  /** Time without a sign of life after which a change in progress is taken for dead, in milliseconds. Source: our choice; a change takes milliseconds, and one that is taken for dead too early is refused, never lost. */
  changeTtlMs: 2_000,
  /** Times that something is looked at again because it changed meanwhile. Source: our choice; one is rare. */
  attempts: 16,
} as const;

assert(
  MEMORY_STORE_DEFAULTS.preparedKeptMs > MEMORY_STORE_DEFAULTS.changeTtlMs,
  "what is prepared outlives the belief in a process that does not move",
);
