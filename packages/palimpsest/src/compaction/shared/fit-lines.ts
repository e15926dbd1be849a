/**
 * Ranked lines within a token budget: as many from the front as fit when they stand together.
 */
import { type Measure, measureText } from "./measure.ts";

/** The longest prefix of `items` that measures within the budget, joined by `separator`. */
export function fitPrefix(
  items: readonly string[],
  budgetTokens: number,
  measure: Measure,
  separator = "\n",
): readonly string[] {
  const fits = (count: number) => measureText(items.slice(0, count).join(separator), measure) <= budgetTokens;
  if (budgetTokens <= 0) return [];
  let low = 0;
  let high = 1;
  // Doubling first: what is measured stays near the budget, however long the list is.
  while (high <= items.length && fits(high)) {
    low = high;
    high *= 2;
  }
  high = Math.min(high, items.length + 1);
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return items.slice(0, low);
}
