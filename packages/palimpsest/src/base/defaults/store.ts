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
  /** Stretches of damage that are reported one by one while no entry comes; later ones are reported as one. Source: our choice; a damaged log has a handful, a file that is none has millions. */
  damageStretchesReported: 1_000,
  /** Most entries of one append, so that a damaged batch mark cannot hold a reader up. Source: our choice. */
  batchLimitEntries: 1_000_000,
  /** Bytes read at once going forward; also the size of a batch of `readAll`. Source: our choice, flat from 256 KB on. */
  readChunkBytes: 1_048_576,
  /** Entries of one batch of `readAll` of the store in memory. Source: our choice. */
  readBatchEntries: 1_000,
  /** First bytes read going backward from the end. Source: measured, 64 KB of a cached file cost as much as 16 KB. */
  tailChunkBytes: 65_536,
  /** Largest piece read going backward; each piece is twice the one before up to this. Source: our choice. */
  tailChunkLimitBytes: 4_194_304,
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
  /** Bytes of a large text that are packed to see whether all of it is worth it. Source: our choice; takes a millisecond or two. */
  packSampleBytes: 65_536,
  /** Longest entry that is packed thoroughly, in bytes; a longer one is packed quickly, so that no append waits long. Source: measured, 64 KB take 32 ms thoroughly and 2 ms quickly. */
  packThoroughBytes: 65_536,
  /** Brotli's level for what is packed thoroughly. Source: measured on the edits of recorded sessions: level 10 packs those of 18 KB to 32 % in 15 ms, level 5 to 35 % in 1 ms, level 11 to 31 % in 40 ms. */
  packThoroughlyLevel: 10,
  /** Brotli's level for what is packed quickly, blobs among it. Source: as above; blobs of recorded sessions get 8 % smaller than with gzip, in 60 µs instead of 30 a kilobyte; level 9 gains 2 % more in ten times that. */
  packQuicklyLevel: 5,
  /** Most that a packed line is unpacked to, in times its own length, so that a small hostile file cannot fill the memory. Source: our choice; edits of recorded sessions pack to a third. */
  packedTimesLimit: 64,
  /** Time that a writer's lease holds without a sign of life, in milliseconds. Source: our choice; a process that is stopped or cut off for longer is replaced, and informed. */
  leaseTtlMs: 15_000,
  /** Signs of life that a writer gives during one lease; all but one may be missed. Source: our choice, every 5 s. */
  leaseHeartbeatsPerTtl: 3,
  /** Longest lease that is believed, in milliseconds, so that a damaged file cannot lock a session for ever. Source: our choice. */
  leaseTtlLimitMs: 300_000,
  /** Time without contents after which the writer of a lease is taken for dead, in milliseconds. Source: our choice; writing it takes microseconds. */
  leaseWritingMs: 1_000,
  /** Bytes of a lease file that are read. Source: our choice; one has about 300. */
  leaseLimitBytes: 4_096,
  /** Times that taking a lease is begun again because someone released one in between. Source: our choice. */
  leaseAttempts: 8,
  /** Pause between two looks whether the holder of an awaited lease still lives, in milliseconds; up to twice that. Source: our choice; looking takes a dozen operations, and the dead are not waited for any longer. */
  leaseJudgeMs: 100,
  /** Largest file of notes that is read or written, in bytes. Source: our choice; twenty times what notes of 12,000 tokens take. */
  notesFileLimitBytes: 1_048_576,
  /** Time for which replaced notes are kept beside the new ones, in milliseconds, for an editor that still holds them open. Source: our choice; a save takes milliseconds, also on a busy machine. */
  notesPreviousKeptMs: 60_000,
  /** Longest time that a program waits for another that replaces the same notes, in milliseconds. Source: our choice; replacing them takes as long as the disk takes to sync a file. */
  notesWaitMs: 5_000,
  /** Pause between two looks whether the other is done, in milliseconds; up to twice that. Source: our choice. */
  notesPollMs: 5,
  /** Times that notes are read or replaced again because someone else changed them in between. Source: our choice; one is rare. */
  notesAttempts: 16,
  /** Texts of people beside the notes, each a file, that get a separate name; later ones wait under the name of a version before. Source: our choice: more than anybody has looked at and left. */
  notesConflictsCount: 9,
} as const;

assert(
  STORE_DEFAULTS.tailChunkBytes <= STORE_DEFAULTS.tailChunkLimitBytes,
  "the first piece read backward is not larger than the largest",
);
assert(
  STORE_DEFAULTS.readChunkBytes <= STORE_DEFAULTS.lineLimitBytes,
  "a line may be at least as long as what is read at once",
);
assert(
  STORE_DEFAULTS.leaseHeartbeatsPerTtl >= 2 && STORE_DEFAULTS.leaseTtlMs <= STORE_DEFAULTS.leaseTtlLimitMs,
  "a lease outlives a missed sign of life, and is one that is believed",
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
