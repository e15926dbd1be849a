/**
 * The emergency pass at a compaction: key facts of what is about to be hidden are written into the notes
 * first, without waiting for a model.
 *
 * It only adds, behind what a section has, and says nothing twice. Its lines carry no mark: what they tell
 * may be visible nowhere else, so no later update without a model takes them out again.
 */
import { NOTES_DEFAULTS } from "../base/defaults/notes.ts";
import { splitLines } from "../base/markdown-lines.ts";
import { cleanLine } from "./clean-text.ts";
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
import { ToldFacts } from "./told-facts.ts";

/** A fact that would be hidden, and the section it belongs to. The most important ones come first. */
export interface KeyFact {
  readonly kind: NotesSectionKind;
  readonly text: string;
}

export interface MergedFacts {
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
  const told = new ToldFacts(toldLines(document));
  const looked = facts.slice(0, NOTES_DEFAULTS.keyFactsCount);
  const counts = { merged: 0, known: 0, leftOut: facts.length - looked.length };
  const added = new Map<NotesSection, string[]>();
  const tokens = new Map<NotesSection, number>();
  let roomTokens = limits.totalTokens - measure(formatNotes(document));
  for (const { kind, text } of looked) {
    const line = cleanLine(text, NOTES_DEFAULTS.factCharacters);
    if (told.has(line)) {
      counts.known++;
      continue;
    }
    const section = sectionFor(document.template, kind);
    const lineTokens = measure(`- ${line}\n`);
    const isMissing =
      section !== undefined && !added.has(section) && findSection(document, section) === undefined;
    const headingTokens = isMissing ? measure(`# ${section.title}\n${section.description}\n\n`) : 0;
    const used = section && (tokens.get(section) ?? measure(findSection(document, section)?.body ?? ""));
    if (
      section === undefined ||
      used === undefined ||
      used + lineTokens > limits.sectionTokens ||
      lineTokens + headingTokens > roomTokens
    ) {
      counts.leftOut++;
      continue;
    }
    counts.merged++;
    told.add(line);
    tokens.set(section, used + lineTokens);
    roomTokens -= lineTokens + headingTokens;
    added.set(section, [...(added.get(section) ?? []), `- ${line}`]);
  }
  return {
    document: withLines(document, added),
    mergedCount: counts.merged,
    knownCount: counts.known,
    leftOutCount: counts.leftOut,
  };
}

function withLines(
  document: NotesDocument,
  added: ReadonlyMap<NotesSection, readonly string[]>,
): NotesDocument {
  let result = document;
  for (const [section, lines] of added) {
    const body = findSection(result, section)?.body ?? result.newline;
    result = withBody(result, section, joinBody(result, { ...splitBody(body), added: lines.join("\n") }));
  }
  return result;
}

/** Every line that a reader of the notes sees, of a person's own sections as well. */
function toldLines({ parts }: NotesDocument): readonly string[] {
  return parts.flatMap(({ body }) => splitLines(body).map(({ text }) => withoutMark(text)));
}

/** A template of a user's own may lack the section: then the fact stands where learnings or the log do. */
function sectionFor({ sections }: NotesTemplate, kind: NotesSectionKind): NotesSection | undefined {
  const of = (wanted: NotesSectionKind) => sections.find((section) => section.kind === wanted);
  return of(kind) ?? of("learnings") ?? of("worklog") ?? of("state");
}
