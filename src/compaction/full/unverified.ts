/**
 * Marking what a summary cannot know: strings that stand nowhere in the log.
 *
 * A model that summarises changes digits, completes paths and invents names. Nobody can see it in the
 * text; the log can. Marks stand behind the first place of each string, never inside fenced code, where
 * they would be taken for the code itself: strings that stand only there are listed at the end.
 */
import { FULL_COMPACT_DEFAULTS } from "../../base/defaults/full-compact.ts";
import { visitLiterals } from "../literals.ts";

const MARK = " [unverified]";

/** The text with its marks. */
export function markUnverified(text: string, isInLog: (literal: string) => boolean): string {
  const unknown = new Set<string>();
  visitLiterals(text, (literal, kind) => {
    if (unknown.size >= FULL_COMPACT_DEFAULTS.unverifiedMarksCount) return;
    const isShortNumber = kind === "number" && literal.replace(/\D/g, "").length < 4;
    if (!isShortNumber && !isInLog(literal)) unknown.add(literal);
  });
  if (unknown.size === 0) return text;
  const lines: string[] = [];
  let isFenced = false;
  for (const line of text.split("\n")) {
    if (/^\s*(?:```|~~~)/.test(line)) isFenced = !isFenced;
    lines.push(isFenced ? line : markLine(line, unknown));
  }
  const left = [...unknown].map((literal) => `\`${literal.replaceAll("`", "'")}\``);
  if (left.length > 0) lines.push("", `Not found in the log [unverified]: ${left.join(", ")}`);
  return lines.join("\n");
}

/** Marks what of `unknown` stands in the line, and takes it out of the set. */
function markLine(line: string, unknown: Set<string>): string {
  const places: number[] = [];
  visitLiterals(line, (literal) => {
    if (!unknown.delete(literal)) return;
    const at = line.indexOf(literal);
    if (at !== -1) places.push(afterMarks(line, at + literal.length));
  });
  return places
    .sort((one, other) => other - one)
    .reduce((marked, place) => `${marked.slice(0, place)}${MARK}${marked.slice(place)}`, line);
}

/** Behind the quotation marks that close a string. */
function afterMarks(line: string, place: number): number {
  let end = place;
  while (end < line.length && /[`"'*_)\]]/.test(line[end]!)) end++;
  return end;
}
