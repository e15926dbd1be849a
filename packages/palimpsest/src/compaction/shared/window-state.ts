/**
 * The room in a window: how large the request is, where its limits lie, and what edits make of it.
 */
import { minOf } from "../../base/lists.ts";
import type { Steps } from "../../base/steps.ts";
import type { ContextBudget } from "../../tokens/budget/budget.ts";
import type { EditSafety } from "../../tokens/models/edit-safety.ts";
import type { Tariff } from "../../tokens/price/tariff.ts";
import type { LayerEdit, LayerName } from "../../transcript/edits.ts";
import { previewEdit, type SeqPin } from "../../transcript/projection.ts";
import type { VisibleMessage } from "../../transcript/window.ts";
import type { LayerLimits } from "./layer-limits.ts";
import { type Measure, measureMessages } from "./measure.ts";
import type { HistoryAccess } from "./pointer.ts";

/** Keeps the failures of layers from the turn: where one failed, now or too often before, the next one takes over. */
export interface LayerGuard {
  /** False if the layer is passed over. */
  mayPlan(layer: LayerName): boolean;
  /** The layer made a plan. */
  planned(layer: LayerName): void;
  /** The layer failed. Throws where a layer must not fail. */
  failed(layer: LayerName, error: unknown): void;
}

/** Plans a layer under the guard of the state, if it has one; `undefined` if it is passed over or fails. @internal */
export function* guarded<Made>(
  { guard }: Pick<WindowState, "guard">,
  layer: LayerName,
  plan: () => Steps<Made | undefined>,
): Steps<Made | undefined> {
  if (guard?.mayPlan(layer) === false) return undefined;
  try {
    const made = yield* plan();
    if (made !== undefined) guard?.planned(layer);
    return made;
  } catch (error) {
    if (guard === undefined) throw error;
    guard.failed(layer, error);
    return undefined;
  }
}

/** A window before a request leaves. Sizes are in tokens of the model that will be asked. */
export interface WindowState extends HistoryAccess {
  readonly visible: readonly VisibleMessage[];
  /** The whole request as it would be sent, padded. */
  readonly usedTokens: number;
  /** System prompt and tools within it, padded. */
  readonly fixedTokens: number;
  /** The messages alone, not padded: what rent is paid for. */
  readonly messagesTokens: number;
  /**
   * The request, padded, and the messages alone, not padded, by estimate: without what was reported, and without what the
   * reports imply. @defaultValue no report is questioned
   */
  readonly estimated?: { readonly requestTokens: number; readonly messagesTokens: number };
  readonly budget: ContextBudget;
  readonly tariff: Tariff;
  readonly editSafety: "strict" | "permissive";
  /** True if the provider's cache may still hold the last request. */
  readonly isWarm: boolean;
  readonly measure: Measure;
  readonly padding: number;
  readonly disabledLayers: ReadonlySet<string>;
  /** Numbers of the layers. @defaultValue `LAYER_LIMITS` */
  readonly limits?: LayerLimits | undefined;
  /** Keeps the failure of a layer from the turn. @defaultValue a layer that fails throws */
  readonly guard?: LayerGuard | undefined;
  /** True if a model is available to write summaries. */
  readonly writesSummaries?: boolean;
  readonly keptTools: readonly string[];
  /** Tools that may be cleared beside those that are known to be reproducible. */
  readonly clearableTools?: readonly string[] | undefined;
  /** The last call before this one: what stands after it was never sent. */
  readonly lastCallSeq: number;
  /** Places that every layer leaves alone. */
  readonly pins: readonly SeqPin[];
  /** The place of the first edit in the log, and its time. */
  readonly seq: number;
  readonly at: number;
}

/** The edits of one rewrite, to be appended together, and the size of the request with them, padded. */
export interface PlannedEdits {
  readonly edits: readonly LayerEdit[];
  readonly usedTokens: number;
}

/** The values that the policies' numbers depend on. */
export interface WindowSituation extends HistoryAccess {
  /** The whole context window, in tokens. */
  readonly windowTokens: number;
  /** The part of it that messages may fill: without reserve, system prompt and tools. */
  readonly effectiveTokens: number;
  /** `permissive` if messages that were sent may be rewritten. */
  readonly editSafety: EditSafety;
  /** Calls that have no result yet; while there are any, nothing is rewritten. */
  readonly pendingCallIds: readonly string[];
  /** Places that every layer leaves alone. @defaultValue none */
  readonly pins?: readonly SeqPin[] | undefined;
  /** Numbers of the layers. @defaultValue `LAYER_LIMITS` */
  readonly limits?: LayerLimits | undefined;
}

/** Returns the values that the layers' policies depend on. */
export function situationOf(state: WindowState): WindowSituation {
  const { budget, fixedTokens, padding, editSafety, pins, limits, hasHistoryTools, pathOf } = state;
  return {
    windowTokens: budget.windowTokens,
    // Planners measure unpadded and without the fixed part, so they get the room that is left for that.
    effectiveTokens: Math.floor((budget.effectiveTokens - fixedTokens) / padding),
    editSafety,
    pendingCallIds: [],
    pins,
    limits,
    hasHistoryTools,
    pathOf,
  };
}

/** The window as it would be with these edits. */
export function visibleAfter(
  { visible, seq, at }: Pick<WindowState, "visible" | "seq" | "at">,
  edits: readonly LayerEdit[],
): readonly VisibleMessage[] {
  return edits.reduce((after, edit, index) => previewEdit(after, edit, { seq: seq + index, at }), visible);
}

/** The request as it would be with these edits, padded. */
export function tokensAfter(state: WindowState, edits: readonly LayerEdit[]): number {
  return requestTokens(state, visibleAfter(state, edits));
}

/** The request with these messages, by the estimate, padded. */
export function requestTokens(state: WindowState, messages: readonly VisibleMessage[]): number {
  return Math.ceil(measureMessages(messages, state.measure) * state.padding + state.fixedTokens);
}

/** Index of the first message that these edits change; behind the last one where they change nothing. */
export function firstChanged(visible: readonly VisibleMessage[], edits: readonly LayerEdit[]): number {
  const seqs = edits.flatMap(({ effect }) => [
    ...(effect.forms ?? []).map(({ seq }) => seq),
    ...(effect.hide ?? []).map(({ from }) => from),
  ]);
  const first = minOf(seqs);
  const index = visible.findIndex(({ seq }) => seq >= first);
  return index < 0 ? visible.length : index;
}
