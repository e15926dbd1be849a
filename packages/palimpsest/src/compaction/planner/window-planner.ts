/**
 * The window planner: from a window, its limits and its price to the edits of one rewrite, or none.
 *
 * DESIGN. Three reasons lead to a rewrite, checked in this order: a summary whose price the span has paid in
 * rent (`economy` and `balanced`); old results whose rent pays for clearing them; the gates of the budget,
 * which always apply. The edits of the first reason that applies are one rewrite, and no other reason acts in
 * that call. `plan` decides without a side effect. `called` records the edits that were carried out and keeps
 * the ledger; so a plan that was not carried out leaves no trace. A call that is far from every limit costs
 * O(1).
 *
 * The sources of a summary have to be read from the log first, or written by a model, which the planner
 * cannot do. It then answers that a summary is due, and is called again with the sources.
 */
import { finish, type Steps } from "../../base/steps.ts";
import { breakEvenCalls, rewritePrice } from "../../tokens/price/cache-price.ts";
import type { LayerEdit } from "../../transcript/edits.ts";
import { type CollapseInput, collapseInSteps } from "../layers/collapse/collapse.ts";
import { CollapseAhead, collapsePolicy } from "../layers/collapse/collapse-policy.ts";
import { extractiveInSteps } from "../layers/extractive/extractive-summary.ts";
import { fullCompactInSteps } from "../layers/full/plan-full-compact.ts";
import { planClearByRent } from "../layers/microcompact/clear-by-rent.ts";
import { type RentedCall, RentLedger } from "../layers/microcompact/rent.ts";
import {
  firstChanged,
  guarded,
  type PlannedEdits,
  situationOf,
  tokensAfter,
  visibleAfter,
  type WindowState,
} from "../shared/window-state.ts";
import { countLoss } from "../summary/loss-report.ts";
import { withClearedStrings } from "./cleared-strings.ts";
import type { CostPolicy } from "./cost-policy.ts";
import { EarlySummary } from "./early-summary.ts";
import { oldBlocksInSteps, planClearAll } from "./escalation.ts";
import { truncateWindow } from "./fallback-edits.ts";
import { notesInSteps } from "./plan-from-notes.ts";
import {
  clearableToolsOf,
  clearByRentPolicy,
  extractivePolicy,
  fullCompactPolicy,
  shapeFor,
  withAllWords,
} from "./policies.ts";
import {
  type CompactReason,
  isSummaryDue,
  type SummaryReason,
  type SummarySources,
  type WindowPlan,
} from "./window-plan.ts";
import {
  canLeave,
  canSummarise,
  mayCollapse,
  mayCollapseEarly,
  shortensOldBlocks,
  tokensBehind,
  unlessTooLarge,
} from "./window-sizes.ts";

/** After a look that found nothing to pay yet, the rent must grow by this factor before the next. Our choice: looking costs time, not money. */
const LOOK_AGAIN_FACTOR = 1.25;
/** Growth after which layers that found nothing to do behind their gates look again, as a share of the effective window. Our choice: a look costs what the window holds, so about a hundred of them in a window cost each message a hundred glances. */
const LOOK_AGAIN_SHARE = 0.01;

/**
 * Decides for one session what becomes of its window before each call. Ask {@link WindowPlanner.plan}, carry
 * out the edits it returns, and tell it with {@link WindowPlanner.called}; a `Session` does so by itself.
 */
export class WindowPlanner {
  readonly #policy: CostPolicy;
  readonly #ledger = new RentLedger();
  readonly #early: EarlySummary;
  /** The last request that was below the gates, or for which the layers behind them were asked, as they left it. */
  #lastLook: Pick<WindowState, "usedTokens" | "budget" | "editSafety"> | undefined;
  /** Rent from which on it is worth looking at the blocks again. */
  #lookAgainRent = 0;
  readonly #collapses = new CollapseAhead();
  /** Entry at which old rounds last collapsed; they do so once until a message is added. */
  #collapsedSeq = 0;
  /** The window as it was when its rent was charged last: a call that is prepared again pays once. */
  #charged: { readonly visible: WindowState["visible"]; readonly count: number } | undefined;

