/**
 * When a summary is due before the window is full: once the rent of the span has paid for it, and the window has the
 * size from which on the policy summarises early.
 */
import type { ContextBudget } from "../../tokens/budget/budget.ts";
import { rentPerCall, rewritePrice } from "../../tokens/price/cache-price.ts";
import type { RentLedger } from "../layers/microcompact/rent.ts";
import { situationOf, type WindowState } from "../shared/window-state.ts";
import type { CostPolicy } from "./cost-policy.ts";
import { expectedAfterSummary, extractivePolicy, shapeFor } from "./policies.ts";
import { canSummarise, unsentTokens } from "./window-sizes.ts";

/** Expected size of a summary, for its price, in tokens. Our choice: summaries of the recorded sessions have 2,000 to 5,000. */
const EXPECTED_TOKENS = 4_000;
/** A summary is not made early before the window is this many times what it would leave. Our choice: half of it must go. */
const LEAST_SHRINK = 2;
/** Calls between two early summaries, at the least. Our choice: where nothing is cheap to read, a summary would be due at every third call. */
const LEAST_CALLS = 8;
/** Share of what a summary keeps of the newest round that unsent messages may take; else the summary waits a call. Our choice: the rest is labels. */
const UNSENT_SHARE = 0.8;

type EarlyRule = Pick<CostPolicy, "summaryMultiple" | "earlyShare" | "largeEarlyShare">;

/** The size of a request below which the policy makes no summary early. */
function earlySummaryTokens(
  { earlyShare, largeEarlyShare: large }: EarlyRule,
  { windowTokens, effectiveTokens }: ContextBudget,
): number {
  const share = large !== undefined && windowTokens >= large.from ? large.share : earlyShare;
  return share * effectiveTokens;
}

/** The least size of a request from which on the policy makes a summary by itself. */
export function firstSummaryTokens(policy: EarlyRule, budget: ContextBudget): number {
  const { autoCompactGateTokens } = budget;
  if (!Number.isFinite(policy.summaryMultiple)) return autoCompactGateTokens;
  return Math.min(earlySummaryTokens(policy, budget), autoCompactGateTokens);
}

/** The early summary of one session. Reads the rent from a ledger that the planner keeps. */
export class EarlySummary {
  readonly #policy: CostPolicy;
  readonly #ledger: RentLedger;
  /** Messages that the last summary left; `undefined` as long as there was none. */
  #afterTokens: number | undefined;

  constructor(policy: CostPolicy, ledger: RentLedger) {
    this.#policy = policy;
    this.#ledger = ledger;
  }

  /** A summary, early or not, left messages of this size. */
  summarised(messagesTokens: number): void {
    this.#afterTokens = messagesTokens;
  }

  /** True if the policy summarizes before the window is full. */
  mayBe(state: WindowState): boolean {
    if (!Number.isFinite(this.#policy.summaryMultiple)) return false;
    return this.#policy.earlySummary === "log"
      ? !state.disabledLayers.has("extractive")
      : canSummarise(state);
  }

  /**
   * True if the span has paid for a summary; on a cold cache, the tokens that this call would write again
   * count too. A summary to save cost is never made soon after the last one, or if it would shorten messages
   * the model has not seen yet.
   */
  isDue(state: WindowState): boolean {
    const { messagesTokens, isWarm, tariff } = state;
    if (!this.mayBe(state) || this.#ledger.callsSinceSummary < LEAST_CALLS) return false;
    if (state.usedTokens < earlySummaryTokens(this.#policy, state.budget) || !this.#shrinks(state))
      return false;
    const rentNow = (isWarm ? tariff.read : tariff.write) * messagesTokens;
    const isPaid = this.#ledger.summaryRent + rentNow >= this.#policy.summaryMultiple * this.#price(state);
    const shape = shapeFor("rent", this.#policy);
    const { maxNewestRoundTokens } = extractivePolicy(situationOf(state), shape);
    return isPaid && unsentTokens(state) <= UNSENT_SHARE * maxNewestRoundTokens;
  }

  /** A rewrite shortly before the summary would be paid twice: this many calls are left until it is due. */
  callsUntil(state: WindowState): number {
    // A window that a summary would hardly shrink gets none, however much was paid.
    if (!this.mayBe(state) || !this.#shrinks(state)) return Number.POSITIVE_INFINITY;
    const left = this.#policy.summaryMultiple * this.#price(state) - this.#ledger.summaryRent;
    const callsUntilPaid = left / rentPerCall(Math.max(1, state.messagesTokens), state.tariff);
    return Math.max(callsUntilPaid, this.#callsUntilLarge(state));
  }

  /** The messages that the next summary is expected to leave. */
  expectedAfter(state: WindowState): number {
    return this.#afterTokens ?? expectedAfterSummary(situationOf(state), this.#policy);
  }

  #shrinks(state: WindowState): boolean {
    return state.messagesTokens >= LEAST_SHRINK * this.expectedAfter(state);
  }

  /** Calls until the window has the size for an early summary, if it goes on growing as it did. */
  #callsUntilLarge(state: WindowState): number {
    const missingTokens = earlySummaryTokens(this.#policy, state.budget) - state.usedTokens;
    if (missingTokens <= 0) return 0;
    const grownTokens = state.messagesTokens - (this.#afterTokens ?? 0);
    return (missingTokens * Math.max(1, this.#ledger.callsSinceSummary)) / Math.max(1, grownTokens);
  }

  /**
   * Returns the cost of a summary: the rest of the window is written again, and a model that writes the
   * summary reads the window once more.
   */
  #price(state: WindowState): number {
    const rewrite = rewritePrice({ suffixTokens: this.expectedAfter(state), isWarm: true }, state.tariff);
    if (state.writesSummaries !== true || this.#policy.earlySummary === "log") return rewrite;
    const { read, outputRatio } = state.tariff;
    return rewrite + read * state.usedTokens + outputRatio * EXPECTED_TOKENS;
  }
}
