/**
 * Limits of reading sessions from outside: sizes that are read, skipped or refused.
 */
import { assert } from "../assert.ts";

export const FORMATS_DEFAULTS = {
  /**
   * Longest line of a line-based session that is read, in bytes; a longer one is skipped and
   * reported. Source: our choice; the longest line in the recorded sessions is under 1 MB, a message with many
   * images can reach 30 MB (the request limit of the Anthropic API is 32 MB).
   */
  maxLineBytes: 33_554_432,
  /** Longest document that is parsed as one piece of JSON, in UTF-16 units. Source: our choice; parsed it takes about five times that in memory. */
  maxDocumentChars: 134_217_728,
  /** Bytes after decompression at which reading stops: a compressed bomb ends here. Source: our choice. */
  maxDecodedBytes: 1_073_741_824,
  /** Deepest nesting of JSON that is accepted. Source: our choice; serialising recurses, and Node's default stack holds several thousand levels. */
  maxJsonDepth: 1_000,
  /** Records looked at to tell the format. Source: our choice; a session may begin with a page of metadata. */
  detectionRecords: 200,
  /** Bytes at the start of a file that distinguish text from binary data. Source: our choice, one page. */
  sampleBytes: 4_096,
  /** Bytes at the start of a file in which a zero byte means another format. Source: our choice; the signatures of archives, pictures, programs and databases have one there. */
  signatureBytes: 16,
  /** Share of zero bytes in the sample above which a file is taken as binary. Source: our choice: most of it. */
  zeroShare: 0.5,
  /** Share of control characters in the sample above which a file is taken as binary. Source: our choice. */
  binaryShare: 0.1,
  /** Repairs listed one by one per kind and file; the rest is one line with a count. Source: our choice. */
  listedRepairsPerKind: 100,
  /** Messages that a boundary names one by one as staying; a longer list is left away. Source: our choice; OpenHands condenses at 240 events and keeps half of them. */
  listedPreservedIds: 256,
  /** Bytes read from the disk at once. Source: Node's default for file streams. */
  readChunkBytes: 65_536,
  /** Longest time that a pipe may stay without a writer, in milliseconds. Source: our choice: time for a shell to start the other side. */
  pipeWaitMs: 3_000,
  /** Time between two looks at such a pipe, in milliseconds. Source: our choice. */
  pipePollMs: 20,
} as const;

assert(
  FORMATS_DEFAULTS.maxLineBytes < FORMATS_DEFAULTS.maxDecodedBytes,
  "a line that is too long is skipped before reading stops altogether",
);
assert(FORMATS_DEFAULTS.binaryShare < 1, "a share is below one");
