/**
 * The string appendix: identifiers, paths and other literals that are most likely to be needed
 * letter by letter, from the whole session.
 *
 * A retelling keeps about a quarter of the strings that are used later; this list keeps most of
 * the rest for a few tokens each (where-the-numbers-come-from.md, "String appendix").
 */

import { type LiteralLedger, rankLiterals } from "../literals/literal-ledger.ts";
import { fitPrefix } from "../shared/fit-lines.ts";
import type { Measure } from "../shared/measure.ts";
import { neutralise } from "../shared/quoting.ts";

/** Candidates that are looked at for each token of the budget: some multiples of what it holds, and of what is shown elsewhere. */
const CANDIDATES_PER_TOKEN = 0.75;
/** A string costs more of the budget the longer it is; its score is divided by this power of its length. */
const LENGTH_POWER = 0.1;
const SEPARATOR = " ";

/** A string that may stand in an appendix, as it would stand there. */
export interface AppendixCandidate {
  readonly literal: string;
  readonly text: string;
}

/** The strings most likely to be needed, best first: several times what an appendix of `budgetTokens` holds. */
export function rankForAppendix(ledger: LiteralLedger, budgetTokens: number): readonly AppendixCandidate[] {
  return rankLiterals(ledger, Math.ceil(Math.max(0, budgetTokens) * CANDIDATES_PER_TOKEN))
    .map(({ text, record, score }) => ({
      literal: text,
      text: neutralise(record.kind === "quoted" ? delimited(text) : text),
      value: score / Math.max(4, text.length) ** LENGTH_POWER,
    }))
    .sort((a, b) => b.value - a.value);
}

/** As many of the candidates as fit, without those that `isShown` elsewhere in the window. */
export function composeAppendix(
  candidates: readonly AppendixCandidate[],
  options: { readonly budgetTokens: number; readonly isShown: (text: string) => boolean },
  measure: Measure,
): readonly string[] {
  const texts = candidates.filter(({ literal }) => !options.isShown(literal)).map(({ text }) => text);
  return fitPrefix(texts, options.budgetTokens, measure, SEPARATOR);
}

/** Words with spaces and signs in them: one sees where the string begins and ends. */
function delimited(text: string): string {
  const mark = ["`", '"', "'"].find((quote) => !text.includes(quote));
  return mark === undefined ? text : `${mark}${text}${mark}`;
}
