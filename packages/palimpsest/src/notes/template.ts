/**
 * The template of notes: ten sections, each a heading and a line in italics that describes its content.
 *
 * A user's own template may have other sections. The rules for the ten (how to fill them without a model,
 * which to trim last) go by their titles, so that they apply in any template that has them.
 */
import { maxOf, minOf } from "../base/lists.ts";
import { isBlank, type MarkdownLine, readLines } from "../base/text/markdown-lines.ts";

/** Purposes of sections, by title. */
const KIND_OF_TITLE = {
  "Session Title": "title",
  "Current State": "state",
  "Task Specification": "task",
  "Files and Functions": "files",
  Workflow: "workflow",
  "Errors & Corrections": "errors",
  "Codebase and System Documentation": "system",
  Learnings: "learnings",
  "Key Results": "results",
  Worklog: "worklog",
} as const;

export type NotesSectionKind = (typeof KIND_OF_TITLE)[keyof typeof KIND_OF_TITLE];

export interface NotesSection {
  readonly title: string;
  /** Level of its heading: the number of `#` signs. */
  readonly level: number;
  /** The line in italics, without its end; empty where the template has none. */
  readonly description: string;
  /** The template's text below it, without white space at its ends. */
  readonly body: string;
  readonly kind: NotesSectionKind | undefined;
}

export interface NotesTemplate {
  readonly text: string;
  readonly sections: readonly NotesSection[];
  /** The deepest level of a section's heading; deeper headings belong to a section's body. */
  readonly level: number;
}

type ReadTemplate =
  | { readonly ok: true; readonly template: NotesTemplate }
  | { readonly ok: false; readonly problem: "no-headings" | "title-twice" };

/** Text of a new notes file. */
export const NOTES_TEMPLATE_TEXT = `# Session Title
_What this session is about, in 5 to 10 words, dense and without filler_

# Current State
_What is being worked on right now, what is still open, and the very next steps_

# Task Specification
_What the user asked for, with every demand and constraint, and the design decisions that were made_

# Files and Functions
_Which files and functions matter, what is in them, and why_

# Workflow
_Commands that are usually run, in their order, and how to read what they print_

# Errors & Corrections
_What failed and what mended it, what the user corrected, and what was tried and must not be tried again_

# Codebase and System Documentation
_The parts of the system, and how they work together_

# Learnings
_What worked well, what did not, and what to avoid, where no other section tells it_

# Key Results
_What the user asked to see, to the letter: an answer, a table, a figure, a document_

# Worklog
_Step by step what was tried and done, one short entry each, the oldest first_
`;

const KINDS: ReadonlyMap<string, NotesSectionKind> = new Map(
  Object.entries(KIND_OF_TITLE).map(([title, kind]) => [titleKey(title), kind]),
);

/** Normalizes a title for comparison: people write `&` for `and`, and capitals and colons as they like. */
export function titleKey(title: string): string {
  return title
    .replace(/&(?:amp;)?/g, " and ")
    .replace(/[*_`:]/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}

/** True if a whole line is in italics, as descriptions are. */
export function isItalicLine(line: string): boolean {
  return /^(?:_(?!_)\S(?:[\s\S]*[^\s_])?_|\*(?!\*)\S(?:[\s\S]*[^\s*])?\*)$/.test(line.trim());
}

/**
 * Reads a template. Its sections are the headings with a line in italics below them; if there is none, all
 * headings of the highest level that it uses.
 */
export function readTemplate(text: string): ReadTemplate {
  const lines = readLines(text);
  const headings = lines.flatMap((line, index) =>
    line.heading === undefined
      ? []
      : [{ ...line.heading, index, description: descriptionBelow(lines, index) }],
  );
  const described = headings.filter(({ description }) => description !== undefined);
  const top = minOf(headings.map(({ level }) => level));
  const chosen = described.length > 0 ? described : headings.filter(({ level }) => level === top);
  if (chosen.length === 0) return { ok: false, problem: "no-headings" };
  const keys = new Set(chosen.map(({ title }) => titleKey(title)));
  if (keys.size < chosen.length) return { ok: false, problem: "title-twice" };
  const level = maxOf(chosen.map((each) => each.level));
  const sections = chosen.map(({ title, level: own, index, description }): NotesSection => {
    const next = headings.find((other) => other.index > index && other.level <= level);
    const from = description === undefined ? index + 1 : description + 1;
    const body = lines.slice(from, next?.index ?? lines.length);
    return {
      title,
      level: own,
      description: description === undefined ? "" : lines[description]!.text,
      body: body
        .map((line) => line.text + line.ending)
        .join("")
        .trim(),
      kind: KINDS.get(titleKey(title)),
    };
  });
  return { ok: true, template: { text, sections, level } };
}

/** Index of the line in italics that comes first below a heading. */
export function descriptionBelow(lines: readonly MarkdownLine[], heading: number): number | undefined {
  let index = heading + 1;
  while (index < lines.length && isBlank(lines[index]!.text)) index++;
  const line = lines[index];
  return line !== undefined && !line.isFenced && isItalicLine(line.text) ? index : undefined;
}

/** The ten sections. */
export const NOTES_TEMPLATE: NotesTemplate = {
  text: NOTES_TEMPLATE_TEXT,
  sections: [...NOTES_TEMPLATE_TEXT.matchAll(/^# (.*)\n(_.*_)$/gm)].map(
    ([, title = "", description = ""]) => {
      return { kind: KINDS.get(titleKey(title)), title, level: 1, description, body: "" };
    },
  ),
  level: 1,
};
