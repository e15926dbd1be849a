/**
 * Numbers of the summary that a model writes.
 */
export const FULL_COMPACT_DEFAULTS = {
  /** A summary call is given up after this long, in milliseconds. Source: our choice: 20,000 tokens at 200 tokens a second, and a margin; peers hung for hours without one. */
  summaryTimeoutMs: 120_000,
  /** Retries of one summary whose request was too long. Source: Claude Code's compaction, which tries three times. */
  tooLongRetriesCount: 3,
  /** Share of the rounds that a retry leaves out where the refusal names no gap. Source: the same: a fifth. */
  droppedShare: 0.2,
  /** The user's own words, carried over verbatim beside notes, and beside a summary that is made for the price's sake; others carry all that their target leaves room for. Source: the nine sections of Claude Code's summary list all of them; the budget is our choice. */
  userWords: { tokens: 8_000, floor: 2_000 },
  /** Strings from the log. Source: where-the-numbers-come-from.md, "String appendix". */
  appendix: { tokens: 6_000, floor: 3_000 },
  /** Failures in a row after which no model is asked for a summary any longer in the session. Source: Claude Code: three; hosts may set two. */
  breakerFailuresCount: 3,
  /** A compaction due again within this many calls was of no use. Source: peers' thrashing reports: a refill within three turns, taken as calls, because one turn of an agent may hold hundreds. */
  refillCallsCount: 3,
} as const;
