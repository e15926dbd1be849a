/**
 * The rent ledger: what the window has cost since it was last rewritten, so that a rewrite is
 * bought when its price has been paid in rent.
 *
 * DESIGN. A block pays rent with every call that carries it (tokens × read price; on a cold cache it
 * is written again, which is the dearest rent of all). Nothing is counted per block and call: the
 * ledger remembers, for each call since the last rewrite, how much had been appended by then, so what
 * one block has paid follows from where it stands. A call costs O(1); only a plan looks at blocks.
 */
import type { Tariff } from "../tokens/tariff.ts";

/** One call as the ledger is told of it. */
export interface RentedCall {
  /** Messages of the window, in tokens, without the fixed part. */
  readonly messagesTokens: number;
  /** Whether the provider still holds the last request. */
  readonly isWarm: boolean;
}

export class RentLedger {
  readonly #tariff: Tariff;
  /** Size of the messages at each call since the last rewrite, and what a token cost by then. */
  #sizes: number[] = [];
  #paidPerToken: number[] = [0];
  /** Newest size: what was appended follows from its growth. */
  #lastTokens = 0;
  #summaryRent = 0;
  #windowRent = 0;

  constructor(tariff: Tariff) {
    this.#tariff = tariff;
  }

  /** A call carries the window, of which `keptTokens` are never cleared. */
  called({ messagesTokens, isWarm }: RentedCall, keptTokens: number): void {
    const price = isWarm ? this.#tariff.read : this.#tariff.write;
    this.#sizes.push(messagesTokens);
    this.#paidPerToken.push(this.#paidPerToken.at(-1)! + price);
    this.#lastTokens = messagesTokens;
    this.#summaryRent += price * messagesTokens;
    this.#windowRent += price * Math.max(0, messagesTokens - keptTokens);
  }

  /** The window was rewritten: blocks begin to pay anew; with a summary, so does the whole. */
  rewritten({ isSummary }: { readonly isSummary: boolean }): void {
    this.#sizes = [];
    this.#paidPerToken = [0];
    this.#windowRent = 0;
    if (isSummary) this.#summaryRent = 0;
  }

  /** Rent that all messages have paid since the last summary. */
  get summaryRent(): number {
    return this.#summaryRent;
  }

  /** The most that everything outside the kept part can have paid since the last rewrite. */
  get windowRent(): number {
    return this.#windowRent;
  }

  /**
   * Rent paid for each token of a block that `tokensBehind` stand behind now, from the call on at which
   * `keptTokens` stood behind it.
   */
  paidPerToken(tokensBehind: number, keptTokens: number): number {
    // It left the kept part when the window had this size.
    const sizeThen = this.#lastTokens - tokensBehind + keptTokens;
    const first = firstAtLeast(this.#sizes, sizeThen);
    return first === this.#sizes.length ? 0 : this.#paidPerToken.at(-1)! - this.#paidPerToken[first]!;
  }
}

/** Index of the first size that reaches `least`; sizes only grow between rewrites. */
function firstAtLeast(sizes: readonly number[], least: number): number {
  let low = 0;
  let high = sizes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sizes[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
