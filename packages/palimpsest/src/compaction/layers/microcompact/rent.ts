/**
 * Rent or buy: when a rewrite of the window pays for itself.
 *
 * A rewrite costs (write − read) × everything behind the first changed byte. The blocks it takes out have
 * paid rent with every call until then. Clearing once the rent paid reaches the price of the rewrite never
 * costs more than twice the optimum with hindsight; on recorded sessions it comes within a few hundredths
 * of it (where-the-numbers-come-from.md, "Rent or buy").
 *
 * DESIGN. A block pays rent with every call that carries it: tokens × read price. On a cold cache it is
 * written again, which is the dearest rent of all. The ledger counts nothing per block and call. For each
 * call since the last rewrite it remembers how much had been appended by then, so the rent of a block
 * follows from its place. A call costs O(1); only a plan looks at blocks.
 */
import { firstIndex } from "../../../base/lists.ts";
import { rewritePrice } from "../../../tokens/price/cache-price.ts";
import type { Tariff } from "../../../tokens/price/tariff.ts";

/** One call, as the ledger records it. */
export interface RentedCall {
  /** Messages of the window, in tokens, without the fixed part. */
  readonly messagesTokens: number;
  /** The price of one of these tokens in this call. */
  readonly tokenPrice: number;
  /** Newest part of the window, which is never cleared. */
  readonly keptTokens: number;
}

export class RentLedger {
  /** Size of the messages at each call since the last rewrite, and what a token had cost before it. */
  #sizes: number[] = [];
  #paidPerToken: number[] = [0];
  #lastTokens = 0;
  #summaryRent = 0;
  #windowRent = 0;
  #callsSinceSummary = 0;

  /** A call carries the window. */
  called({ messagesTokens, tokenPrice, keptTokens }: RentedCall): void {
    if (messagesTokens < this.#lastTokens) this.#shrunk(messagesTokens);
    this.#sizes.push(messagesTokens);
    this.#paidPerToken.push(this.#paidPerToken.at(-1)! + tokenPrice);
    this.#lastTokens = messagesTokens;
    this.#summaryRent += tokenPrice * messagesTokens;
    this.#windowRent += tokenPrice * Math.max(0, messagesTokens - keptTokens);
    this.#callsSinceSummary++;
  }

  /** A session goes on that has made `calls` since its last summary, which are not known one by one. */
  resumed(calls: number, { messagesTokens, tokenPrice }: RentedCall, afterSummaryTokens: number): void {
    const meanTokens = (Math.min(afterSummaryTokens, messagesTokens) + messagesTokens) / 2;
    this.#summaryRent = calls * tokenPrice * meanTokens;
    this.#callsSinceSummary = calls;
    this.#lastTokens = messagesTokens;
  }

  /** The window was rewritten: blocks begin to pay again from zero; after a summary, so does the whole window. */
  rewritten({
    isSummary,
    messagesTokens,
  }: {
    readonly isSummary: boolean;
    readonly messagesTokens: number;
  }): void {
    this.#restart();
    this.#lastTokens = messagesTokens;
    if (!isSummary) return;
    this.#summaryRent = 0;
    this.#callsSinceSummary = 0;
  }

  /** Rent that all messages have paid since the last summary. */
  get summaryRent(): number {
    return this.#summaryRent;
  }

  get callsSinceSummary(): number {
    return this.#callsSinceSummary;
  }

  /** The most that everything outside the kept part can have paid since the last rewrite. */
  get windowRent(): number {
    return this.#windowRent;
  }

  /**
   * Returns the rent paid for each token of a block. `tokensBehind` of `messagesTokens` follow the block now;
   * counting starts with the call at which `keptTokens` followed it.
   */
  paidPerToken({ messagesTokens, tokensBehind, keptTokens }: Standing): number {
    // It left the kept part when the window had this size.
    const sizeThen = messagesTokens - tokensBehind + keptTokens;
    const first = firstAtLeast(this.#sizes, sizeThen);
    return first === this.#sizes.length ? 0 : this.#paidPerToken.at(-1)! - this.#paidPerToken[first]!;
  }

  /** Another writer took messages out (a rewind, a host's edit): the rest has paid its part only. */
  #shrunk(messagesTokens: number): void {
    this.#summaryRent *= this.#lastTokens === 0 ? 0 : messagesTokens / this.#lastTokens;
    this.#restart();
  }

  #restart(): void {
    this.#sizes = [];
    this.#paidPerToken = [0];
    this.#windowRent = 0;
  }
}

/** The place of a block in the window, in tokens. */
interface Standing {
  readonly messagesTokens: number;
  readonly tokensBehind: number;
  readonly keptTokens: number;
}

/** Index of the first size that reaches `least`; sizes only grow between rewrites. */
function firstAtLeast(sizes: readonly number[], least: number): number {
  return firstIndex(sizes.length, (index) => sizes[index]! >= least);
}

/** One thing that could be cleared. */
export interface Clearable {
  /** Tokens freed by clearing it. */
  readonly freedTokens: number;
  /** Rent that the tokens it would free have paid. */
  readonly paid: number;
  /** All that stands at and behind it now, in tokens. */
  readonly suffixTokens: number;
}

/**
 * Returns how many of `clearables`, newest to oldest, to clear together: the number that gains most if the
 * rent paid covers the price, all of them on a cold cache, none if it does not pay yet.
 */
export function countToClear(
  clearables: readonly Clearable[],
  { tariff, isWarm, leastFreedTokens }: ClearMoment,
): number {
  let count = 0;
  let bestGain = 0;
  let paid = 0;
  let freedTokens = 0;
  for (const [index, clearable] of clearables.entries()) {
    paid += clearable.paid;
    freedTokens += clearable.freedTokens;
    if (freedTokens < leastFreedTokens) continue;
    const suffixTokens = clearable.suffixTokens - freedTokens;
    const gain = isWarm ? paid - rewritePrice({ suffixTokens, isWarm }, tariff) : freedTokens;
    if (gain < bestGain) continue;
    bestGain = gain;
    count = index + 1;
  }
  return count;
}

interface ClearMoment {
  readonly tariff: Tariff;
  readonly isWarm: boolean;
  /** Never one result at a time: a rewrite frees this at the least. */
  readonly leastFreedTokens: number;
}
