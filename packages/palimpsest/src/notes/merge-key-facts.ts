/**
 * The emergency pass at a compaction: key facts of what is about to be hidden are written into the notes
 * first, without waiting for a model.
 *
 * It only adds, behind what a section has, and says nothing twice. Its lines carry no mark: what they tell
 * may be visible nowhere else, so no later update without a model takes them out again.
 */
import { NOTES_DEFAULTS } from "../base/defaults/notes.ts";
import { splitLines } from "../base/text/markdown-lines.ts";
import { cleanLine } from "./clean-text.ts";
import { KnownFacts } from "./known-facts.ts";
import { type MeasureNotes, measureNotes, type NotesLimits } from "./limits.ts";
import {
  findSection,
  formatNotes,
  joinBody,
  type NotesDocument,
  splitBody,
  withBody,
} from "./notes-document.ts";
import { withoutMark } from "./own-lines.ts";
import type { NotesSection, NotesSectionKind, NotesTemplate } from "./template.ts";

/** A fact that would be hidden, and the section it belongs to. The most important ones come first. */
export interface KeyFact {
  readonly kind: NotesSectionKind;
  readonly text: string;
}

interface MergedFacts {
  readonly document: NotesDocument;
  readonly mergedCount: number;
  /** Facts that the notes told already, and such as said nothing. */
  readonly knownCount: number;
  /** Facts for which there was no room, or no section. */
  readonly leftOutCount: number;
}

/** The notes with the facts merged in. Merging the same facts again changes nothing. */
export function mergeKeyFacts(
  document: NotesDocument,
  facts: readonly KeyFact[],
  { limits, measure = measureNotes }: { readonly limits: NotesLimits; readonly measure?: MeasureNotes },
): MergedFacts {
  const known = new KnownFacts(knownLines(document));
  const looked = facts.slice(0, NOTES_DEFAULTS.keyFactsCount);
  const counts = { merged: 0, known: 0, leftOut: facts.length - looked.length };
  let result = document;
  for (const { kind, text } of looked) {
    const line = cleanLine(text, NOTES_DEFAULTS.factCharacters);
    if (known.has(line)) {
      counts.known++;
      continue;
    }
    const section = sectionFor(document.template, kind);
    const merged = section && withLine(result, section, `- ${line}`);
    if (merged === undefined || !isWithin(merged, section!, { limits, measure })) {
      counts.leftOut++;
      continue;
    }
    counts.merged++;
    known.add(line);
    result = merged;
  }
  return {
    document: result,
    mergedCount: counts.merged,
    knownCount: counts.known,
    leftOutCount: counts.leftOut,
  };
}

function withLine(document: NotesDocument, section: NotesSection, line: string): NotesDocument {
  const body = findSection(document, section)?.body ?? document.newline;
  return withBody(document, section, joinBody(document, { ...splitBody(body), added: line }));
}

/** Measured as they would be: lines that are measured apart add up to more or less, and merging again would differ. */
function isWithin(
  document: NotesDocument,
  section: NotesSection,
  { limits, measure }: { readonly limits: NotesLimits; readonly measure: MeasureNotes },
): boolean {
  const body = findSection(document, section)?.body ?? "";
  return measure(body) <= limits.sectionTokens && measure(formatNotes(document)) <= limits.totalTokens;
}

/** Every line that a reader of the notes sees, of a person's own sections as well. */
function knownLines({ parts }: NotesDocument): readonly string[] {
  return parts.flatMap(({ body }) => splitLines(body).map(({ text }) => withoutMark(text)));
}

/** A template of a user's own may lack the section: then the fact stands where learnings or the log do. */
function sectionFor({ sections }: NotesTemplate, kind: NotesSectionKind): NotesSection | undefined {
  const of = (wanted: NotesSectionKind) => sections.find((section) => section.kind === wanted);
  return of(kind) ?? of("learnings") ?? of("worklog") ?? of("state");
}
