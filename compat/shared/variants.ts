/**
 * Which of the variants of a long session run: one for each version of a framework, or with PALIMPSEST_LONG=1 all of them.
 * A session takes half a minute of the processor.
 */
const isLong = process.env["PALIMPSEST_LONG"] === "1";

/** The first of the variants, or all of them. */
export function variantsToRun<Variant>(variants: readonly Variant[]): readonly Variant[] {
  return isLong ? variants : variants.slice(0, 1);
}
