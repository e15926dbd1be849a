/**
 * Bounds of reading what a provider said when a call failed: the error may be anything, as large as
 * what was sent, and hold itself.
 */
import { assert } from "../assert.ts";

export const MODEL_FAILURE_DEFAULTS = {
  /** UTF-16 units of one text that are looked at; what a provider has to say stands at the start. Source: our choice; the longest of the samples has under 1,000. */
  textChars: 16_384,
  /** UTF-16 units of one text that are parsed where it holds JSON. Source: our choice: a proxy may repeat the request in its answer. */
  jsonChars: 262_144,
  /** Objects looked at, causes and details together. Source: our choice; the deepest known (a gateway's error in a retry error) has under 20. */
  objectsCount: 100,
  /** Texts looked at. Source: our choice, as for objects. */
  textsCount: 40,
  /** Elements looked at in a list of errors. Source: our choice. */
  listItemsCount: 8,
  /** Longest code, type or name of an error, in UTF-16 units; anything longer is prose. Source: our choice. */
  codeChars: 100,
  /** UTF-16 units of the message that is handed on. Source: our choice: a few lines of a log. */
  messageChars: 500,
  /** Largest number of tokens or bytes that is believed. Source: our choice; beyond a trillion it is damage. */
  largestFigure: 1_000_000_000_000,
  /** Longest wait that is handed on, in milliseconds: a day. Source: our choice; daily quotas are the longest that providers name. */
  longestRetryAfterMs: 86_400_000,
  /** An answer without a word whose prompt fills this share of the window was cut to it. Source: our choice; reports of servers that fill the window to the last token. */
  filledShare: 0.99,
  /** A reported prompt below this share of its estimate was cut. Source: our choice; uncalibrated estimates stay above it in `packages/evaluation/bench/estimator`. */
  truncatedShare: 0.5,
  /** Smallest estimate, in tokens, that a reported prompt is held against. Source: our choice: below it wrappers dominate. */
  truncationMinTokens: 2_000,
  /** Growth of the prompt, in tokens by estimate, after which a report is compared with the one before. Source: our choice, as for the calibration. */
  ceilingMinGrowthTokens: 200,
  /** Reports that followed the prompt's growth before a standstill means anything. Source: our choice. */
  ceilingFollowedCount: 3,
  /** Reports in a row that stand still before the prompt counts as cut. Source: our choice: two may be chance. */
  ceilingStillCount: 3,
  /** Distance from the ceiling, as a share of it, within which a report counts as having reached it. Source: our choice: servers that cut whole messages report a little below their limit. */
  ceilingShare: 0.1,
} as const;

assert(
  MODEL_FAILURE_DEFAULTS.messageChars <= MODEL_FAILURE_DEFAULTS.textChars,
  "texts are read before they are handed on",
);
assert(MODEL_FAILURE_DEFAULTS.filledShare < 1, "a share is below one");
assert(MODEL_FAILURE_DEFAULTS.truncatedShare < 1, "a share is below one");
