/**
 * Numbers of the stores: how much is read at once, and where a line stops being believed.
 */
import { assert } from "../assert.ts";

export const STORE_DEFAULTS = {
  /**
   * Longest line that is written or read, in bytes; a longer one is refused when it is written and
   * skipped when it is read. Source: the largest request body of the Messages API is 32 MB; twice
   * that leaves room for JSON escapes, and blocks of any size go to blobs long before.
   */
  lineLimitBytes: 67_108_864,
  /** Bytes read at once going forward; also the size of a batch of `readAll`. Source: our choice, flat from 256 KB on. */
  readChunkBytes: 1_048_576,
  /** Entries of one batch of `readAll` of the store in memory. Source: our choice. */
  readBatchEntries: 1_000,
  /** First bytes read to see whether one line is whole; doubled as needed. Source: our choice, most checkpoints fit. */
  lineProbeBytes: 4_096,
  /** Checkpoints of unfinished batches that are passed over before the whole log is read. Source: our choice; one is normal after a crash. */
  tailAttempts: 8,
  /** Longest session id, in characters, so that file names stay under the 255 bytes of common file systems. Source: our choice. */
  sessionIdLimitChars: 128,
  /** Largest blob, in bytes: one block of a message. Source: our choice; four times the largest request of the Messages API, and far below the longest string of the platform. */
  blobLimitBytes: 134_217_728,
  /** Bytes of all blobs of one session, so that a tool that never stops cannot fill a disk. Source: our choice; tools have written files of terabytes under other hosts. */
  blobQuotaBytes: 1_073_741_824,
  /** Smallest text or entry that is packed, in bytes: below it names and heads weigh as much as what is saved. Source: our choice; all but half a percent of what the edits of recorded sessions take is above it. */
  packFromBytes: 1_024,
  /** Most that something packed may have of what it was, or it is stored as it is: plain text is worth more than a little room. Source: our choice; the blobs of recorded sessions pack to 25 % together. */
  packedShareLimit: 0.75,
  /** Brotli's level for edits, checkpoints, metadata and blobs. Source: measured: edits of 18 KB of recorded sessions get to 35 % in 1 ms, at level 10 to 32 % in 15 ms, for which everything else would wait; blobs get 8 % smaller than with gzip, in 60 µs instead of 30 a kilobyte. */
  packLevel: 5,
  /** Most that a packed line is unpacked to, in times its own length, so that a small hostile file cannot fill the memory. Source: our choice; edits of recorded sessions pack to a third. */
  packedTimesLimit: 64,
  /** Time that a writer's lease holds without a sign of life, in milliseconds. Source: our choice; a process that is stopped or cut off for longer is replaced, and informed. */
  leaseTtlMs: 15_000,
  /** Largest file of notes that is read or written, in bytes. Source: our choice; twenty times what notes of 12,000 tokens take. */
  notesFileLimitBytes: 1_048_576,
  /** Time for which replaced notes are kept beside the new ones, in milliseconds, for an editor that still holds them open. Source: our choice; a save takes milliseconds, also on a busy machine. */
  notesPreviousKeptMs: 60_000,
} as const;

assert(
  STORE_DEFAULTS.readChunkBytes <= STORE_DEFAULTS.lineLimitBytes,
  "a line may be at least as long as what is read at once",
);
assert(
  STORE_DEFAULTS.notesFileLimitBytes <= STORE_DEFAULTS.blobLimitBytes,
  "notes are no larger than a block of a message may be",
);
assert(
  STORE_DEFAULTS.lineLimitBytes <= STORE_DEFAULTS.blobLimitBytes &&
    STORE_DEFAULTS.blobLimitBytes <= STORE_DEFAULTS.blobQuotaBytes,
  "what fits in a line fits in a blob, and a session holds at least one",
);
