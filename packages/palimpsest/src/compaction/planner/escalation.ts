/**
 * Escalation: which layer may act, the cheaper before the dearer.
 *
 * The layers here rewrite old blocks and need no summary. Each looks at the window that the one
 * before would leave, at most once; if the window is still above the threshold after all of them,
 * what they planned is dropped in favour of a compaction, because two rewrites would be paid for one.
 */
import { finish, type Steps } from "../../base/steps.ts";
import type { LayerEdit } from "../../transcript/edits.ts";
import { previewEdit } from "../../transcript/projection.ts";
import { microcompactByUsageInSteps } from "../layers/microcompact/microcompact-by-usage.ts";
import {
  microcompactWhenColdInSteps,
  planMicrocompactByCount,
} from "../layers/microcompact/microcompact-when-cold.ts";
import { offloadByUsageInSteps } from "../layers/offload/offload-by-usage.ts";
import { limitsOf } from "../shared/layer-limits.ts";
import { guarded, situationOf, type WindowSituation, type WindowState } from "../shared/window-state.ts";
import { countLoss } from "../summary/loss-report.ts";
import type { CostPolicy } from "./cost-policy.ts";
import { clearableToolsOf, clearByRentPolicy, microcompactPolicy, offloadPolicy } from "./policies.ts";

/** Sizes from which on a layer may act, in tokens of the whole request. */
interface LayerGates {
  readonly offloadTokens: number;
  readonly microcompactTokens: number;
}

/** The part of a {@link WindowState} that the layers look at: measured unpadded and without the fixed part. */
interface EscalationInput
  extends Pick<
    WindowState,
    | "visible"
    | "usedTokens"
    | "measure"
    | "padding"
    | "disabledLayers"
    | "keptTools"
    | "clearableTools"
    | "seq"
    | "at"
    | "guard"
  > {
  readonly gates: LayerGates;
  readonly situation: WindowSituation;
}

/** The edits that the layers would make, and the size of the request after them. */
interface EscalationPlan {
  /** To be appended together, in this order. */
  readonly edits: readonly LayerEdit[];
  /** The request with them, padded. */
  readonly usedTokens: number;
}

/** Plans the layers that only rewrite old blocks; no edits where none may act or none would gain. */
export function planOldBlocks(input: EscalationInput): EscalationPlan {
  return finish(oldBlocksInSteps(input));
}

/** The same in steps. @internal */
export function* oldBlocksInSteps(input: EscalationInput): Steps<EscalationPlan> {
  const { measure, padding, situation, gates, disabledLayers } = input;
  const edits: LayerEdit[] = [];
  let visible = input.visible;
  let usedTokens = input.usedTokens;
  const take = (edit: LayerEdit | undefined): void => {
    if (edit === undefined) return;
    visible = previewEdit(visible, edit, { seq: input.seq + edits.length, at: input.at });
    usedTokens -= Math.round(edit.freedTokens * padding);
    edits.push({ ...edit, loss: countLoss(edit, situation) });
  };

  if (!disabledLayers.has("offload") && usedTokens >= gates.offloadTokens)
    take(
      yield* guarded(input, "offload", () =>
        offloadByUsageInSteps(
          { visible, usedTokens, measure },
          offloadPolicy(situation, gates.offloadTokens),
        ),
      ),
    );
  if (!disabledLayers.has("microcompact") && usedTokens >= gates.microcompactTokens) {
    take(
      yield* guarded(input, "microcompact", () => {
        const policy = microcompactPolicy(situation, gates.microcompactTokens);
        const clearableTools = clearableToolsOf(input);
        return microcompactByUsageInSteps({ visible, usedTokens, measure }, { ...policy, clearableTools });
      }),
    );
  }
  return { edits, usedTokens };
}

/**
 * Plans clearing all but the newest results, below every gate: on a cold cache, where it costs nothing, and by their
 * count, where the policy asks for it. `undefined` where neither applies.
 */
export function* planClearAll(
  state: WindowState,
  { clearsByRent, clearsWhenCold = clearsByRent, clearsByCount = false }: CostPolicy,
): Steps<LayerEdit | undefined> {
  const { visible, measure, isWarm, tariff, at: nowMs } = state;
  const { resultsKeptCount, clearableCountGate, coldGapMs } = limitsOf(state);
  const mayBeCold = clearsWhenCold && (!isWarm || coldGapMs !== undefined);
  if ((!mayBeCold && !clearsByCount) || state.editSafety === "strict") return undefined;
  const usual = clearByRentPolicy(situationOf(state), clearableToolsOf(state));
  const policy = { ...usual, resultsKeptCount, clearableCountGate };
  const cacheTtlMs = coldGapMs ?? tariff.cacheLifetimeMs;
  // Less than what always stays is not worth a look at every block.
  const cold =
    mayBeCold && state.messagesTokens > policy.recentTailTokens
      ? yield* microcompactWhenColdInSteps({ visible, measure, nowMs }, { ...policy, cacheTtlMs })
      : undefined;
  if (cold !== undefined || !clearsByCount) return cold;
  return yield* planMicrocompactByCount({ visible, measure }, policy);
}
