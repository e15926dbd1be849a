/**
 * Rent or buy: when a rewrite pays.
 *
 * A rewrite costs (write − read) × everything behind the first changed byte; what it takes out has
 * paid rent until then. Clearing when the rent paid reaches the price of the rewrite is never worse
 * than twice the best that could have been done with the future known, and on recorded sessions
 * within a few hundredths of it (where-the-numbers-come-from.md, "Rent or buy").
 */
import { rewritePrice } from "../../../tokens/price/cache-price.ts";
import type { Tariff } from "../../../tokens/price/tariff.ts";

/** One thing that could be cleared. */
export interface Clearable {
  /** What clearing it frees, in tokens. */
  readonly freedTokens: number;
  /** Rent that the tokens it would free have paid. */
  readonly paid: number;
  /** All that stands at and behind it now, in tokens. */
  readonly suffixTokens: number;
}

/**
 * How many of `clearables`, given from the newest to the oldest, are to be cleared together: as many as
 * gain most, where the rent paid covers the price; all on a cold cache; none where it does not pay yet.
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