  constructor(policy: CostPolicy) {
    this.#policy = policy;
    this.#early = new EarlySummary(policy, this.#ledger);
  }

  /** A session goes on that has made `calls` since its last summary. */
  resumed(state: WindowState, calls: number): void {
    this.#ledger.resumed(calls, this.#rented(state, state.messagesTokens), this.#early.expectedAfter(state));
  }

  /** Plans the edits before the request leaves. Changes nothing. */
  plan(state: WindowState, sources?: SummarySources): WindowPlan {
    return finish(this.planInSteps(state, sources));
  }

  /**
   * The same in steps of a millisecond or two. The state must not change between them. `isEarlyLater`: a summary that
   * saves cost is already being written, so the plan does not ask for one. @internal
   */
  *planInSteps(state: WindowState, sources?: SummarySources, isEarlyLater = false): Steps<WindowPlan> {
    const nothing: PlannedEdits = { edits: [], usedTokens: state.usedTokens };
    if (!isEarlyLater && this.#early.isDue(state)) {
      const summary = yield* this.#summarise(state, "rent", sources);
      if (summary !== undefined) return summary;
    }
    if (state.usedTokens >= state.budget.autoCompactGateTokens)
      return yield* this.#atAutoCompactGate(state, sources);
    const cleared = yield* this.#clear(state);
    if (cleared !== undefined && canLeave(state, cleared)) return cleared;
    return this.#isGateLookDue(state) ? unlessTooLarge(state, yield* this.#atGates(state)) : nothing;
  }

  /**
   * A summary now, whatever the size of the window: by hand, or because the provider refused the request.
   * A request that was too long gives up its old rounds first. Where no summary can be made, old blocks
   * give way, and then whatever is too large.
   */
  compact(state: WindowState, reason: CompactReason, sources?: SummarySources): WindowPlan {
    return finish(this.compactInSteps(state, reason, sources));
  }

