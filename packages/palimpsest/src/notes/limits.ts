/**
 * The limits of notes, and which sections exceed them.
 *
 * Limits are given in tokens; the caller scales them to the window. A section is measured without its
 * heading, the document as a whole, because the window has to hold all of it.
 */
import { estimateText } from "../tokens/estimate/character-automaton.ts";
import { formatNotes, type NotesDocument } from "./notes-document.ts";

/** Tokens of a text. */
export type MeasureNotes = (text: string) => number;

export interface NotesLimits {
  readonly sectionTokens: number;
  readonly totalTokens: number;
}

export interface OverLimit {
  readonly sections: readonly { readonly title: string; readonly tokens: number }[];
  /** Size of the whole where that is over its limit. */
  readonly totalTokens: number | undefined;
}

export const measureNotes: MeasureNotes = estimateText;

/** Returns the exceeded limits; none if `sections` is empty and `totalTokens` absent. */
export function findOverLimit(
  document: NotesDocument,
  limits: NotesLimits,
  measure: MeasureNotes = measureNotes,
): OverLimit {
  const sections = document.parts.flatMap(({ section, body }) => {
    const tokens = Math.ceil(measure(body));
    return section !== undefined && tokens > limits.sectionTokens ? [{ title: section.title, tokens }] : [];
  });
  const totalTokens = Math.ceil(measure(formatNotes(document)));
  return { sections, totalTokens: totalTokens > limits.totalTokens ? totalTokens : undefined };
}

/** The demand to shorten what is over; empty where nothing is. */
export function composeTrimDemand({ sections, totalTokens }: OverLimit, limits: NotesLimits): string {
  const named = sections.map(
    ({ title, tokens }) => `- ${title}: about ${tokens} tokens, and ${limits.sectionTokens} is the limit`,
  );
  return [
    ...(named.length === 0
      ? []
      : ["These sections are over their limit and must be shortened now:", ...named]),
    ...(totalTokens === undefined
      ? []
      : [
          `The notes have about ${totalTokens} tokens in all, and ${limits.totalTokens} is the limit. They must be shortened now. Keep Current State and Errors & Corrections exact, and condense the others, the oldest entries of the Worklog first.`,
        ]),
  ].join("\n");
}
