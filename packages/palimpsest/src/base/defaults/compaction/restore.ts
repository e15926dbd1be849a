/**
 * Numbers of what is put back into the window after a compaction: how much, of what, and by which
 * evidence files are chosen.
 *
 * Token numbers are pairs, as in `compaction.ts`: they scale down with the window.
 */
import { assert } from "../../assert.ts";

export const RESTORE_DEFAULTS = {
  /** Files that are put back at the most. Source: where-the-numbers-come-from.md, "Restoration": with five a third of the tokens are not spent. */
  filesCount: 20,
  /** The most of one file, in tokens. Source: where-the-numbers-come-from.md, "Restoration": a limit of 10,000 covers less; the floor: "What the default saves". */
  fileTokens: { tokens: 15_000, floor: 8_000 },
  /** All files together, in tokens. Source: where-the-numbers-come-from.md, "Restoration"; the floor: "What the default saves". */
  filesTokens: { tokens: 24_000, floor: 14_000 },
  /** The classic rule: the most of one file and of all files together, in tokens. Source: our choice: what Claude Code restores. */
  classicFiles: { fileTokens: 5_000, filesTokens: 50_000 },

  /** Time that a restorer has, in milliseconds. Source: our choice: a compaction takes longer, and people wait for it. */
  restorerTimeoutMs: 5_000,
  /** The most of one restored thing other than a file, in tokens. Source: our choice: what Claude Code gives a skill. */
  itemTokens: { tokens: 5_000, floor: 1_000 },
  /** All skills and instructions of tool servers together, in tokens. Source: our choice: what Claude Code gives them. */
  skillsTokens: { tokens: 25_000, floor: 3_000 },
  /** Instruction files and the state of version control together, in tokens. Source: our choice: two large instruction files. */
  sessionStartTokens: { tokens: 12_000, floor: 2_000 },
  /** Plan, plan-mode instructions and open tasks together, in tokens. Source: our choice. */
  planTokens: { tokens: 8_000, floor: 2_000 },
  /** Any other list, in tokens. Source: our choice: some hundred names with a line each. */
  listTokens: { tokens: 5_000, floor: 1_000 },
} as const;

assert(
  RESTORE_DEFAULTS.fileTokens.tokens <= RESTORE_DEFAULTS.filesTokens.tokens,
  "one file fits into what all files may take",
);
