/**
 * Numbers of judging whether two facts are of the same matter.
 */
import { assert } from "../../assert.ts";

export const MEMORY_SUBJECT_DEFAULTS = {
  /** Characters of a fact that are compared; a longer one corrects nothing and is corrected by nothing. Source: our choice: some sentences; in a page no single value stands out. */
  comparedCharacters: 600,
  /** Share of their words that two memories have in common from which on they are of the same matter, for ranking only. Source: packages/evaluation/bench/memory: with half of them, newer facts of recorded corrections come first in seven of eight, and what searches find hardly changes. */
  sameSubjectShare: 0.5,
  /** Part of an older memory's score that a newer one of the same matter has at the least to come before it. Source: packages/evaluation/bench/memory: as above. */
  newerScoreShare: 0.5,
} as const;

assert(
  MEMORY_SUBJECT_DEFAULTS.sameSubjectShare > 0 && MEMORY_SUBJECT_DEFAULTS.sameSubjectShare <= 1,
  "a share is a part of the whole",
);
