/**
 * What a model's summary is assumed to keep, where no model is asked: the strings of what it was
 * shown, by frequency and recency, in a share of its length that was measured on recorded summaries.
 */

import type { Author } from "palimpsest/internal";
import { EVALUATION_DEFAULTS as D } from "../defaults/evaluation.ts";

/** What a summariser sees of one message: of a cleared one, what is left of it. */
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
