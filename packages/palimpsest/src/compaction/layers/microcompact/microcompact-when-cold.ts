/**
 * Microcompact by time and by count: clear all but the newest tool results, all at once.
 *
 * By time: once the prompt cache is cold. While the cache is warm, rewriting an old message bills everything behind it again. Once it has
 * expired the whole prefix is billed again whatever is sent, so clearing costs nothing, and all of
 * it goes at once. Cheap is not safe: the rule of edit safety holds as for every rewrite.
 *
 * By count: once there are very many, as in Claude Code. Only the policy `classic` does so below the gates.
 */
import { finish, type Steps } from "../../../base/steps.ts";
import type { LayerEdit } from "../../../transcript/edits.ts";
import type { VisibleMessage } from "../../../transcript/window.ts";
import type { Measure } from "../../shared/measure.ts";
import { type HistoryState, mayRewriteHistory } from "../../shared/rewrite-rule.ts";
import { type ClearPolicy, clearForms } from "./clear-forms.ts";
import {
  type ClearablePolicy,
  type ClearableResult,
  findClearableResults,
  findLargeArguments,
  type LargeArgument,
} from "./clearable-results.ts";

/** The policy of clearing once the cache is cold. `microcompactPolicy` with the provider's `cacheTtlMs` is one. */
interface MicrocompactWhenColdPolicy extends ClearAllPolicy {
  /** Time for which the provider keeps an unused prefix. */
  readonly cacheTtlMs: number;
}

interface ClearAllPolicy extends HistoryState, Omit<ClearablePolicy, "resultsKeptTokens">, ClearPolicy {}

/** The window and the time. */
interface WhenColdInput {
  readonly visible: readonly VisibleMessage[];
  readonly measure: Measure;
  /** In milliseconds since the epoch, as the `at` of messages. */
  readonly nowMs: number;
}

/** Plans the edit, or returns `undefined` while the cache is warm and where nothing is left to clear. */
export function planMicrocompactWhenCold(
  input: WhenColdInput,
  policy: MicrocompactWhenColdPolicy,
): LayerEdit | undefined {
  return finish(microcompactWhenColdInSteps(input, policy));
}

/** The same in steps. @internal */
export function* microcompactWhenColdInSteps(
  { visible, measure, nowMs }: WhenColdInput,
  policy: MicrocompactWhenColdPolicy,
): Steps<LayerEdit | undefined> {
  if (!mayRewriteHistory(policy) || !isCold({ visible, nowMs }, policy)) return undefined;
  const results = findClearableResults(visible, policy);
  return yield* clearAllButNewest(results, { visible, measure, reason: "cache-cold" }, policy);
}

/** Plans the edit, or returns `undefined` as long as there are fewer than `clearableCountGate` clearable results. */
export function* planMicrocompactByCount(
  { visible, measure }: Pick<WhenColdInput, "visible" | "measure">,
  policy: ClearAllPolicy & { readonly clearableCountGate: number },
): Steps<LayerEdit | undefined> {
  if (!mayRewriteHistory(policy) || visible.length < policy.clearableCountGate) return undefined;
  const results = findClearableResults(visible, policy);
  if (results.length < policy.clearableCountGate) return undefined;
  return yield* clearAllButNewest(results, { visible, measure, reason: "count" }, policy);
}

function* clearAllButNewest(
  results: readonly ClearableResult[],
  {
    visible,
    measure,
    reason,
  }: Pick<WhenColdInput, "visible" | "measure"> & { readonly reason: "cache-cold" | "count" },
  policy: ClearAllPolicy,
): Steps<LayerEdit | undefined> {
  const staleCount = Math.max(0, results.length - policy.resultsKeptCount);
  const chosen = {
    results: results.slice(0, staleCount),
    arguments: findLargeArguments(visible, policy, measure).filter(isBefore(results[staleCount])),
  };
  const forms = yield* clearForms(visible, chosen, policy, measure);
  if (forms.length === 0) return undefined;

  return {
    kind: "microcompact",
    reason,
    freedTokens: Math.round(forms.reduce((sum, form) => sum + form.freedTokens, 0)),
    effect: { forms: forms.map(({ form }) => form) },
  };
}

/** A request wrote the cache when the newest answer was made; before the first there is none. */
function isCold(
  { visible, nowMs }: Pick<WhenColdInput, "visible" | "nowMs">,
  { cacheTtlMs }: MicrocompactWhenColdPolicy,
): boolean {
  const answer = visible.findLast(({ role }) => role === "assistant");
  return answer !== undefined && nowMs - answer.at > cacheTtlMs;
}

/** Arguments are old where the results beside them are: before the first result that stays. */
function isBefore(firstKept: ClearableResult | undefined): (argument: LargeArgument) => boolean {
  if (firstKept === undefined) return () => false;
  return ({ seq, call }) => seq < firstKept.seq && call.id !== firstKept.call.id;
}
