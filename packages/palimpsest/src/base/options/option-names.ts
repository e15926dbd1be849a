/**
 * Names of options and settings: finds the one that a misspelt name was meant to be.
 */

/** Edits between two names that may still mean the same. Longer names have room for one more. */
const EDITS_OF_SHORT_NAMES = 1;
const EDITS_OF_LONG_NAMES = 2;
const LONG_NAME_CHARS = 6;

/** Returns the known name that `name` was most likely meant to be; `undefined` if none is close. */
export function nearestName<Name extends string>(name: string, names: readonly Name[]): Name | undefined {
  const most = name.length < LONG_NAME_CHARS ? EDITS_OF_SHORT_NAMES : EDITS_OF_LONG_NAMES;
  let nearest: Name | undefined;
  let fewest = most + 1;
  for (const known of names) {
    // Names that differ more in length than edits are allowed cannot be close; this also bounds the work.
    if (Math.abs(known.length - name.length) >= fewest) continue;
    const edits = editsBetween(name.toLowerCase(), known.toLowerCase());
    if (edits < fewest) [nearest, fewest] = [known, edits];
  }
  return nearest;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one text into the other. */
function editsBetween(left: string, right: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const replaced = row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      const swapped = isSwap ? before[j - 2]! + 1 : replaced;
      next.push(Math.min(replaced, swapped, row[j]! + 1, next[j - 1]! + 1));
    }
    [before, row] = [row, next];
  }
  return row[right.length]!;
}
