/**
 * Numbers of what keeps memory safe: how long its texts may be, what is believed, what is taken from a talk.
 */
import { assert } from "../assert.ts";

export const MEMORY_SAFETY_DEFAULTS = {
  /** Characters of a memory's name. Source: our choice: a line of a list, with its date, in a terminal. */
  memoryNameCharacters: 80,
  /** Characters of a memory's description. Source: our choice: two lines of a terminal; Claude Code's are of about 150. */
  memoryDescriptionCharacters: 300,
  /** Characters of a line's hook in the index. Source: Claude Code's memory index: lines of about 200 characters, with title and link. */
  memoryHookCharacters: 150,
  /** Characters of a memory's text; what is longer is no memory but a document. Source: our choice: about 8,000 tokens, far above those that are recalled. */
  memoryBodyCharacters: 32_000,
  /** Days from which on recalled text is to be verified before it is relied on. Source: Claude Code's memory: from the second day on. */
  verifyAfterDays: 2,
} as const;

assert(
  MEMORY_SAFETY_DEFAULTS.memoryNameCharacters < MEMORY_SAFETY_DEFAULTS.memoryDescriptionCharacters,
  "a name is shorter than what describes it",
);
