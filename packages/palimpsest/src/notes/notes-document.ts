/**
 * Parses the notes file into parts, formats parts as a file, and changes the bodies of its sections.
 *
 * A part is a heading with the text below it; all parts joined are the file byte for byte. Parts that the template
 * knows are sections; all others (text above the first heading, sections of a person, a second title of the same
 * name) stay unchanged. An update changes bodies of sections and nothing else: there is no way to change a heading.
 *
 * Limits are given in tokens; the caller scales them to the window. A section is measured without its
 * heading, the document as a whole.
 */
import { isBlank, type MarkdownLine, readLines, splitLines } from "../base/text/markdown-lines.ts";
import { estimateText } from "../tokens/estimate/character-automaton.ts";
import {
  descriptionBelow,
  NOTES_TEMPLATE,
  type NotesSection,
  type NotesTemplate,
  titleKey,
} from "./template.ts";

export interface NotesPart {
  /** The line of the heading with its end; empty above the first heading. */
  readonly heading: string;
  /** The line in italics with its end, and the blank lines above it; empty where there is none. */
  readonly description: string;
  /** The rest, byte for byte. */
  readonly body: string;
  /** The template's section; absent for a person's own text. */
  readonly section?: NotesSection;
}

export interface NotesDocument {
  readonly template: NotesTemplate;
  readonly parts: readonly NotesPart[];
  /** The line end of the file. */
  readonly newline: string;
  /** True if a fence opens and never closes: then no new fence may be written. */
  readonly hasOpenFence: boolean;
}

/** Parses any text as notes. Never throws; {@link formatNotes} returns the same text. */
export function parseNotes(text: string, template: NotesTemplate = NOTES_TEMPLATE): NotesDocument {
  const lines = readLines(text);
  const known = new Map(template.sections.map((section) => [titleKey(section.title), section]));
  const starts = lines.flatMap(({ heading }, index) =>
    heading !== undefined && heading.level <= template.level ? [index] : [],
  );
  const parts: NotesPart[] = [{ heading: "", description: "", body: joined(lines, 0, starts[0]) }];
  starts.forEach((start, order) => {
    const { level, title } = lines[start]!.heading!;
    const key = titleKey(title);
    const section = known.get(key);
    if (section?.level !== level) {
      parts.push({
        heading: joined(lines, start, start + 1),
        description: "",
        body: joined(lines, start + 1, starts[order + 1]),
      });
      return;
    }
    // The first part of its title is the section; a second one is a person's text.
    known.delete(key);
    const described = descriptionIndex(lines, start, section) ?? start;
    parts.push({
      heading: joined(lines, start, start + 1),
      description: joined(lines, start + 1, described + 1),
      body: joined(lines, described + 1, starts[order + 1]),
      section,
    });
  });
  const newline = lines[0]?.ending.startsWith("\r") ? "\r\n" : "\n";
  return { template, parts, newline, hasOpenFence: lines.some(({ isOpenFence }) => isOpenFence) };
}

/** The file's text. */
export function formatNotes({ parts }: NotesDocument): string {
  return parts.map(({ heading, description, body }) => heading + description + body).join("");
}

/** True if nothing has been noted: the document holds the template's text, or less. */
export function isEmptyTemplate(document: NotesDocument): boolean {
  const blank = parseNotes(document.template.text, document.template);
  const own = new Set(blank.parts.filter(({ section }) => section === undefined).map(wholePart));
  return document.parts.every((part) => {
    if (part.section === undefined) return wholePart(part) === "" || own.has(wholePart(part));
    const body = part.body.trim();
    return body === "" || sameLines(body) === sameLines(part.section.body);
  });
}

/** The part that holds a section. */
export function findSection(document: NotesDocument, section: NotesSection): NotesPart | undefined {
  return document.parts.find((part) => part.section?.title === section.title);
}

/** The section that a title means, in any spelling that {@link titleKey} makes equal. */
export function sectionByTitle(template: NotesTemplate, title: string): NotesSection | undefined {
  const key = titleKey(title);
  return template.sections.find((section) => titleKey(section.title) === key);
}