  /** The same in steps. @internal */
  *compactInSteps(state: WindowState, reason: CompactReason, sources?: SummarySources): Steps<WindowPlan> {
    const isTooLong = reason === "reactive" || reason === "media";
    const collapsed =
      isTooLong && sources === undefined ? yield* this.#drainCollapses(state, reason) : undefined;
    if (collapsed !== undefined) return collapsed;
    const summary = yield* this.#summarise(state, reason, sources);
    if (isSummaryDue(summary) || sources?.span !== undefined)
      return summary ?? { edits: [], usedTokens: state.usedTokens };
    return truncateWindow(state, summary ?? (yield* this.#oldBlocks(state)));
  }

  /** The request leaves: `made` was carried out, and left messages of `messagesTokens`. */
  called(state: WindowState, made: PlannedEdits, messagesTokens: number): void {
    if (made.edits.length > 0) {
      const isSummary = made.edits.some((edit) => edit.isBoundary === true);
      this.#ledger.rewritten({ isSummary, messagesTokens });
      this.#lookAgainRent = 0;
      if (isSummary) this.#early.summarised(messagesTokens);
    } else if (this.#isLookDue(state)) {
      this.#lookAgainRent = this.#ledger.windowRent * LOOK_AGAIN_FACTOR;
    }
    const { budget, editSafety } = state;
    // A window can fall below its gates without a rewrite, where a report comes in below the estimate.
    const isBelow = state.usedTokens < budget.offloadGateTokens;
    if (made.edits.length > 0 || isBelow || this.#isGateLookDue(state))
      this.#lastLook = { usedTokens: made.usedTokens, budget, editSafety };
    if (made.edits.some(({ kind }) => kind === "collapse")) this.#collapsedSeq = state.seq;
    if (made.edits.length > 0) this.#collapses.clear();
    else if (this.#mayCollapseEarly(state)) this.#collapses.called(state);
    const isCharged =
      this.#charged?.visible === state.visible && this.#charged.count === state.visible.length;
    if (isCharged && made.edits.length === 0) return;
    this.#charged = { visible: state.visible, count: state.visible.length };
    this.#ledger.called(this.#rented(state, messagesTokens));
  }

  #rented(state: WindowState, messagesTokens: number): RentedCall {
    const { tariff, isWarm } = state;
    const tokenPrice = isWarm ? tariff.read : tariff.write;
    return { messagesTokens, tokenPrice, keptTokens: this.#keptTokens(state) };
  }

  /** Plans a compaction from the session's notes, in steps; `undefined` if they cannot replace the messages. @internal */
  *fromNotesInSteps(
    state: WindowState,
    reason: SummaryReason,
    sources: SummarySources,
  ): Steps<PlannedEdits | undefined> {
    const edit = yield* this.#planNotes(state, reason, sources);
    return edit === undefined ? undefined : { edits: [edit], usedTokens: tokensAfter(state, [edit]) };
  }

  *#summarise(
    state: WindowState,
    reason: SummaryReason,
    sources: SummarySources | undefined,
  ): Steps<WindowPlan | undefined> {
    if (!canSummarise(state)) return undefined;
    if (sources === undefined) return { needs: "summary", reason };
    const edit =
      (yield* this.#planNotes(state, reason, sources)) ??
      (yield* guarded(state, "full", () => this.#planWritten(state, reason, sources))) ??
      (yield* guarded(state, "extractive", () => this.#planExtractive(state, reason, sources)));
    if (edit === undefined || (reason === "rent" && edit.isBoundary !== true)) return undefined;
    return { edits: [edit], usedTokens: tokensAfter(state, [edit]) };
  }

  *#planNotes(state: WindowState, reason: string, sources: SummarySources): Steps<LayerEdit | undefined> {
    const { notes, digest, pinned, span } = sources;
    if (notes === undefined || span !== undefined || state.disabledLayers.has("session-memory"))
      return undefined;
    return yield* guarded(state, "session-memory", function* (): Steps<LayerEdit | undefined> {
      const plan = yield* notesInSteps(state, reason, { notes, digest, pinned });
      return plan.ok ? plan.edit : undefined;
    });
  }

  *#planWritten(state: WindowState, reason: string, sources: SummarySources): Steps<LayerEdit | undefined> {
    if (sources.written === undefined) return undefined;
    const { digest, pinned, written, span } = sources;
    const situation = situationOf(state);
    const { visible, measure } = state;
    const usual = fullCompactPolicy(situation, shapeFor(reason, this.#policy));
    // For the price's sake words have a budget, too.
    const policy = reason === "rent" ? usual : withAllWords(usual);
    const { pendingCallIds } = situation;
    return yield* fullCompactInSteps({
      visible,
      digest,
      measure,
      policy,
      pendingCallIds,
      reason,
      pinned,
      written,
      span,
    });
  }

  *#planExtractive(
    state: WindowState,
    reason: string,
    sources: SummarySources,
  ): Steps<LayerEdit | undefined> {
    if (state.disabledLayers.has("extractive")) return undefined;
    const { digest, pinned, span } = sources;
    const { visible, measure } = state;
    const situation = situationOf(state);
    const usual = extractivePolicy(situation, shapeFor(reason, this.#policy));
    const policy = reason === "manual" ? withAllWords(usual) : usual;
    const { pendingCallIds } = situation;
    const input = { visible, digest, measure, policy, pendingCallIds, reason, pinned };
    return yield* extractiveInSteps(input, span);
  }

  *#clear(state: WindowState): Steps<PlannedEdits | undefined> {
    if (state.disabledLayers.has("microcompact")) return undefined;
    const edit = yield* guarded(state, "microcompact", () => this.#planClear(state));
    if (edit === undefined) return undefined;
    const edits = [{ ...edit, loss: countLoss(edit, state) }];
    const made = { edits, usedTokens: tokensAfter(state, edits) };
    if (state.isWarm && this.#payback(state, made) > this.#early.callsUntil(state)) return undefined;
    return yield* this.#withStrings(state, made);
  }

  *#planClear(state: WindowState): Steps<LayerEdit | undefined> {
    return (yield* planClearAll(state, this.#policy)) ?? (yield* this.#clearByRent(state));
  }

  *#clearByRent(state: WindowState): Steps<LayerEdit | undefined> {
    const { visible, measure, isWarm, tariff } = state;
    if (!this.#policy.clearsByRent || !isWarm || !this.#isLookDue(state)) return undefined;
    const policy = clearByRentPolicy(situationOf(state), clearableToolsOf(state));
    return yield* planClearByRent({ visible, measure, ledger: this.#ledger, tariff }, policy);
  }

  /** The rewrite, with the strings of what it clears where the window still has room for them. */
  *#withStrings(state: WindowState, made: PlannedEdits): Steps<PlannedEdits> {
    const edits = yield* withClearedStrings(state, made.edits, this.#policy);
    if (edits === made.edits) return made;
    const usedTokens = tokensAfter(state, edits);
    return usedTokens < state.budget.autoCompactGateTokens ? { edits, usedTokens } : made;
  }

  /** Returns the number of calls until a rewrite of old blocks has paid for itself. */
  #payback(state: WindowState, made: PlannedEdits): number {
    const freedTokens = state.usedTokens - made.usedTokens;
    const suffixTokens = tokensBehind(state, firstChanged(state.visible, made.edits)) - freedTokens;
    return breakEvenCalls({ freedTokens, suffixTokens, isWarm: true }, state.tariff);
  }

  /** Looking at every block is worth it where all of them together might have paid. */
  #isLookDue(state: WindowState): boolean {
    if (state.editSafety === "strict") return false;
    const leastPrice = rewritePrice({ suffixTokens: this.#keptTokens(state), isWarm: true }, state.tariff);
    return (
      this.#ledger.windowRent > 0 && this.#ledger.windowRent >= Math.max(leastPrice, this.#lookAgainRent)
    );
  }

  #keptTokens(state: WindowState): number {
    return clearByRentPolicy(situationOf(state), new Set()).recentTailTokens;
  }

  /**
   * True if the layers above the gates are due to look. They look at the whole window, so not with every
   * call; but always after the window has passed a gate, was replaced, or has grown by a small share of its
   * room.
   */
  #isGateLookDue({ usedTokens, budget, editSafety }: WindowState): boolean {
    const { offloadGateTokens, microcompactGateTokens, effectiveTokens } = budget;
    if (usedTokens < offloadGateTokens) return false;
    const last = this.#lastLook;
    const isOther =
      last === undefined ||
      last.editSafety !== editSafety ||
      last.budget.effectiveTokens !== effectiveTokens ||
      usedTokens < last.usedTokens;
    if (isOther) return true;
    const hasPassed = (gateTokens: number): boolean =>
      last.usedTokens < gateTokens && usedTokens >= gateTokens;
    if (hasPassed(offloadGateTokens) || hasPassed(microcompactGateTokens)) return true;
    return usedTokens >= last.usedTokens + effectiveTokens * LOOK_AGAIN_SHARE;
  }

  /** The gates below the auto-compact threshold: old blocks, unless a summary pays back sooner. */
  *#atGates(state: WindowState): Steps<PlannedEdits> {
    if (!shortensOldBlocks(state, this.#policy)) return { edits: [], usedTokens: state.usedTokens };
    const old = yield* this.#oldBlocks(state);
    if (old.edits.length > 0 && !this.#isSummaryBetter(state, old))
      return yield* this.#withStrings(state, old);
    return { edits: [], usedTokens: state.usedTokens };
  }

  *#atAutoCompactGate(state: WindowState, sources: SummarySources | undefined): Steps<WindowPlan> {
    if (!shortensOldBlocks(state, this.#policy)) {
      const summary = yield* this.#summarise(state, "threshold", sources);
      if (isSummaryDue(summary)) return summary;
      return truncateWindow(state, summary ?? unlessTooLarge(state, yield* this.#oldBlocks(state)));
    }
    const old = yield* this.#oldBlocks(state);
    const isEnough = old.usedTokens < state.budget.autoCompactGateTokens;
    if (isEnough && !this.#isSummaryBetter(state, old)) return yield* this.#withStrings(state, old);
    const collapsed = yield* this.#collapse(state, old);
    if (collapsed !== undefined) return collapsed;
    // Where shorter blocks were enough, it is the price that decides for a summary.
    const summary = yield* this.#summarise(state, isEnough ? "payback" : "threshold", sources);
    if (isSummaryDue(summary)) return summary;
    return truncateWindow(state, summary ?? unlessTooLarge(state, old));
  }

  /** Old rounds as one line each, beside what the layers before it took: where that is room for many calls. */
  *#collapse(state: WindowState, old: PlannedEdits): Steps<PlannedEdits | undefined> {
    if (!this.#mayCollapseEarly(state)) return undefined;
    // Once something is rewritten, the estimate counts: what the provider reported is about another window.
    const usedTokens = Math.max(old.usedTokens, tokensAfter(state, old.edits));
    const freeTokens = (usedTokens - state.budget.microcompactGateTokens) / state.padding;
    return yield* this.#collapseBy(state, old, { freeTokens, reason: "threshold" });
  }

  #mayCollapseEarly(state: WindowState): boolean {
    return this.#policy.collapsesEarly === true ? mayCollapse(state) : mayCollapseEarly(state);
  }

  /** After a refusal: all old rounds that may, without a model; where that is not enough, a summary is. */
  *#drainCollapses(state: WindowState, reason: CompactReason): Steps<PlannedEdits | undefined> {
    if ((state.visible.at(-1)?.seq ?? 0) < this.#collapsedSeq) return undefined;
    const nothing = { edits: [], usedTokens: state.usedTokens };
    return yield* this.#collapseBy(state, nothing, { freeTokens: Number.POSITIVE_INFINITY, reason });
  }

  *#collapseBy(
    state: WindowState,
    old: PlannedEdits,
    wanted: Pick<CollapseInput, "freeTokens" | "reason">,
  ): Steps<PlannedEdits | undefined> {
    if (!mayCollapse(state)) return undefined;
    const { measure, budget } = state;
    const visible = visibleAfter(state, old.edits);
    const prepared = this.#collapses.prepare(state, visible);
    const policy = collapsePolicy(situationOf(state));
    const edit = yield* guarded(state, "collapse", () =>
      collapseInSteps({ visible, prepared, measure, ...wanted }, policy),
    );
    if (edit === undefined) return undefined;
    const edits = [...old.edits, edit];
    const usedTokens = tokensAfter(state, edits);
    return usedTokens <= budget.microcompactGateTokens ? { edits, usedTokens } : undefined;
  }

  *#oldBlocks(state: WindowState): Steps<PlannedEdits> {
    const { offloadGateTokens, microcompactGateTokens } = state.budget;
    const gates = { offloadTokens: offloadGateTokens, microcompactTokens: microcompactGateTokens };
    const made = yield* oldBlocksInSteps({ ...state, gates, situation: situationOf(state) });
    // A rewrite makes a report void: from then on the estimate counts, not the report less what was freed.
    return made.edits.length === 0 ? made : { ...made, usedTokens: tokensAfter(state, made.edits) };
  }

  /** Under a policy that minds the price: whether a summary pays for its rewrite in fewer calls. */
  #isSummaryBetter(state: WindowState, old: PlannedEdits): boolean {
    if (!this.#early.mayBe(state)) return false;
    const afterTokens = this.#early.expectedAfter(state);
    const freedTokens = state.messagesTokens - afterTokens;
    const summary = { freedTokens, suffixTokens: afterTokens, isWarm: true };
    return breakEvenCalls(summary, state.tariff) < this.#payback(state, old);
  }
}
