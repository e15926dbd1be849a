/**
 * The size of a run: a small part by default, for every change; every kind of case in the long run
 * (`npm run test:long`), for CI; and all cases in a soak (`npm run soak`), which takes hours, for rare failures.
 * `PALIMPSEST_LONG` says which: unset, `1` or `soak`.
 */
const asked = process.env["PALIMPSEST_LONG"];

/** True in the long run and in a soak. */
export const isLong = asked !== undefined && asked !== "" && asked !== "0";
const isSoak = asked === "soak";

/** The value for the size of this run. A test file that gives one for `soak` is part of `npm run soak`. */
export function bySize<Value>(sizes: {
  readonly usual: Value;
  readonly long: Value;
  readonly soak?: Value;
}): Value {
  if (isSoak && sizes.soak !== undefined) return sizes.soak;
  return isLong ? sizes.long : sizes.usual;
}

/** Each `step`-th item by default, beginning with the one at `first`; all of them in a long run. */
export function usualFew<Item>(items: readonly Item[], step: number, first = 0): readonly Item[] {
  return isLong ? items : items.filter((_, index) => index % step === first % step);
}
