/**
 * Defaults of the session-memory compact: the session's notes replace old messages, the newest messages stay.
 */
import { assert } from "../../assert.ts";

export const SESSION_MEMORY_DEFAULTS = {
  /** Least tokens of the newest messages that stay, if the session has that many. Source: Claude Code's session-memory compact. */
  leastKept: { tokens: 10_000, floor: 2_000 },
  /** Least number of those messages that have text. Source: the same. */
  leastKeptTextCount: 5,
  /** Most tokens of the messages that stay, unless that would separate a call from its result or split a response. Source: the same; the floor is our choice: more leaves no room for the notes in a window of 32,000. */
  mostKept: { tokens: 40_000, floor: 8_000 },
} as const;

assert(
  SESSION_MEMORY_DEFAULTS.leastKept.tokens < SESSION_MEMORY_DEFAULTS.mostKept.tokens &&
    SESSION_MEMORY_DEFAULTS.leastKept.floor < SESSION_MEMORY_DEFAULTS.mostKept.floor,
  "what has to stay is less than what may",
);
