/**
 * The level to which the largest of many are cut down so that all together fit: what is smaller
 * than the level stays whole, everything larger gets the level itself.
 */

/** The level, or `Infinity` where everything fits as it is. Zero where nothing is left for any. */
export function fairShare(sizes: readonly number[], total: number): number {
  const ascending = [...sizes].sort((a, b) => a - b);
  let left = total;
  for (let index = 0; index < ascending.length; index++) {
    const level = left / (ascending.length - index);
    if (ascending[index]! > level) return Math.max(0, level);
    left -= ascending[index]!;
  }
  return Number.POSITIVE_INFINITY;
}
