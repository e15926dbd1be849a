/**
 * Microcompact to save cost: old results and arguments are cleared, in one batch, once the rent they have
 * paid reaches the price of rewriting everything after them. (On a cold cache `microcompact-when-cold.ts`
 * clears at once.)
 *
 * It acts far below the gates, only on sessions whose history may be edited, and names its reason in the
 * edit. The tools whose results it clears can run again, and each result leaves a brief with a pointer.
 */
import type { Steps } from "../../../base/steps.ts";
import type { Tariff } from "../../../tokens/price/tariff.ts";
import type { LayerEdit } from "../../../transcript/edits.ts";
import type { VisibleMessage } from "../../../transcript/window.ts";
import { type Measure, measureMessage, measureMessages } from "../../shared/measure.ts";
import { type HistoryState, mayRewriteHistory } from "../../shared/rewrite-rule.ts";
import { type ClearPolicy, clearForms } from "./clear-forms.ts";
import {
  type ClearablePolicy,
  type ClearableResult,
  findClearableResults,
  findLargeArguments,
  type LargeArgument,
} from "./clearable-results.ts";
import type { RentLedger } from "./rent.ts";
import { type Clearable, countToClear } from "./rent.ts";

/** Which blocks may be cleared to save cost. Sizes are in tokens. */
export interface ClearByRentPolicy extends HistoryState, ClearablePolicy, ClearPolicy {
  /** Newest part of the window that is left alone. */
  readonly recentTailTokens: number;
  /** A block below this is not worth a brief. */
  readonly leastBlockTokens: number;
  /** A batch frees this at the least. */
  readonly leastFreedTokens: number;
}

interface ClearByRentInput {
  readonly visible: readonly VisibleMessage[];
  readonly measure: Measure;
  readonly ledger: RentLedger;
  readonly tariff: Tariff;
}

interface Candidate extends Clearable {
  readonly result?: ClearableResult;
  readonly argument?: LargeArgument;
}

/** Plans the edit, or returns `undefined` where clearing does not pay yet. */
export function* planClearByRent(
  { visible, measure, ledger, tariff }: ClearByRentInput,
  policy: ClearByRentPolicy,
): Steps<LayerEdit | undefined> {
  if (!mayRewriteHistory(policy)) return undefined;
  const candidates = findCandidates(visible, policy, measure, ledger);
  const { leastFreedTokens } = policy;
  const count = countToClear(candidates, { tariff, isWarm: true, leastFreedTokens });
  if (count === 0) return undefined;
  const chosen = candidates.slice(0, count).toReversed();
  const forms = yield* clearForms(
    visible,
    {
      results: chosen.flatMap(({ result }) => result ?? []),
      arguments: chosen.flatMap(({ argument }) => argument ?? []),
    },
    policy,
    measure,
  );
  const freedTokens = forms.reduce((sum, form) => sum + form.freedTokens, 0);
  if (freedTokens < leastFreedTokens) return undefined;
  return {
    kind: "microcompact",
    reason: "rent",
    freedTokens: Math.round(freedTokens),
    effect: { forms: forms.map(({ form }) => form) },
  };
}

/** Finds the blocks that may be cleared, newest first, each with the rent it has paid. */
function findCandidates(
  visible: readonly VisibleMessage[],
  policy: ClearByRentPolicy,
  measure: Measure,
  ledger: RentLedger,
): readonly Candidate[] {
  const results = findClearableResults(visible, policy);
  const keptFrom = results.length - Math.min(results.length, policy.resultsKeptCount);
  const bySeq = groupBySeq(results.slice(0, keptFrom));
  const argumentsBySeq = groupBySeq(findLargeArguments(visible, policy, measure));
  const candidates: Candidate[] = [];
  const messagesTokens = measureMessages(visible, measure);
  let suffixTokens = 0;
  for (const message of visible.toReversed()) {
    const tokensBehind = suffixTokens;
    suffixTokens += measureMessage(message, measure);
    if (message.insertedBy !== undefined || tokensBehind < policy.recentTailTokens) continue;
    const keptTokens = policy.recentTailTokens;
    const paidPerToken = ledger.paidPerToken({ messagesTokens, tokensBehind, keptTokens });
    const add = (freedTokens: number, what: Pick<Candidate, "result" | "argument">): void => {
      if (freedTokens >= policy.leastBlockTokens)
        candidates.push({ ...what, freedTokens, paid: paidPerToken * freedTokens, suffixTokens });
    };
    for (const result of bySeq.get(message.seq) ?? [])
      add(measure(result.result) - policy.briefTokens, { result });
    for (const argument of argumentsBySeq.get(message.seq) ?? [])
      add(measure(argument.call) - policy.argumentPreviewTokens, { argument });
  }
  return candidates;
}

function groupBySeq<Item extends { readonly seq: number }>(
  items: readonly Item[],
): ReadonlyMap<number, readonly Item[]> {
  const groups = new Map<number, Item[]>();
  for (const item of items) {
    const known = groups.get(item.seq);
    if (known === undefined) groups.set(item.seq, [item]);
    else known.push(item);
  }
  return groups;
}
