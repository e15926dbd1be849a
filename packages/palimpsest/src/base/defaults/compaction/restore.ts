/**
 * Numbers of what is put back into the window after a compaction: how much, of what, and by which
 * evidence files are chosen.
 *
 * Token numbers are pairs, as in `compaction.ts`: they scale down with the window.
 */
import { assert } from "../../assert.ts";

export const RESTORE_DEFAULTS = {
  /** Files that are put back at the most. Source: our choice: what Claude Code restores; where-the-numbers-come-from.md, "Restoration". */
  filesCount: 5,
  /** The most of one file, in tokens. Source: where-the-numbers-come-from.md, "Restoration": twice the classic limit covers half as much again. */
  fileTokens: { tokens: 10_000, floor: 2_000 },
  /** All files together, in tokens. Source: where-the-numbers-come-from.md, "Restoration". */
  filesTokens: { tokens: 24_000, floor: 5_000 },
  /** The classic rule: the most of one file, in tokens. Source: our choice: what Claude Code restores. */
  classicFileTokens: 5_000,
  /** The classic rule: all files together, in tokens. Source: our choice: what Claude Code restores. */
  classicFilesTokens: 50_000,
  /** Tokens that must be left of a file for it to be worth its heading. Source: our choice. */
  leastFileTokens: 60,

  /** Files whose content is looked for before the budget is given out: some are gone, visible or empty. Source: our choice: twice what is put back. */
  candidatesCount: 10,
  /** Newest uses of one file that are laid over each other. Source: our choice: a bound on the work; recorded sessions have some 60. */
  foldedUsesCount: 400,
  /** Lines around an edit that belong to the part in use. Source: our choice: about a screen. */
  contextLines: 30,
  /** Gaps of so many lines between two shown parts are shown as well: a heading costs as much. Source: our choice. */
  bridgedLines: 4,
  /** Changes whose place in the file is not known that are shown, newest first. Source: our choice. */
  looseChangesCount: 4,

  /** Tool calls after which turning to a file counts 1/e. Source: where-the-numbers-come-from.md, "Restoration": 40 to 90 cover the same. */
  recencyCalls: 60,
  /** Weight of a use that only changed a file: the summary says what a change did, not what a read showed. Source: our choice, half; where-the-numbers-come-from.md, "Restoration". */
  editWeight: 0.5,
  /** Factor for a file that the summary names as pending or next. Source: our choice, two doublings; where-the-numbers-come-from.md, "Restoration". */
  namedNextFactor: 4,
  /** Factor for a file that the last words name. Source: our choice, a doubling; where-the-numbers-come-from.md, "Restoration". */
  namedLastFactor: 2,
  /** Factor for a file that an open failure names. Source: our choice, a doubling; where-the-numbers-come-from.md, "Restoration". */
  failingFactor: 2,
  /** Factor for a file that was used since the user last spoke. Source: our choice, a doubling; where-the-numbers-come-from.md, "Restoration". */
  latestTurnFactor: 2,
  /** Share at the end of a summary without the usual headings that says what comes next. Source: our choice: sections 7 to 9 of nine. */
  summaryEndShare: 0.25,
  /** Newest answers that are part of the last words. Source: our choice: the current work and the last words about it. */
  assistantWordsCount: 2,
  /** Newest open failures that are looked at. Source: our choice: as many as the digest matches with later calls. */
  failuresCount: 6,

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
  /** Items that are taken of one restorer. Source: our choice: more than fit into any budget. */
  itemsCount: 200,
  /** Characters that are looked at of one item. Source: our choice: far more than fit into any budget. */
  itemCharacters: 400_000,
  /** Names of one list that are remembered as announced. Source: our choice: about 20 KB in a checkpoint. */
  announcedCount: 1_000,
  /** Files above this are not read again for a restoration, in bytes. Source: our choice: a hundred times what is shown of one. */
  readBytes: 4_000_000,
} as const;

assert(
  RESTORE_DEFAULTS.fileTokens.tokens <= RESTORE_DEFAULTS.filesTokens.tokens,
  "one file fits into what all files may take",
);

/** Numbers of the measurement: what counts as read again, and when two lines are the same. */
export const RESTORE_EVALUATION_DEFAULTS = {
  /** Tool calls after a compaction that are looked at. Source: where-the-numbers-come-from.md, "Restoration". */
  callsAfter: 40,
  /** Shorter lines say nothing about a file: brackets and blanks; in characters. Source: our choice. */
  lineCharacters: 4,
} as const;