/** Replaces the body of a section. A missing section is inserted at its place in the template's order. */
export function withBody(document: NotesDocument, section: NotesSection, body: string): NotesDocument {
  const { parts, newline } = document;
  const at = parts.findIndex((part) => part.section?.title === section.title);
  if (at !== -1) {
    const part = parts[at]!;
    const lead = body === "" ? "" : missingEnd(part.heading + part.description, newline);
    return { ...document, parts: parts.with(at, { ...part, body: lead + body }) };
  }
  const place = insertionIndex(document, section);
  const part: NotesPart = {
    heading: `${"#".repeat(section.level)} ${section.title}${newline}`,
    description: section.description === "" ? "" : `${section.description}${newline}`,
    body,
    section,
  };
  const above = parts.slice(0, place).map((each) => withEnd(each, newline));
  return { ...document, parts: [...above, part, ...parts.slice(place)] };
}

/** Completes the last line of a part with a line end, so that other text can follow. */
export function withEnd(part: NotesPart, newline: string): NotesPart {
  const { heading, description, body } = part;
  const end = missingEnd(heading + description + body, newline);
  if (end === "") return part;
  if (body !== "") return { ...part, body: body + end };
  return description === ""
    ? { ...part, heading: heading + end }
    : { ...part, description: description + end };
}

/** Splits a body into its text (`core`) and the blank lines at its end (`tail`). */
export function splitBody(body: string): { readonly core: string; readonly tail: string } {
  const lines = splitLines(body);
  const count = lines.findLastIndex(({ text }) => !isBlank(text)) + 1;
  const whole = (some: typeof lines): string => some.map(({ text, ending }) => text + ending).join("");
  return { core: whole(lines.slice(0, count)), tail: whole(lines.slice(count)) };
}

/** Joins a body's parts again, with `added` between them. Lines of `added` end with `\n`, except the last. */
export function joinBody(
  { newline }: NotesDocument,
  { core, added, tail }: { readonly core: string; readonly added: string; readonly tail: string },
): string {
  if (added === "") return core + tail;
  return `${core}${missingEnd(core, newline)}${added.replaceAll("\n", newline)}${newline}${tail}`;
}

/** Returns the missing line end of a text; empty if it has one. Half an end is completed. */
function missingEnd(text: string, newline: string): string {
  if (text === "" || text.endsWith("\n")) return "";
  return text.endsWith("\r") ? "\n" : newline;
}

/**
 * Returns the index at which a missing section belongs: after the nearest earlier section of the template, else
 * before the first section, else at the end.
 */
function insertionIndex({ template, parts }: NotesDocument, section: NotesSection): number {
  const order = (part: NotesPart): number =>
    template.sections.findIndex(({ title }) => title === part.section?.title);
  const own = template.sections.findIndex(({ title }) => title === section.title);
  let before = -1;
  parts.forEach((part, index) => {
    const isEarlier = order(part) !== -1 && order(part) < own;
    if (isEarlier && (before === -1 || order(part) > order(parts[before]!))) before = index;
  });
  if (before !== -1) return before + 1;
  const first = parts.findIndex((part) => part.section !== undefined);
  return first === -1 ? parts.length : first;
}

/** Finds the description's line below a heading: the template's own line, or the first line in italics. */
function descriptionIndex(
  lines: readonly MarkdownLine[],
  heading: number,
  { description }: NotesSection,
): number | undefined {
  const next = lines[heading + 1];
  if (description !== "" && next !== undefined && next.text.trim() === description.trim()) return heading + 1;
  return descriptionBelow(lines, heading);
}

function joined(lines: readonly MarkdownLine[], from: number, to = lines.length): string {
  return lines
    .slice(from, to)
    .map(({ text, ending }) => text + ending)
    .join("");
}

const sameLines = (text: string): string => text.replace(/\r\n?/g, "\n");

function wholePart({ heading, description, body }: NotesPart): string {
  return sameLines(heading + description + body)
    .replace(/^\uFEFF/, "")
    .trim();
}

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

/** Composes the text that asks a model to shorten what is over its limit; empty if nothing is. */
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
