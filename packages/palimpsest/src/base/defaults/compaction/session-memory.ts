/**
 * Numbers of the compaction that session notes represent.
 */
import { assert } from "../../assert.ts";

export const SESSION_MEMORY_DEFAULTS = {
  /** Recent messages that stay have at least this many tokens, where there are that many. Source: Claude Code's session-memory compact. */
  leastKept: { tokens: 10_000, floor: 2_000 },
  /** At least this many of them say something in words. Source: the same. */
  leastKeptTextCount: 5,
  /** No more is kept than this, unless a pair or a response would be parted. Source: the same; the floor is our choice: more leaves no room for the notes in a window of 32,000. */
  mostKept: { tokens: 40_000, floor: 8_000 },
} as const;

assert(
  SESSION_MEMORY_DEFAULTS.leastKept.tokens < SESSION_MEMORY_DEFAULTS.mostKept.tokens &&
    SESSION_MEMORY_DEFAULTS.leastKept.floor < SESSION_MEMORY_DEFAULTS.mostKept.floor,
  "what has to stay is less than what may",
);
