/**
 * The window planner: from a window, its limits and its price to the edits of one rewrite, or none.
 *
 * DESIGN. Three reasons lead to a rewrite, asked in this order: a summary whose price the span has
 * paid in rent (`economy` and `balanced`), old results whose rent pays for clearing them, and the gates
 * of the budget, which always apply. Whichever acts, its edits are one rewrite, and nothing else acts
 * in that call. `plan` looks and decides, `called` is told what was carried out and keeps the ledger;
 * so a plan that was not carried out leaves no trace. A call that is far from all of it costs O(1).
 *
 * What a summary is made of has to be read from the log first, or written by a model, which the planner
 * cannot do: it then answers that a summary is due, and is asked again with what it needs.
 */

import { COMPACTION_DEFAULTS } from "../../base/defaults/compaction/compaction.ts";
import { RENT_DEFAULTS } from "../../base/defaults/compaction/economics.ts";
import { FULL_COMPACT_DEFAULTS } from "../../base/defaults/compaction/full-compact.ts";
import { breakEvenCalls, rentPerCall, rewritePrice } from "../../tokens/price/cache-price.ts";
import type { LayerEdit } from "../../transcript/edits.ts";
import { type CollapseInput, planCollapse } from "../layers/collapse/collapse.ts";
import { CollapseAhead } from "../layers/collapse/collapse-ahead.ts";
import { collapsePolicy } from "../layers/collapse/collapse-policy.ts";
import { planExtractiveCompact } from "../layers/extractive/extractive-compact.ts";
import { planFullCompact } from "../layers/full/plan-full-compact.ts";
import { planClearByRent } from "../layers/microcompact/clear-by-rent.ts";
import { planMicrocompactWhenCold } from "../layers/microcompact/microcompact-when-cold.ts";
import { type RentedCall, RentLedger } from "../layers/microcompact/rent-ledger.ts";
import {
  firstChanged,
  type Room,
  type RoomMade,
  situationOf,
  tokensAfter,
  visibleAfter,
} from "../shared/window-state.ts";
import { countLoss } from "../summary/loss-report.ts";
import type { CostPolicy } from "./cost-policy.ts";
import { planOldBlocks } from "./escalation.ts";
import { planFromNotes } from "./plan-from-notes.ts";
import {
  clearableToolsOf,
  clearByRentPolicy,
  expectedAfterSummary,
  extractivePolicy,
  fullCompactPolicy,
  withAllWords,
} from "./policies.ts";
import { peelRoom } from "./truncate-window.ts";
import {
  type CompactReason,
  isSummaryDue,
  type SummaryReason,
  type SummarySources,
  type WindowPlan,
} from "./window-plan.ts";
import { canSummarise, tokensBehind, unsentTokens } from "./window-sizes.ts";

/**
 * Decides for one session what becomes of its window before each call. Ask {@link WindowPlanner.plan}, carry
 * out the edits it returns, and tell it with {@link WindowPlanner.called}; a `Session` does so by itself.
 */
export class WindowPlanner {
  readonly #policy: CostPolicy;
  readonly #ledger = new RentLedger();
  /** Messages that the last summary left; `undefined` as long as there was none. */
  #afterSummaryTokens: number | undefined;
  /** The last request that was below the gates, or for which the layers behind them were asked, as they left it. */
  #lastLook: Pick<Room, "usedTokens" | "budget" | "editSafety"> | undefined;
  /** Rent from which on it is worth looking at the blocks again. */
  #lookAgainRent = 0;
  readonly #collapses = new CollapseAhead();
  /** Where old rounds gave way last; until something is said they do so once. */
  #collapsedSeq = 0;

  /** The window as it was when its rent was charged last: a call that is prepared again pays once. */
  #charged: { readonly visible: Room["visible"]; readonly count: number } | undefined;

  constructor(policy: CostPolicy) {
    this.#policy = policy;
  }

  /** A session goes on that has made `calls` since its last summary. */
  resumed(room: Room, calls: number): void {
    this.#ledger.resumed(calls, this.#rented(room, room.messagesTokens), this.#expectedAfter(room));
  }

  /**
   * What is to be done before the request leaves. Changes nothing. `isEarlyLater`: a summary for the price's
   * sake is being written, and is not asked for again.
   */
  plan(room: Room, sources?: SummarySources, isEarlyLater = false): WindowPlan {
    const nothing: RoomMade = { edits: [], usedTokens: room.usedTokens };
    if (!isEarlyLater && this.#isSummaryDue(room)) {
      const summary = this.#summarise(room, "rent", sources);
      if (summary !== undefined) return summary;
    }
    if (room.usedTokens >= room.budget.autoCompactGateTokens) return this.#atAutoCompactGate(room, sources);
    const cleared = this.#clear(room);
    if (cleared !== undefined) return cleared;
    return this.#isGateLookDue(room) ? this.#atGates(room) : nothing;
  }

