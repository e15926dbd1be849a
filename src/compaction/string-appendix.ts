/**
 * The string appendix: identifiers, paths and other literals that are most likely to be needed
 * letter by letter, from the whole session.
 *
 * A retelling keeps about a quarter of the strings that are used later; this list keeps most of
 * the rest for a few tokens each (where-the-numbers-come-from.md, "String appendix").
 */
import { fitPrefix } from "./fit-lines.ts";
import { type LiteralLedger, rankLiterals } from "./literal-ledger.ts";
import type { Measure } from "./measure.ts";
import { neutralise } from "./quoting.ts";

/** Candidates that are looked at: some multiples of what any budget holds. */
const CANDIDATES = 12_000;
/** A string costs more of the budget the longer it is; its score is divided by this power of its length. */
const LENGTH_POWER = 0.1;

/** The strings on lines of their own kind, without those that `isShown` elsewhere in the window. */
export function composeAppendix(
  ledger: LiteralLedger,
  options: { readonly budgetTokens: number; readonly isShown: (text: string) => boolean },
  measure: Measure,
): readonly string[] {
  const ranked = rankLiterals(ledger)
    .slice(0, CANDIDATES)
    .filter(({ text }) => !options.isShown(text))
    .map(({ text, score }) => ({ text, value: score / Math.max(4, text.length) ** LENGTH_POWER }))
    .sort((a, b) => b.value - a.value)
    .map(({ text }) => neutralise(text));
  return fitPrefix(ranked, options.budgetTokens, measure, " · ");
}
