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

/** Candidates that are looked at for each token of the budget: some multiples of what it holds. */
const CANDIDATES_PER_TOKEN = 2;
/** A string costs more of the budget the longer it is; its score is divided by this power of its length. */
const LENGTH_POWER = 0.1;
const SEPARATOR = " ";

/** The strings on lines of their own kind, without those that `isShown` elsewhere in the window. */
export function composeAppendix(
  ledger: LiteralLedger,
  options: { readonly budgetTokens: number; readonly isShown: (text: string) => boolean },
  measure: Measure,
): readonly string[] {
  const ranked = rankLiterals(ledger, Math.ceil(Math.max(0, options.budgetTokens) * CANDIDATES_PER_TOKEN))
    .filter(({ text }) => !options.isShown(text))
    .map(({ text, record, score }) => ({
      text: record.kind === "quoted" ? delimited(text) : text,
      value: score / Math.max(4, text.length) ** LENGTH_POWER,
    }))
    .sort((a, b) => b.value - a.value)
    .map(({ text }) => neutralise(text));
  return fitPrefix(ranked, options.budgetTokens, measure, SEPARATOR);
}

/** Words with spaces and signs in them: one sees where the string begins and ends. */
function delimited(text: string): string {
  const mark = ["`", '"', "'"].find((quote) => !text.includes(quote));
  return mark === undefined ? text : `${mark}${text}${mark}`;
}
