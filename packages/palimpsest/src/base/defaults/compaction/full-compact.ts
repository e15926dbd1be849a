/**
 * Numbers of the summary that a model writes.
 */
import { assert } from "../../assert.ts";

export const FULL_COMPACT_DEFAULTS = {
  /** A summary call is given up after this long, in milliseconds. Source: our choice: 20,000 tokens at 200 tokens a second, and a margin; peers hung for hours without one. */
  summaryTimeoutMs: 120_000,
  /** Retries of one summary whose request was too long. Source: Claude Code's compaction, which tries three times. */
  tooLongRetriesCount: 3,
  /** Share of what a window has free for a transcript that it is filled to. Source: our choice: sizes are estimates of another model's tokens. */
  transcriptShare: 0.85,
  /** Share of the rounds that a retry leaves out where the refusal names no gap. Source: the same: a fifth. */
  droppedShare: 0.2,
  /** The gap that a refusal names is covered this many times: its tokens are not ours. Source: our choice. */
  gapMargin: 1.1,
  /** Numbered sections that an answer must have to be a summary, of nine. Source: our choice: a short conversation has little to say in some. */
  leastSectionsCount: 5,
  /** Expected size of a summary, for its price, in tokens. Source: our choice: summaries of the recorded sessions have 2,000 to 5,000. */
  expectedTokens: 4_000,
  /** Share of the room for the inserted message that the model's own text may take: the rest is for words and strings from the log. Source: our choice. */
  writtenShare: 0.6,
  /** Share of what is left beside the model's text that the user's words may take. Source: our choice. */
  userWordsShare: 0.6,
  /** The user's own words, carried over verbatim beside notes, and beside a summary that is made for the price's sake; others carry all that their target leaves room for. Source: the nine sections of Claude Code's summary list all of them; the budget is our choice. */
  userWords: { tokens: 8_000, floor: 2_000 },
  /** Strings from the log. Source: where-the-numbers-come-from.md, "String appendix". */
  appendix: { tokens: 6_000, floor: 3_000 },
  /** Kept free for the appendix's heading and for joining the parts, in tokens. Source: our choice: some twice what they take. */
  appendixFrameTokens: 60,
  /** Newest rounds that stay as they are, on sessions whose history may be edited. Source: our choice: the newest round. */
  keptTail: { tokens: 300, floor: 300 },
  /** Share of the words of an open task that a summary must have to have told it. Source: our choice. */
  taskWordsShare: 0.6,
  /** Strings not found in the log that are marked in one summary, at the most. Source: our choice: more says that the summary is bad, not which string is wrong. */
  unverifiedMarksCount: 60,
  /** Failures in a row after which no model is asked for a summary any longer in the session. Source: Claude Code: three; hosts may set two. */
  breakerFailuresCount: 3,
  /** A compaction due again within this many calls was of no use. Source: peers' thrashing reports: a refill within three turns, taken as calls, because one turn of an agent may hold hundreds. */
  refillCallsCount: 3,
} as const;

assert(
  FULL_COMPACT_DEFAULTS.writtenShare < 1 && FULL_COMPACT_DEFAULTS.droppedShare > 0,
  "beside the model's text there is room for the log's, and a retry always leaves something out",
);
