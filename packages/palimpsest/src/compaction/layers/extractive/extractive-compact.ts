/**
 * Extractive compact: everything before the kept tail becomes one message, made from the digest
 * without a model. The default where no model is there to ask, and the last resort where one fails.
 *
 * It cannot fail on its own account: every part is cut to a budget. It refuses (`undefined`) only where
 * nothing would be gained, or where a call is pending: a boundary between a call and its result would
 * orphan both.
 */
import type { LayerEdit } from "../../../transcript/edits.ts";
import type { Digest } from "../../digest/digest.ts";
import {
  type CompactionInput,
  type CompactionShape,
  type PartialSpan,
  planCompaction,
  planPartialCompaction,
  type SummaryComposer,
} from "../../summary/plan-compaction.ts";
import { composeExtractiveSummary } from "./extractive-summary.ts";

/**
 * Budgets of one extractive compaction, in tokens as `measure` counts them. `extractivePolicy` makes
 * the policy of a window of a given size.
 */
export interface ExtractivePolicy extends CompactionShape {
  /** The user's own words, verbatim. */
  readonly userWordsTokens: number;
  /** Files, commands, errors, decisions and open tasks. */
  readonly factsTokens: number;
  /** Strings that are likely to be needed to the letter. */
  readonly appendixTokens: number;
}

/** The window to compact, and the digest of everything ever said in it. */
interface ExtractiveInput extends CompactionInput {
  /** Folded from all original messages of the session's line. */
  readonly digest: Digest;
  readonly policy: ExtractivePolicy;
}

/**
 * Plans the compaction, of one side of a pivot where a `span` is given; or returns `undefined` where nothing
 * is gained or a call is pending.
 */
export function planExtractiveCompact(input: ExtractiveInput, span?: PartialSpan): LayerEdit | undefined {
  const { digest, policy, measure } = input;
  const { userWordsTokens, factsTokens, appendixTokens } = policy;
  const writer: SummaryComposer = {
    kind: "extractive",
    compose: (budget) =>
      composeExtractiveSummary(digest, { ...budget, userWordsTokens, factsTokens, appendixTokens }, measure),
  };
  return span === undefined ? planCompaction(input, writer) : planPartialCompaction(input, span, writer);
}
