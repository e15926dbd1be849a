/**
 * Microcompact, usage trigger: above the gate, old results of tools that can run again shrink to a brief of
 * one line, and large old arguments of the same tools to a preview.
 *
 * Everything is cleared in one batch or not at all: each rewrite re-bills the messages after it, and clearing
 * results one by one costs more than not managing the window (where-the-numbers-come-from.md, "Offload and
 * microcompact"). Results of agents, MCP servers and unknown tools are kept: they cannot be had again.
 */
import { finish, type Steps } from "../../../base/steps.ts";
import type { LayerEdit } from "../../../transcript/edits.ts";
import { recentTailStart } from "../../shared/measure.ts";
import {
  type HistoryState,
  mayRewriteHistory,
  meetsRewriteThreshold,
  type RewriteThreshold,
  type UsageInput,
} from "../../shared/rewrite-rule.ts";
import { type ClearPolicy, clearForms, mostClearedTokens } from "./clear-forms.ts";
import {
  type ClearablePolicy,
  countKeptResults,
  findClearableResults,
  findLargeArguments,
} from "./clearable-results.ts";

/**
 * Which blocks may be cleared, and from which size on. Sizes are in tokens unless the name says otherwise;
 * `microcompactPolicy` makes the policy of a window of a given size.
 */
export interface MicrocompactPolicy extends HistoryState, RewriteThreshold, ClearablePolicy, ClearPolicy {
  /** Size of the whole request from which on this layer acts. */
  readonly gateTokens: number;
  /** This many clearable results start a pass whatever the usage. */
  readonly clearableCountGate: number;
  /** Newest part of the window that is left alone. */
  readonly recentTailTokens: number;
}

/** Plans the edit, or returns `undefined` below the gates and where one batch frees too little. */
export function planMicrocompactByUsage(
  input: UsageInput,
  policy: MicrocompactPolicy,
): LayerEdit | undefined {
  return finish(microcompactByUsageInSteps(input, policy));
}

/** The same in steps. @internal */
export function* microcompactByUsageInSteps(
  { visible, usedTokens, measure }: UsageInput,
  policy: MicrocompactPolicy,
): Steps<LayerEdit | undefined> {
  if (!mayRewriteHistory(policy)) return undefined;
  const results = findClearableResults(visible, policy);
  if (usedTokens < policy.gateTokens && results.length < policy.clearableCountGate) return undefined;

  const tailStart = recentTailStart(visible, policy.recentTailTokens, measure);
  const tailSeq = visible[tailStart]?.seq ?? Number.POSITIVE_INFINITY;
  const stale = results
    .slice(0, results.length - countKeptResults(results, policy, measure))
    .filter(({ seq }) => seq < tailSeq);
  const chosen = {
    results: stale,
    arguments: findLargeArguments(visible.slice(0, tailStart), policy, measure),
  };
  // The forms are dear to make: not where clearing all of it would free too little.
  const mostTokens = mostClearedTokens(chosen, policy, measure);
  if (!meetsRewriteThreshold({ usedTokens, freedTokens: mostTokens }, policy)) return undefined;

  const forms = yield* clearForms(visible, chosen, policy, measure);
  const freedTokens = forms.reduce((sum, form) => sum + form.freedTokens, 0);
  if (!meetsRewriteThreshold({ usedTokens, freedTokens }, policy)) return undefined;

  return {
    kind: "microcompact",
    reason: usedTokens < policy.gateTokens ? "count" : "usage",
    freedTokens: Math.round(freedTokens),
    effect: { forms: forms.map(({ form }) => form) },
  };
}
