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
} as const;

assert(
  FORMATS_DEFAULTS.maxLineBytes < FORMATS_DEFAULTS.maxDecodedBytes,
  "a line that is too long is skipped before reading stops altogether",
);
