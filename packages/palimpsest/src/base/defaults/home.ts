/**
 * Numbers of the home: how its folders are named, what is read at the start of a session, how long an exit may take.
 */
import { assert } from "../assert.ts";

export const HOME_DEFAULTS = {
  /** Days without activity after which a session goes to the trash. Source: our choice; other tools keep transcripts as long, and delete them then. */
  cleanupPeriodDays: 30,
  /** Days that a session stays in the trash before it is deleted. Source: our choice: who misses a session misses it within a month. */
  trashGraceDays: 30,
  /** Most days that either setting may have. Source: our choice: a hundred years is for ever. */
  maxDays: 36_500,
  /** Longest title and longest tag, in UTF-16 units. Source: our choice: they are shown in lists. */
  titleChars: 200,
  /** Bytes that are read of one instruction file; the rest is left out visibly. Source: our choice: about 10,000 tokens, three times the longest we have seen. */
  instructionFileBytes: 40_000,
  /** Bytes that are read of all instruction files together. Source: our choice: a tenth of the reference window. */
  instructionBytes: 80_000,
  /** Folders that are looked into on the way up. Source: our choice: no real path has more. */
  instructionFolders: 64,
  /** Characters of the state of version control. Source: the product's requirement. */
  gitStatusChars: 2_000,
  /** Longest time that version control may take, in milliseconds. Source: our choice: a session's start is waited for. */
  gitTimeoutMs: 2_000,
  /** Bytes of its output that are read to count what is left out. Source: our choice: about 20,000 changed files. */
  gitOutputBytes: 1_048_576,
} as const;

assert(
  HOME_DEFAULTS.instructionFileBytes <= HOME_DEFAULTS.instructionBytes,
  "the largest instruction file fits into what all may take",
);
