/**
 * Numbers of the policies: how much a session may cost for how much of it stays visible, and when
 * the window is rewritten for the price's sake.
 *
 * Token numbers are those of the reference window with the least that is still useful, as in
 * `compaction.ts`. `CostPolicy` (`compaction/planner/cost-policy.ts`) says what each value does.
 */
import { assert } from "../../assert.ts";
import { RESTORE_DEFAULTS } from "./restore.ts";

export const POLICY_DEFAULTS = {
  /** The least that a session can cost without losing its thread. Source: where-the-numbers-come-from.md, "Policies": chosen on half of the recorded sessions. */
  economy: {
    arrivalBlock: { tokens: 12_000, floor: 10_000 },
    summaryMultiple: 2,
    earlyShare: 0,
    earlySummary: "model",
    notesWriter: "log",
    clearsByRent: true,
    clearedStrings: { tokens: 0, floor: 0 },
    earlyFiles: { tokens: 24_000, floor: 5_000 },
    restoresFromLog: false,
    userWords: { tokens: 6_000, floor: 1_500 },
    facts: { tokens: 2_500, floor: 1_000 },
    appendix: { tokens: 6_000, floor: 3_000 },
    keptTail: { tokens: 300, floor: 300 },
  },
  /** Makes no session worse than a full compaction at the threshold, and is cheap where that allows it. Source: where-the-numbers-come-from.md, "Policies": chosen by the floors on half of the recorded sessions. */
  balanced: {
    arrivalBlock: { tokens: 12_000, floor: 10_000, noneFrom: 128_000 },
    summaryMultiple: 5,
    earlyShare: 0.92,
    largeEarlyShare: { share: 0.85, from: 128_000 },
    earlySummary: "log",
    modelSummaryFrom: 128_000,
    keepsBlocks: { from: 48_000, below: 128_000 },
    notesWriter: "log",
    clearsByRent: false,
    clearedStrings: { tokens: 10_000, floor: 3_000 },
    earlyFiles: { tokens: 24_000, floor: 14_000 },
    restoresFromLog: true,
    userWords: { tokens: 6_000, floor: 1_000 },
    facts: { tokens: 3_500, floor: 1_500 },
    appendix: { tokens: 6_000, floor: 1_500 },
    keptTail: { tokens: 6_000, floor: 6_000, windows: { from: 48_000, below: 128_000 } },
  },
  /** Nothing leaves the window before it has to, unless the cache is cold and it costs nothing. Source: where-the-numbers-come-from.md, "Policies": chosen on half of the recorded sessions. */
  faithful: {
    arrivalBlock: { tokens: 12_000, floor: 10_000 },
    summaryMultiple: Number.POSITIVE_INFINITY,
    earlyShare: 0,
    earlySummary: "model",
    clearsByRent: false,
    clearsWhenCold: true,
    clearedStrings: { tokens: 0, floor: 0 },
    earlyFiles: { tokens: 24_000, floor: 5_000 },
    restoresFromLog: false,
    userWords: { tokens: 8_000, floor: 2_000 },
    facts: { tokens: 8_000, floor: 1_600 },
    appendix: { tokens: 10_000, floor: 5_000 },
    keptTail: { tokens: 20_000, floor: 3_000 },
  },
  /** The constants of Claude Code, for those who know it. `POLICY_LIMITS` has those that are not of a summary. Source: Claude Code, as docs/reference/classic.md lists them row by row. */
  classic: {
    arrivalBlock: { tokens: 25_000, floor: 10_000 },
    summaryMultiple: Number.POSITIVE_INFINITY,
    earlyShare: 0,
    earlySummary: "model",
    clearsByRent: false,
    clearedStrings: { tokens: 0, floor: 0 },
    earlyFiles: { tokens: 24_000, floor: 5_000 },
    restoresFromLog: false,
    clearsWhenCold: true,
    clearsByCount: true,
    collapsesEarly: true,
    userWords: { tokens: 8_000, floor: 2_000 },
    facts: { tokens: 8_000, floor: 1_600 },
    appendix: { tokens: 6_000, floor: 3_000 },
    keptTail: { tokens: 300, floor: 300 },
  },
} as const;

/** Numbers of the policies beside their summaries, by the option that sets them. A host's own go before them. */
export const POLICY_LIMITS = {
  /** Notes that leave more than a summary of a large window make every later call dearer; in small windows the files in use need the room behind a summary. Source: where-the-numbers-come-from.md, "Policies" and "What the default saves". */
  balanced: { sessionMemoryTargetShare: 0.35, fullTargetShare: 0.42 },
  /** Source: Claude Code, as docs/reference/classic.md lists them. */
  classic: {
    arrivalPreviewTokens: 1_000,
    restoredFilesCount: 5,
    restoredFileTokens: RESTORE_DEFAULTS.classicFiles.fileTokens,
    restoredFilesTokens: RESTORE_DEFAULTS.classicFiles.filesTokens,
    /** The whole cost: no cap. */
    notesCostShareCap: 1,
  },
} as const;

assert(
  POLICY_DEFAULTS.economy.summaryMultiple < POLICY_DEFAULTS.balanced.summaryMultiple &&
    POLICY_DEFAULTS.balanced.summaryMultiple < POLICY_DEFAULTS.faithful.summaryMultiple,
  "a cheaper policy summarises earlier",
);
