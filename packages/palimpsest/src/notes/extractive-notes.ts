/**
 * Updates notes without a model: the same sections and limits, with facts from the log.
 *
 * Every line that it writes is marked. An update removes its earlier lines, writes new ones in the remaining
 * room, and changes no other line; facts that other lines state already are skipped. So it may run at any
 * time, any number of times, beside a person and a model.
 */

import { splitLines } from "../base/text/markdown-lines.ts";
import { isOwn, largest, markOwn } from "./body-entries.ts";
import { KnownFacts } from "./merge-key-facts.ts";
import {
  findSection,
  formatNotes,
  joinBody,
  type MeasureNotes,
  measureNotes,
  type NotesDocument,
  type NotesLimits,
  splitBody,
  withBody,
  withEnd,
} from "./notes-document.ts";
import { composeFactLines, type FactLine, type SessionFacts } from "./session-facts.ts";
import type { NotesSection, NotesSectionKind } from "./template.ts";

interface ExtractedNotes {
  readonly document: NotesDocument;
  /** Marked lines that the notes contain now. */
  readonly writtenCount: number;
  /** Lines for which there was no room. */
  readonly leftOutCount: number;
}

/** The order in which sections get room if the whole document has too little. */
const ORDER: readonly NotesSectionKind[] = [
  ...(["state", "errors", "title", "task", "results"] as const),
  ...(["files", "learnings", "workflow", "system", "worklog"] as const),
];

/** The notes with the session's facts in them. */
export function extractNotes(
  document: NotesDocument,
  facts: SessionFacts,
  { limits, measure = measureNotes }: { readonly limits: NotesLimits; readonly measure?: MeasureNotes },
): ExtractedNotes {
  const lines = composeFactLines(facts);
  const wanted = ORDER.flatMap((kind) => {
    const section = document.template.sections.find((each) => each.kind === kind);
    return section === undefined ? [] : [{ section, lines: lines.get(kind) ?? [] }];
  });
  let result = withoutOwn(document);
  // Headings that are missing come first: from then on they count to the size of the whole.
  for (const { section, lines: some } of wanted)
    if (some.length > 0 && findSection(result, section) === undefined)
      result = withBody(result, section, result.newline);

  const filled = wanted.filter(({ lines: some }) => some.length > 0).map(({ section }) => section);
  const measured = withLastEnd(result, filled);
  let availableTokens = limits.totalTokens - measure(formatNotes(measured));
  let writtenCount = 0;
  let leftOutCount = 0;
  for (const { section, lines: some } of wanted) {
    const body = findSection(result, section)?.body ?? "";
    const uncovered = unknownLines(body, section, some).map(({ line }) => markOwn(line));
    const bodyTokens = measure(findSection(measured, section)?.body ?? "");
    const sectionTokens = Math.min(limits.sectionTokens - bodyTokens, availableTokens);
    const kept = fitting(uncovered, section, sectionTokens, measure);
    writtenCount += kept.length;
    leftOutCount += uncovered.length - kept.length;
    if (kept.length === 0) continue;
    const added = kept.join("\n");
    availableTokens -= measure(`${added}\n`);
    result = withBody(result, section, joinBody(result, { ...splitBody(body), added }));
  }
  return { document: result, writtenCount, leftOutCount };
}

/**
 * The notes with an end to their last line, where lines are to be written below it. That end stays when they are
 * taken out again: were it not counted from the first update on, the second one would have less room.
 */
function withLastEnd(document: NotesDocument, filled: readonly NotesSection[]): NotesDocument {
  const { parts, newline } = document;
  const last = parts.at(-1);
  if (last === undefined || !filled.some(({ title }) => title === last.section?.title)) return document;
  return { ...document, parts: parts.with(-1, withEnd(last, newline)) };
}

/** The notes as everybody else wrote them. */
function withoutOwn(document: NotesDocument): NotesDocument {
  const parts = document.parts.map((part) => {
    if (part.section === undefined) return part;
    const others = splitLines(part.body).filter(({ text }) => !isOwn(text));
    return { ...part, body: others.map(({ text, ending }) => text + ending).join("") };
  });
  return { ...document, parts };
}

function unknownLines(body: string, section: NotesSection, lines: readonly FactLine[]): readonly FactLine[] {
  // A title is there or it is not.
  if (section.kind === "title") return body.trim() === "" ? lines : [];
  const known = new KnownFacts(splitLines(body).map(({ text }) => text));
  return lines.filter(({ key }) => !known.has(key));
}

/** As many lines as fit: the first ones, of the Worklog the last ones. */
function fitting(
  lines: readonly string[],
  { kind }: NotesSection,
  tokens: number,
  measure: MeasureNotes,
): readonly string[] {
  const some = (count: number): readonly string[] =>
    kind === "worklog" ? lines.slice(lines.length - count) : lines.slice(0, count);
  return some(largest(lines.length, (count) => measure(`${some(count).join("\n")}\n`) <= tokens));
}
