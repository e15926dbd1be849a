/**
 * Cuts notes to their limits without a model: the last resort, if the model did not shorten them on demand.
 *
 * The Worklog gives way first, its oldest entries before its newer ones. Then the longest of the other
 * sections are cut to one common size, so that none vanishes while another is long. Title, Current State and Errors
 * & Corrections come last. Parts that are not sections belong to a person and stay unchanged.
 */
import { type CutBody, cutBody, largest } from "./body-entries.ts";
import { cleanBody, guardFirstLine } from "./clean-text.ts";
import {
  formatNotes,
  type MeasureNotes,
  measureNotes,
  type NotesDocument,
  type NotesLimits,
  type NotesPart,
} from "./notes-document.ts";
import type { NotesSection, NotesSectionKind } from "./template.ts";

interface TrimmedNotes {
  readonly document: NotesDocument;
  /** Lines that were dropped, by section. */
  readonly dropped: readonly { readonly title: string; readonly droppedCount: number }[];
  /** True if it is within the limits now; a person's own parts may be too long by themselves. */
  readonly isWithin: boolean;
}

/** Sections whose newest entries come last. */
const NEWEST_LAST: ReadonlySet<NotesSectionKind | undefined> = new Set([
  "worklog",
  "errors",
  "learnings",
  "results",
]);
/** Sections that are cut last. */
const CUT_LAST: ReadonlySet<NotesSectionKind | undefined> = new Set(["title", "state", "errors"]);

/** Cuts notes to their limits. Returns the same document if it is within them already. */
export function trimNotes(
  document: NotesDocument,
  limits: NotesLimits,
  measure: MeasureNotes = measureNotes,
): TrimmedNotes {
  const isWithin = (some: NotesDocument): boolean => measure(formatNotes(some)) <= limits.totalTokens;
  let trimmed = cutSections(document, limits.sectionTokens, () => true, measure);
  const steps: readonly ((kind: NotesSectionKind | undefined) => boolean)[] = [
    (kind) => kind === "worklog",
    (kind) => !CUT_LAST.has(kind),
    () => true,
  ];
  for (const mayCut of steps) {
    if (isWithin(trimmed)) break;
    const base = trimmed;
    const commonTokens = largest(limits.sectionTokens, (tokens) =>
      isWithin(cutSections(base, tokens, mayCut, measure)),
    );
    trimmed = cutSections(base, commonTokens, mayCut, measure);
  }
  const dropped = document.parts.flatMap(({ section, body }, index) => {
    const droppedCount = linesCount(body) - linesCount(trimmed.parts[index]!.body);
    const isCut = trimmed.parts[index]!.body !== body;
    return section !== undefined && isCut
      ? [{ title: section.title, droppedCount: Math.max(1, droppedCount) }]
      : [];
  });
  return { document: dropped.length === 0 ? document : trimmed, dropped, isWithin: isWithin(trimmed) };
}

/** Cuts a section's text to `tokens`: the oldest entries go first if the newest come last, else the last ones. */
export function cutSectionText(
  text: string,
  tokens: number,
  section: NotesSection,
  {
    measure,
    mayFence,
    level,
  }: { readonly measure: MeasureNotes; readonly mayFence: boolean; readonly level: number },
): CutBody {
  return cutBody(text, tokens, {
    keep: NEWEST_LAST.has(section.kind) ? "newest" : "oldest",
    measure,
    close: (cut) => cleanBody(cut, { level, mayFence, hasDescription: true }),
  });
}

function cutSections(
  document: NotesDocument,
  tokens: number,
  mayCut: (kind: NotesSectionKind | undefined) => boolean,
  measure: MeasureNotes,
): NotesDocument {
  const { template, hasOpenFence } = document;
  const cut = (part: NotesPart): NotesPart => {
    const { section, body } = part;
    if (section === undefined || !mayCut(section.kind) || measure(body) <= tokens) return part;
    const text = body.trim();
    const options = { measure, mayFence: !hasOpenFence, level: template.level };
    const cutText = cutSectionText(text, tokens, section, options).body.trimEnd();
    const kept = guardFirstLine(cutText, part.description !== "");
    return { ...part, body: kept === "" ? document.newline : kept + document.newline.repeat(2) };
  };
  return { ...document, parts: document.parts.map(cut) };
}

const linesCount = (body: string): number => body.split("\n").filter((line) => line.trim() !== "").length;
