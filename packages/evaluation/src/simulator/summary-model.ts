/**
 * A stand-in for a model that writes summaries, used where no model is asked.
 *
 * It keeps the most frequent and most recent strings of the messages it was shown. They fill a share of the
 * summary that was measured on recorded summaries. Below headings and between filler words they form a
 * text, which the library's own code measures, refuses and shows like any other summary.
 */

import { estimateText } from "palimpsest/tokens";
import type { Author, Trajectory } from "palimpsest-testing/internal";
import { EVALUATION_DEFAULTS as D } from "../defaults/evaluation.ts";
import {
  kindOfKey,
  REFERENCE_KINDS,
  type ReferenceKind,
  referencesOf,
  textOfKey,
} from "../references/references.ts";

/** The part of one message that a summarizer sees: of a cleared one, its brief. */
export interface Summarised {
  readonly author: Author;
  /** Everything that can be read in it, as keys. */
  readonly strings: ReadonlySet<string>;
}

/** Messages of a session up to message `index`, as a summarizer read them. */
export function readThrough(trajectory: Trajectory, index: number): readonly Summarised[] {
  const references = referencesOf(trajectory);
  return trajectory.messages
    .slice(0, index + 1)
    .map(({ author }, place) => ({ author, strings: references.keysOf(place) }));
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

/** The keys of a summary of `tokens` that carries `carried` on from an earlier one. */
export function summaryKeys(
  seen: readonly Summarised[],
  { tokens, carried = [] }: { readonly tokens: number; readonly carried?: readonly string[] },
): Set<string> {
  const ranked = rankStrings(seen);
  const kept = new Set<string>();
  for (const kind of REFERENCE_KINDS) {
    const count = Math.round(tokens * KEYS_PER_TOKEN[kind]);
    const isOwn = (key: string): boolean => kindOfKey(key) === kind;
    for (const key of firstOf(ranked, count, isOwn)) kept.add(key);
    for (const key of firstOf(carried, Math.round(count * D.carriedStringShare), isOwn)) kept.add(key);
  }
  return kept;
}

const KEYS_PER_TOKEN: Readonly<Record<ReferenceKind, number>> = {
  name: D.summaryStringShare / D.summaryStringTokens,
  word: D.summaryWordsPerToken,
  line: D.summaryLinesPerToken,
};

function firstOf(keys: readonly string[], count: number, isOwn: (key: string) => boolean): readonly string[] {
  const first: string[] = [];
  for (const key of keys) {
    if (first.length >= count) break;
    if (isOwn(key)) first.push(key);
  }
  return first;
}

/** Lines that the parts of a full summary begin with. */
export const SUMMARY_HEADINGS = [
  "1. Primary request and intent",
  "2. Key technical concepts",
  "3. Files and code sections",
  "4. Errors and fixes",
  "5. Problem solving",
  "6. All user messages",
  "7. Pending tasks",
  "8. Current work",
  "9. Optional next step",
];

interface ModelledText {
  /** Lines that its parts begin with. */
  readonly headings: readonly string[];
  /** The keys that can be read in it. */
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

/** On a separate line; a name between marks that it does not contain, so that it is read as one string. */
function quoted(key: string): string {
  const text = textOfKey(key);
  if (kindOfKey(key) !== "name") return text;
  const mark = ["`", '"', "'"].find((one) => !text.includes(one)) ?? "";
  return mark + text + mark;
}
