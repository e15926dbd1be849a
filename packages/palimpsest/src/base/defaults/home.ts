/**
 * Defaults of the home: how long sessions are kept, and how much project context a new session reads.
 */
import { assert } from "../assert.ts";

export const HOME_DEFAULTS = {
  /** Days without activity after which a session goes to the trash. Source: our choice; other tools keep transcripts as long, and delete them then. */
  cleanupPeriodDays: 30,
  /** Days that a session stays in the trash before it is deleted. Source: our choice: a user who misses a session notices within a month. */
  trashGraceDays: 30,
  /** Largest value that either setting may have, in days. Source: our choice: about a hundred years. */
  maxDays: 36_500,
  /** Longest title and longest tag, in UTF-16 units. Source: our choice: they are shown in lists. */
  titleChars: 200,
  /** Most bytes read of one instruction file; a line says if more was left out. Source: our choice: about 10,000 tokens, three times the longest we have seen. */
  instructionFileBytes: 40_000,
  /** Most bytes read of all instruction files together. Source: our choice: a tenth of the reference window. */
  instructionBytes: 80_000,
  /** Most folders searched for instruction files, from the working copy upwards. Source: our choice: no real path has more. */
  instructionFolders: 64,
  /** Most characters shown of the state of version control. Source: the product's requirement. */
  gitStatusChars: 2_000,
  /** Longest time that version control may take, in milliseconds. Source: our choice: a session's start is waited for. */
  gitTimeoutMs: 2_000,
  /** Most bytes read of its output, to count the changed files that are not shown. Source: our choice: about 20,000 changed files. */
  gitOutputBytes: 1_048_576,
} as const;

assert(
  HOME_DEFAULTS.instructionFileBytes <= HOME_DEFAULTS.instructionBytes,
  "the largest instruction file fits into what all may take",
);
