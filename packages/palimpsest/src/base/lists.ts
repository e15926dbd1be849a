/**
 * Lists of any length. A call takes about a hundred thousand arguments and then ends in a `RangeError`: `list.push(...added)`
 * and `Math.max(...numbers)` work in every test, and fail for the one user whose message has 200,000 blocks. These go
 * through the list instead.
 */

/** Appends all values, in their order. */
export function addAll<Value>(list: Value[], added: Iterable<Value>): void {
  for (const value of added) list.push(value);
}

/** Puts all values before the one at `index`. The list is the same afterwards, with more in it. */
export function insertAll<Value>(list: Value[], index: number, added: readonly Value[]): void {
  if (added.length === 0) return;
  const after = list.splice(index);
  addAll(list, added);
  addAll(list, after);
}

/** Returns the index of the first of `count` places where `holds` is true, by bisection: it holds for all behind it, too. */
export function firstIndex(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  for (let high = count; low < high; ) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns the largest number; as `Math.max`, `-Infinity` for none. */
export function maxOf(numbers: Iterable<number>): number {
  let found = Number.NEGATIVE_INFINITY;
  for (const number of numbers) found = Math.max(found, number);
  return found;
}

/** Returns the smallest number; as `Math.min`, `Infinity` for none. */
export function minOf(numbers: Iterable<number>): number {
  let found = Number.POSITIVE_INFINITY;
  for (const number of numbers) found = Math.min(found, number);
  return found;
}
