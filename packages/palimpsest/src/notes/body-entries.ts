/**
 * Splits a section's body into entries, cuts bodies to a size by whole entries, and marks the library's own lines.
 *
 * An entry is a list item with its continuation, or a paragraph; fenced code is never divided. So the
 * remaining entries read as they were written.
 */

import { fingerprint } from "../base/fingerprint.ts";
import { isBlank, readLines } from "../base/text/markdown-lines.ts";
import { cutHead } from "../base/text/text.ts";
import type { MeasureNotes } from "./notes-document.ts";

const ITEM = /^(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;

/** The body's entries, each with its line ends; put together they are the body. */
function splitEntries(body: string): readonly string[] {
  const entries: string[] = [];
  let entry = "";
  let isAfterBlank = false;
  let isInFence = false;
  for (const { text, ending, heading, isFenced } of readLines(body)) {
    const isFirst =
      !isBlank(text) &&
      !(isFenced && isInFence) &&
      (ITEM.test(text) || heading !== undefined || (isAfterBlank && !/^\s/.test(text)));
    if (isFirst && !isBlank(entry)) {
      entries.push(entry);
      entry = "";
    }
    entry += text + ending;
    isAfterBlank = isBlank(text);
    isInFence = isFenced;
  }
  return entry === "" ? entries : [...entries, entry];
}

export interface CutBody {
  readonly body: string;
  /** Number of entries that were left out or shortened. */
  readonly droppedCount: number;
}

/**
 * Cuts a body to `tokens`: keeps as many whole entries as fit, from the end if `keep` is `newest`. If not even
 * one fits, that entry is cut, and `close` completes what the cut left open.
 */
export function cutBody(
  body: string,
  tokens: number,
  {
    keep,
    measure,
    close,
  }: {
    readonly keep: "newest" | "oldest";
    readonly measure: MeasureNotes;
    /** Makes a cut text whole again: a fence may have lost its end. */
    readonly close: (text: string) => string;
  },
): CutBody {
  if (measure(body) <= tokens) return { body, droppedCount: 0 };
  const entries = splitEntries(body);
  const some = (count: number): string =>
    (keep === "newest" ? entries.slice(entries.length - count) : entries.slice(0, count)).join("");
  const count = largest(entries.length, (each) => measure(some(each)) <= tokens);
  if (count > 0) return { body: some(count), droppedCount: entries.length - count };
  const only = (keep === "newest" ? entries.at(-1) : entries[0]) ?? "";
  const characters = largest(only.length, (each) => measure(close(cutHead(only, each))) <= tokens);
  return { body: close(cutHead(only, characters)), droppedCount: entries.length };
}

/** Finds the largest whole number up to `most` that fits, by bisection: every smaller number must fit too. */
export function largest(most: number, fits: (count: number) => boolean): number {
  let low = 0;
  let high = most + 1;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

// Marks. Without a model, notes are updated from the log, and each line gets a mark at its end. The mark is a
// comment, which a rendered page does not show, with a fingerprint of the line. If a person or a model changes such a
// line, the fingerprint no longer fits, and the line is never removed again. So no state is needed beside the file,
// and a repeated update changes nothing.

const OWN = /^([^\n]*) <!--log:([0-9a-f]{6})-->$/;

/** Adds the mark to a line. */
export function markOwn(line: string): string {
  return `${line} <!--log:${markOf(line)}-->`;
}

/** True if the line is as the updater wrote it. */
export function isOwn(line: string): boolean {
  const found = OWN.exec(line);
  return found !== null && markOf(found[1]!) === found[2];
}

/** Removes the mark of a line, if it has one. */
export function withoutMark(line: string): string {
  return OWN.exec(line)?.[1] ?? line;
}

function markOf(line: string): string {
  return (fingerprint(line) % 2 ** 24).toString(16).padStart(6, "0");
}
