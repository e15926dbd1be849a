/**
 * Numbers of the policies: how much a session may cost for how much of it stays visible, and when
 * the window is rewritten for the price's sake.
 *
 * Token numbers are those of the reference window with the least that is still useful, as in
 * `compaction.ts`.
 */
import { assert } from "../../assert.ts";

export const POLICY_DEFAULTS = {
  /** The least that a session can cost without losing its thread. Source: where-the-numbers-come-from.md, "Policies": chosen on half of the recorded sessions. */
  economy: {
    /** Summarise when the rent of the span reaches this many times the price of the summary. */
    summaryMultiple: 2,
    /** Clear old results when their rent reaches the price of the rewrite, and whenever the cache is cold. */
    clearsByRent: true,
    /** Parts of a summary: the user's words, facts, strings; and the newest rounds kept behind it. */
    userWords: { tokens: 6_000, floor: 1_500 },
    facts: { tokens: 2_500, floor: 1_000 },
    appendix: { tokens: 6_000, floor: 3_000 },
    keptTail: { tokens: 300, floor: 300 },
  },
  /** As economy, where what was far back stays as visible as with a full compaction at the threshold. Source: where-the-numbers-come-from.md, "Policies": chosen on half of the recorded sessions. */
  balanced: {
    summaryMultiple: 8,
    clearsByRent: true,
    userWords: { tokens: 6_000, floor: 1_500 },
    facts: { tokens: 2_500, floor: 1_000 },
    appendix: { tokens: 9_000, floor: 4_500 },
    keptTail: { tokens: 300, floor: 300 },
  },
  /** Nothing leaves the window before it has to. Source: where-the-numbers-come-from.md, "Policies": chosen on half of the recorded sessions. */
  faithful: {
    summaryMultiple: Number.POSITIVE_INFINITY,
    clearsByRent: false,
    userWords: { tokens: 8_000, floor: 2_000 },
    facts: { tokens: 8_000, floor: 1_600 },
    appendix: { tokens: 10_000, floor: 5_000 },
    keptTail: { tokens: 20_000, floor: 3_000 },
  },
} as const;

export const RENT_DEFAULTS = {
  /** A summary is not made early before the window is this many times what it would leave. Source: our choice: half of it must go. */
  leastShrink: 2,
  /** Calls between two early summaries, at the least. Source: our choice: where nothing is cheap to read, a summary would be due at every third call. */
  leastCalls: 8,
  /** Share of what a summary keeps of the newest round that unsent messages may take; else the summary waits a call. Source: our choice: the rest is labels. */
  unsentShare: 0.8,
  /** Share of its budgets that a summary takes, as long as none was made. Source: our choice: sections are rarely full. */
  expectedShare: 0.8,
  /** Newest part of the window whose results are not cleared for the price's sake. Source: where-the-numbers-come-from.md, "Rent or buy". */
  recentTail: { tokens: 40_000, floor: 8_000 },
  /** Newest clearable results that stay whole. Source: facts of the same section: the last three are still worked with. */
  resultsKeptCount: 3,
  /** Tokens that clearing one block must free to be considered. Source: our choice: twice a brief. */
  leastBlockTokens: 120,
  /** Tokens that one batch must free. Source: our choice: a rewrite for less is noise. */
  leastFreed: { tokens: 4_000, floor: 1_000 },
  /** After a look that found nothing to pay yet, the rent must grow by this factor before the next. Source: our choice: looking costs time, not money. */
  lookAgainFactor: 1.25,
} as const;

assert(
  POLICY_DEFAULTS.economy.summaryMultiple < POLICY_DEFAULTS.balanced.summaryMultiple &&
    POLICY_DEFAULTS.balanced.summaryMultiple < POLICY_DEFAULTS.faithful.summaryMultiple,
  "a cheaper policy summarises earlier",
);
