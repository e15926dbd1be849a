/**
 * A stand-in for a model that writes summaries, used where no model is asked.
 *
 * It keeps the most frequent and most recent strings of the messages it was shown. They fill a share of the
 * summary that was measured on recorded summaries. Below headings and between filler words they form a
 * text, which the library's own code measures, refuses and shows like any other summary.
 */

import { estimateText } from "palimpsest/tokens";
import type { Author } from "palimpsest-testing/internal";
import { EVALUATION_DEFAULTS as D } from "../defaults/evaluation.ts";

/** The part of one message that a summarizer sees: of a cleared one, its brief. */
export interface Summarised {
  readonly author: Author;
  readonly strings: ReadonlySet<string>;
}

/** All strings of `seen`, most likely to be kept first. */
export function rankStrings(seen: readonly Summarised[]): readonly string[] {
  const scores = new Map<string, number>();
  seen.forEach(({ author, strings }, index) => {
    const weight = (0.3 + index / seen.length) * (author === "tool" ? 0.5 : 1.5);
    for (const text of strings) scores.set(text, (scores.get(text) ?? 0) + weight);
  });
  return [...scores].sort((one, other) => other[1] - one[1]).map(([text]) => text);
}

/** The strings of a summary of `tokens` that carries `carried` on from an earlier one. */
export function summaryStrings(
  seen: readonly Summarised[],
  { tokens, carried = [] }: { readonly tokens: number; readonly carried?: readonly string[] },
): Set<string> {
  const count = Math.round((tokens * D.summaryStringShare) / D.summaryStringTokens);
  const kept = new Set(rankStrings(seen).slice(0, count));
  const carriedCount = Math.round(
    ((tokens * D.summaryStringShare) / D.summaryStringTokens) * D.carriedStringShare,
  );
  for (const text of carried.slice(0, carriedCount)) kept.add(text);
  return kept;
}

interface ModelledText {
  /** Lines that its parts begin with. */
  readonly headings: readonly string[];
  readonly strings: readonly string[];
  /** Length in reference tokens; strings that take more than that stay all the same. */
  readonly tokens: number;
}

/** No word of it is a string that anybody looks for. */
const FILLER = "- it was looked at once more and then the work went on as it had been said before";

/** A text of about `tokens` in which every string can be read. */
export function composeModelledText({ headings, strings, tokens }: ModelledText): string {
  const each = Math.ceil(strings.length / headings.length);
  const parts = headings.map((heading, index) =>
    [heading, ...strings.slice(index * each, (index + 1) * each).map(quoted)].join("\n"),
  );
  const leftTokens = tokens - estimateText(parts.join("\n\n"));
  const lines = Math.max(0, Math.round(leftTokens / estimateText(`${FILLER}\n`)));
  return parts
    .map((part, index) => {
      const own =
        Math.floor(((index + 1) * lines) / parts.length) - Math.floor((index * lines) / parts.length);
      return [part, ...Array.from({ length: own }, () => FILLER)].join("\n");
    })
    .join("\n\n");
}

/** On a separate line and between marks that it does not contain, so that it is read as one string. */
function quoted(text: string): string {
  const mark = ["`", '"', "'"].find((one) => !text.includes(one)) ?? "";
  return mark + text + mark;
}