  /**
   * A summary now, whatever the size of the window: by hand, or because the provider refused the request.
   * A request that was too long gives up its old rounds first. Where no summary can be made, old blocks
   * give way, and then whatever is too large.
   */
  compact(room: Room, reason: CompactReason, sources?: SummarySources): WindowPlan {
    const isTooLong = reason === "reactive" || reason === "media";
    const collapsed = isTooLong && sources === undefined ? this.#drainCollapses(room, reason) : undefined;
    if (collapsed !== undefined) return collapsed;
    const summary = this.#summarise(room, reason, sources);
    if (isSummaryDue(summary) || sources?.span !== undefined)
      return summary ?? { edits: [], usedTokens: room.usedTokens };
    return peelRoom(room, summary ?? this.#oldBlocks(room));
  }

  /** The request leaves: `made` was carried out, and left messages of `messagesTokens`. */
  called(room: Room, made: RoomMade, messagesTokens: number): void {
    if (made.edits.length > 0) {
      const isSummary = made.edits.some((edit) => edit.isBoundary === true);
      this.#ledger.rewritten({ isSummary, messagesTokens });
      this.#lookAgainRent = 0;
      if (isSummary) this.#afterSummaryTokens = messagesTokens;
    } else if (this.#isLookDue(room)) {
      this.#lookAgainRent = this.#ledger.windowRent * RENT_DEFAULTS.lookAgainFactor;
    }
    const { budget, editSafety } = room;
    // A window can fall below its gates without a rewrite, where a report comes in below the estimate.
    const isBelow = room.usedTokens < budget.offloadGateTokens;
    if (made.edits.length > 0 || isBelow || this.#isGateLookDue(room))
      this.#lastLook = { usedTokens: made.usedTokens, budget, editSafety };
    if (made.edits.some(({ kind }) => kind === "collapse")) this.#collapsedSeq = room.seq;
    if (made.edits.length > 0) this.#collapses.clear();
    else if (mayCollapseEarly(room)) this.#collapses.called(room);
    const isCharged = this.#charged?.visible === room.visible && this.#charged.count === room.visible.length;
    if (isCharged && made.edits.length === 0) return;
    this.#charged = { visible: room.visible, count: room.visible.length };
    this.#ledger.called(this.#rented(room, messagesTokens));
  }

  #rented(room: Room, messagesTokens: number): RentedCall {
    const { tariff, isWarm } = room;
    const tokenPrice = isWarm ? tariff.read : tariff.write;
    return { messagesTokens, tokenPrice, keptTokens: this.#keptTokens(room) };
  }

  /**
   * Whether the span has paid for a summary; on a cold cache, what this call would write anew counts too.
   * Never for the price's sake: soon after the last one, or where it would shorten what the model has not
   * seen yet.
   */
  #isSummaryDue(room: Room): boolean {
    const { messagesTokens, isWarm, tariff } = room;
    if (!this.#mayBeEarly(room) || this.#ledger.callsSinceSummary < RENT_DEFAULTS.leastCalls) return false;
    if (messagesTokens < RENT_DEFAULTS.leastShrink * this.#expectedAfter(room)) return false;
    const rentNow = (isWarm ? tariff.read : tariff.write) * messagesTokens;
    const isPaid =
      this.#ledger.summaryRent + rentNow >= this.#policy.summaryMultiple * this.#summaryPrice(room);
    return isPaid && unsentTokens(room) <= RENT_DEFAULTS.unsentShare * this.#roundTokens(room);
  }

  /** What a summary keeps or tells of the newest round at the most. */
  #roundTokens(room: Room): number {
    return extractivePolicy(situationOf(room), this.#policy).maxNewestRoundTokens;
  }

  /** Whether the policy summarises before the window is full. */
  #mayBeEarly(room: Room): boolean {
    return Number.isFinite(this.#policy.summaryMultiple) && canSummarise(room);
  }

  /** What a summary costs: what it leaves is written anew, and a model that writes it reads the window once more. */
  #summaryPrice(room: Room): number {
    const rewrite = rewritePrice({ suffixTokens: this.#expectedAfter(room), isWarm: true }, room.tariff);
    if (room.writesSummaries !== true) return rewrite;
    const { read, outputRatio } = room.tariff;
    return rewrite + read * room.usedTokens + outputRatio * FULL_COMPACT_DEFAULTS.expectedTokens;
  }

  /** The session's notes in the place of the messages that they tell of; `undefined` where they cannot stand for them. */
  fromNotes(room: Room, reason: SummaryReason, sources: SummarySources): RoomMade | undefined {
    const edit = this.#planNotes(room, reason, sources);
    return edit === undefined ? undefined : { edits: [edit], usedTokens: tokensAfter(room, [edit]) };
  }

  #expectedAfter(room: Room): number {
    return this.#afterSummaryTokens ?? expectedAfterSummary(situationOf(room), this.#policy);
  }

  #summarise(room: Room, reason: SummaryReason, sources: SummarySources | undefined): WindowPlan | undefined {
    if (!canSummarise(room)) return undefined;
    if (sources === undefined) return { needs: "summary", reason };
    const edit =
      this.#planNotes(room, reason, sources) ??
      this.#planWritten(room, reason, sources) ??
      this.#planExtractive(room, reason, sources);
    if (edit === undefined || (reason === "rent" && edit.isBoundary !== true)) return undefined;
    return { edits: [edit], usedTokens: tokensAfter(room, [edit]) };
  }

  #planNotes(room: Room, reason: string, sources: SummarySources): LayerEdit | undefined {
    const { notes, digest, pinned, span } = sources;
    if (notes === undefined || span !== undefined || room.disabledLayers.has("session-memory"))
      return undefined;
    const plan = planFromNotes(room, reason, { notes, digest, pinned });
    return plan.ok ? plan.edit : undefined;
  }

  #planWritten(room: Room, reason: string, sources: SummarySources): LayerEdit | undefined {
    if (sources.written === undefined) return undefined;
    const { digest, pinned, written, span } = sources;
    const situation = situationOf(room);
    const { visible, measure } = room;
    const usual = fullCompactPolicy(situation);
    // For the price's sake words have a budget, too.
    const policy = reason === "rent" ? usual : withAllWords(usual);
    const { pendingCallIds } = situation;
    return planFullCompact({
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

  #planExtractive(room: Room, reason: string, sources: SummarySources): LayerEdit | undefined {
    if (room.disabledLayers.has("extractive")) return undefined;
    const situation = situationOf(room);
    const usual = extractivePolicy(situation, this.#policy);
    const input = {
      visible: room.visible,
      digest: sources.digest,
      measure: room.measure,
      policy: reason === "manual" ? withAllWords(usual) : usual,
      pendingCallIds: situation.pendingCallIds,
      reason,
      pinned: sources.pinned,
    };
    return planExtractiveCompact(input, sources.span);
  }

  #clear(room: Room): RoomMade | undefined {
    if (!this.#policy.clearsByRent || room.disabledLayers.has("microcompact")) return undefined;
    if (!this.#isLookDue(room)) return undefined;
    const { visible, measure, isWarm, tariff } = room;
    const policy = clearByRentPolicy(situationOf(room), clearableToolsOf(room));
    const edit = isWarm
      ? planClearByRent({ visible, measure, ledger: this.#ledger, tariff }, policy)
      : planMicrocompactWhenCold(
          { visible, measure, nowMs: room.at },
          {
            ...policy,
            resultsKeptCount: COMPACTION_DEFAULTS.resultsKeptCount,
            cacheTtlMs: tariff.cacheLifetimeMs,
          },
        );
    if (edit === undefined) return undefined;
    const edits = [{ ...edit, loss: countLoss(edit, room) }];
    const made = { edits, usedTokens: tokensAfter(room, edits) };
    return isWarm && this.#payback(room, made) > this.#callsUntilSummary(room) ? undefined : made;
  }

  /** Calls until a rewrite of old blocks has paid for what it makes anew. */
  #payback(room: Room, made: RoomMade): number {
    const freedTokens = room.usedTokens - made.usedTokens;
    const suffixTokens = tokensBehind(room, firstChanged(room.visible, made.edits)) - freedTokens;
    return breakEvenCalls({ freedTokens, suffixTokens, isWarm: true }, room.tariff);
  }

  /** A rewrite shortly before the summary would be paid twice: this many calls are left until it is due. */
  #callsUntilSummary(room: Room): number {
    if (!this.#mayBeEarly(room)) return Number.POSITIVE_INFINITY;
    // A window that a summary would hardly shrink gets none, however much was paid.
    if (room.messagesTokens < RENT_DEFAULTS.leastShrink * this.#expectedAfter(room))
      return Number.POSITIVE_INFINITY;
    const left = this.#policy.summaryMultiple * this.#summaryPrice(room) - this.#ledger.summaryRent;
    return left / rentPerCall(Math.max(1, room.messagesTokens), room.tariff);
  }

  /** Looking at every block is worth it where all of them together might have paid. */
  #isLookDue(room: Room): boolean {
    if (room.editSafety === "strict") return false;
    const keptTokens = this.#keptTokens(room);
    if (!room.isWarm) return room.messagesTokens > keptTokens;
    const leastPrice = rewritePrice({ suffixTokens: keptTokens, isWarm: true }, room.tariff);
    return (
      this.#ledger.windowRent > 0 && this.#ledger.windowRent >= Math.max(leastPrice, this.#lookAgainRent)
    );
  }

  #keptTokens(room: Room): number {
    return clearByRentPolicy(situationOf(room), new Set()).recentTailTokens;
  }

  /**
   * Whether the layers behind the gates are asked. They look at the whole window, so not with every call; but
   * always where the window has passed a gate since, is another one, or has grown by a small share of its room.
   */
  #isGateLookDue({ usedTokens, budget, editSafety }: Room): boolean {
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
    return usedTokens >= last.usedTokens + effectiveTokens * COMPACTION_DEFAULTS.lookAgainShare;
  }

  /** The gates below the auto-compact threshold: old blocks, unless a summary pays back sooner. */
  #atGates(room: Room): RoomMade {
    const old = this.#oldBlocks(room);
    if (old.edits.length > 0 && !this.#isSummaryBetter(room, old)) return old;
    return { edits: [], usedTokens: room.usedTokens };
  }

  #atAutoCompactGate(room: Room, sources: SummarySources | undefined): WindowPlan {
    const old = this.#oldBlocks(room);
    const isEnough = old.usedTokens < room.budget.autoCompactGateTokens;
    if (isEnough && !this.#isSummaryBetter(room, old)) return old;
    const collapsed = this.#collapse(room, old);
    if (collapsed !== undefined) return collapsed;
    // Where shorter blocks were enough, it is the price that decides for a summary.
    const summary = this.#summarise(room, isEnough ? "payback" : "threshold", sources);
    if (isSummaryDue(summary)) return summary;
    return peelRoom(room, summary ?? old);
  }

  /** Old rounds as one line each, beside what the layers before it took: where that is room for many calls. */
  #collapse(room: Room, old: RoomMade): RoomMade | undefined {
    if (!mayCollapseEarly(room)) return undefined;
    // Once something is rewritten, the estimate counts: what the provider reported is about another window.
    const usedTokens = Math.max(old.usedTokens, tokensAfter(room, old.edits));
    const freeTokens = (usedTokens - room.budget.microcompactGateTokens) / room.padding;
    return this.#collapseBy(room, old, { freeTokens, reason: "threshold" });
  }

  /** After a refusal: all old rounds that may, without a model; where that is not enough, a summary is. */
  #drainCollapses(room: Room, reason: CompactReason): RoomMade | undefined {
    if ((room.visible.at(-1)?.seq ?? 0) < this.#collapsedSeq) return undefined;
    const nothing = { edits: [], usedTokens: room.usedTokens };
    return this.#collapseBy(room, nothing, { freeTokens: Number.POSITIVE_INFINITY, reason });
  }

  #collapseBy(
    room: Room,
    old: RoomMade,
    wanted: Pick<CollapseInput, "freeTokens" | "reason">,
  ): RoomMade | undefined {
    if (!mayCollapse(room)) return undefined;
    const { measure, budget } = room;
    const visible = visibleAfter(room, old.edits);
    const prepared = this.#collapses.prepare(room, visible);
    const edit = planCollapse({ visible, prepared, measure, ...wanted }, collapsePolicy(situationOf(room)));
    if (edit === undefined) return undefined;
    const edits = [...old.edits, edit];
    const usedTokens = tokensAfter(room, edits);
    return usedTokens <= budget.microcompactGateTokens ? { edits, usedTokens } : undefined;
  }

  #oldBlocks(room: Room): RoomMade {
    const { offloadGateTokens, microcompactGateTokens } = room.budget;
    const gates = { offloadTokens: offloadGateTokens, microcompactTokens: microcompactGateTokens };
    const made = planOldBlocks({ ...room, gates, situation: situationOf(room) });
    // A rewrite makes a report void: from then on the estimate counts, not the report less what was freed.
    return made.edits.length === 0 ? made : { ...made, usedTokens: tokensAfter(room, made.edits) };
  }

  /** Under a policy that minds the price: whether a summary pays for its rewrite in fewer calls. */
  #isSummaryBetter(room: Room, old: RoomMade): boolean {
    if (!this.#mayBeEarly(room)) return false;
    const afterTokens = this.#expectedAfter(room);
    const freedTokens = room.messagesTokens - afterTokens;
    const summary = { freedTokens, suffixTokens: afterTokens, isWarm: true };
    return breakEvenCalls(summary, room.tariff) < this.#payback(room, old);
  }
}

/** Whether old rounds may be shown as one line each. */
function mayCollapse({ editSafety, disabledLayers }: Room): boolean {
  return editSafety === "permissive" && !disabledLayers.has("collapse");
}

/**
 * The same, before a provider refuses anything: a summary that costs no call keeps more of what is needed
 * later for less, so lines stand in where there is none (where-the-numbers-come-from.md, "Policies").
 */
function mayCollapseEarly(room: Room): boolean {
  return mayCollapse(room) && room.disabledLayers.has("extractive");
}
