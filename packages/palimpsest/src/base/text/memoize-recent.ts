/**
 * Results that are computed once for a text that comes again soon. Callers of one comparison read the same few texts in
 * several steps; keeping the results here spares them an object that goes through all of these steps.
 */

/** Bounds of what is kept. */
interface RecentLimits {
  /** Texts; when there are as many, all are forgotten. */
  readonly count: number;
  /** Results of longer texts are not kept. */
  readonly characters: number;
}

/** The same function, which computes the result for a recent text only once. Callers must not change a result. */
export function memoizeRecent<Result>(
  work: (text: string) => Result,
  { count, characters }: RecentLimits,
): (text: string) => Result {
  const results = new Map<string, { readonly result: Result }>();
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known.result;
    const result = work(text);
    if (results.size >= count) results.clear();
    if (text.length <= characters) results.set(text, { result });
    return result;
  };
}
