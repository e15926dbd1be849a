/**
 * Parts of a file: consecutive lines with their numbers, as readings and the answers of edits show them, and how they
 * are laid over each other.
 */

import { commandOf } from "../shared/tool-kinds.ts";
import { findNumberedLines, goesOn } from "./numbered-lines.ts";
import type { FileUse } from "./restore-uses.ts";

/** Consecutive lines; `first` is the number of the first one. */
export interface FilePart {
  readonly first: number;
  readonly lines: readonly string[];
}

/** Lines from one to another, both included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** Lines of Gemini CLI above a part of a file. */
const PART_HEADER =
  /^\s*IMPORTANT: The file content has been truncated\.\nStatus: Showing lines (\d{1,9})-[\s\S]{0,1000}?\n--- FILE CONTENT \(truncated\) ---\n/;
/** The end of a text that holds its last lines. */
const CLOSING_CHARACTERS = 1_000;
/** Largest text that is folded. Larger ones are data that an agent does not read again as a whole. */
export const FOLDED_CHARACTERS = 2_000_000;

/** The lines of a part before a range, and those behind it, which move by `shift`. */
export function aroundLines(
  { first, lines }: FilePart,
  range: LineRange,
  shift: number,
): readonly FilePart[] {
  const before = lines.slice(0, Math.max(0, range.first - first));
  const behind = lines.slice(Math.max(0, range.last + 1 - first));
  const parts = [
    { first, lines: before },
    { first: Math.max(first, range.last + 1) + shift, lines: behind },
  ];
  return parts.filter((part) => part.lines.length > 0);
}

export function rangeOf({ first, lines }: FilePart): LineRange {
  return { first, last: first + lines.length - 1 };
}

export function placesInPart({ lines }: FilePart, wanted: string): readonly number[] {
  const text = lines.join("\n");
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length))
    places.push(at);
  return places;
}

export const countLineEnds = (text: string): number => text.split("\n").length - 1;

export function linesOfFile(text: string): readonly string[] {
  const lines = text.replace(/\r\n/g, "\n").split("\n");
  if (lines.at(-1) === "" && lines.length > 1) lines.pop();
  return lines;
}

/** Returns the lines around a change, where the answer of the tool shows them with their numbers. */
export function shownByEdit(text: string): FilePart | undefined {
  if (text.length > FOLDED_CHARACTERS) return undefined;
  return findNumberedLines(linesOfFile(text));
}

/** True if the tool says that the file has more lines than it showed. */
export const isCutShort = (text: string): boolean =>
  PART_HEADER.test(text) || goesOn(linesOfFile(text.slice(-CLOSING_CHARACTERS)));

/** Returns the lines that a reading showed, with their place; `undefined` if the place is unknown. */
export function partOfReading(text: string, { first, input }: FileUse): FilePart | undefined {
  if (text.length > FOLDED_CHARACTERS || text.trim() === "") return undefined;
  const header = PART_HEADER.exec(text);
  if (header !== null) return { first: Number(header[1]), lines: linesOfFile(text.slice(header[0].length)) };
  const lines = linesOfFile(text);
  const numbered = findNumberedLines(lines);
  if (numbered !== undefined) return numbered;
  const isPlaced = first !== undefined || commandOf(input) === undefined;
  return isPlaced ? { first: first ?? 1, lines } : undefined;
}

/** Lays `part` over the known parts: its lines replace older ones of the same number. */
export function overlay(parts: readonly FilePart[], part: FilePart): readonly FilePart[] {
  const end = part.first + part.lines.length;
  const rest = parts.flatMap((old): readonly FilePart[] => {
    const oldEnd = old.first + old.lines.length;
    const before = old.lines.slice(0, Math.max(0, part.first - old.first));
    const after = old.lines.slice(Math.max(0, end - old.first));
    return [
      ...(before.length === 0 ? [] : [{ first: old.first, lines: before }]),
      ...(after.length === 0 || oldEnd <= end ? [] : [{ first: Math.max(old.first, end), lines: after }]),
    ];
  });
  const joined: { first: number; lines: string[] }[] = [];
  for (const one of [...rest, part].sort((left, right) => left.first - right.first)) {
    const last = joined.at(-1);
    if (last !== undefined && last.first + last.lines.length === one.first)
      for (const line of one.lines) last.lines.push(line);
    else joined.push({ first: one.first, lines: [...one.lines] });
  }
  return joined;
}
