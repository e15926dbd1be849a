/**
 * Cleans text of a model, a tool or a log for notes that are read back as context.
 *
 * It may hold keys, invisible characters, and headings and tags that imitate the file's or the host's own.
 * Keys are removed; the rest is escaped so that it reads the same and has no effect. Text that a person wrote
 * into the file never passes through here.
 */
import { redactBroken } from "../base/redaction/broken-secrets.ts";
import { showHidden, writeOutRoleMarks } from "../base/text/hidden-characters.ts";
import { isBlank, readLines } from "../base/text/markdown-lines.ts";
import { shorten, toWellFormed } from "../base/text/text.ts";
import { isItalicLine } from "./template.ts";

interface CleanFor {
  /** Headings down to this level would open a section; deeper ones may stay. */
  readonly level: number;
  /** True if fenced code may stay; false if the file has an unclosed fence, which would end here. */
  readonly mayFence: boolean;
  /** True if the section has its description in italics; without it, the body's first line would pass for it. */
  readonly hasDescription: boolean;
}

/** A comment would hide the text after it in a rendered page; the marks of our own lines may stay. */
const COMMENT = /<!--(?!log:[0-9a-f]{6}-->)/g;
/** A long run of blank lines. It has hardly any tokens, so no limit in tokens would cut it. */
const BLANK_LINES = /\n(?:[ \t]*\n){3,}/g;
/** A line of equals signs makes a heading of the line above it. */
const UNDERLINE = /^ {0,3}=+[ \t]*$/;

/** Cleans text of several lines for the body of a section. Returns an empty string if nothing is left. */
export function cleanBody(text: string, { level, mayFence, hasDescription }: CleanFor): string {
  const lines = readLines(cleanCharacters(text));
  const cleaned = lines.map(({ text: line, heading, isFenced, isOpenFence }) => {
    if (isFenced && mayFence) return line;
    // Fenced code that never closes, or may not stay, is read as ordinary lines.
    const isBrokenFence = isOpenFence || isFenced;
    if (isBrokenFence && /^ {0,3}(?:`{3}|~{3})/.test(line)) return escaped(line);
    if ((heading !== undefined || isBrokenFence) && headingLevel(line) <= level) return escaped(line);
    return UNDERLINE.test(line) ? escaped(line) : line;
  });
  const isContent = (line: string): boolean => !isBlank(line);
  const first = cleaned.findIndex(isContent);
  const body = first === -1 ? [] : cleaned.slice(first, cleaned.findLastIndex(isContent) + 1);
  return guardFirstLine(body.join("\n"), hasDescription);
}

/** Escapes an italic first line of a section without a description, so that it does not pass for one. */
export function guardFirstLine(text: string, hasDescription: boolean): string {
  return !hasDescription && isItalicLine(text.split("\n", 1)[0]!) ? escaped(text) : text;
}

/** Cleans text into one line, at most `characters` long. Returns an empty string if nothing is left. */
export function cleanLine(text: string, characters: number): string {
  // Keys are removed before the line is cut: the patterns do not recognize half a key.
  const line = cleanCharacters(text).replace(COMMENT_MARK, "").replace(/\s+/g, " ").trim();
  return shorten(line, characters);
}

const COMMENT_MARK = /<!--log:[0-9a-f]{6}-->/g;

/** Cleans text that replaces a part of a body. Callers check for new headings, which depend on the text around it. */
export function cleanFragment(text: string): string {
  return cleanCharacters(text)
    .split("\n")
    .map((line) => (UNDERLINE.test(line) ? escaped(line) : line))
    .join("\n");
}

/** Removes secrets, and writes out hidden characters and role tags; line ends become `\n`. */
function cleanCharacters(text: string): string {
  const plain = toWellFormed(text).replace(/\r\n?/g, "\n").replace(BLANK_LINES, "\n\n\n");
  const shown = showHidden(plain);
  return writeOutRoleMarks(redactBroken(shown).text).replace(COMMENT, "&lt;!--");
}

function headingLevel(line: string): number {
  const marks = /^ {0,3}(#{1,6})(?:[ \t]|$)/.exec(line)?.[1];
  return marks === undefined ? Number.POSITIVE_INFINITY : marks.length;
}

/** Escapes the first mark of a line, so that it is an ordinary character. */
function escaped(line: string): string {
  return line.replace(/^([ \t]*)/, "$1\\");
}
