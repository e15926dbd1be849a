/**
 * Marking what a summary cannot know: strings that stand nowhere in the log.
 *
 * A model that summarises changes digits, completes paths and invents names. Nobody can see it in the
 * text; the log can. Marks stand behind the first place of each string, never inside code, where they
 * would be taken for the code itself: strings that stand only in fenced code are listed at the end. The next
 * summary is written from a window that shows this one, so a marked string has to be known as such again.
 */
import { FULL_COMPACT_DEFAULTS } from "../../base/defaults/compaction/full-compact.ts";
import { findLiterals, visitLiterals } from "../literals/literals.ts";

const MARK = " [unverified]";
const LIST = "Not found in the log [unverified]: ";

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
  if (left.length > 0) lines.push(...(isFenced ? ["```"] : []), "", `${LIST}${left.join(", ")}`);
  return lines.join("\n");
}

/** The literals of a marked text that carry no mark: what the log was found to hold. */
export function findVerified(marked: string): ReadonlySet<string> {
  const verified = new Set(findLiterals(marked));
  for (const line of marked.split("\n")) {
    if (!line.includes(MARK)) continue;
    for (const literal of findLiterals(line)) if (isMarked(line, literal)) verified.delete(literal);
  }
  return verified;
}

/** Marks what of `unknown` stands in the line, and takes it out of the set. */
function markLine(line: string, unknown: Set<string>): string {
  const places = new Set<number>();
  visitLiterals(line, (literal) => {
    if (!unknown.delete(literal)) return;
    const place = placeBehind(line, literal);
    if (!line.startsWith(MARK, place) && !line.startsWith(LIST)) places.add(place);
  });
  return [...places]
    .sort((one, other) => other - one)
    .reduce((marked, place) => `${marked.slice(0, place)}${MARK}${marked.slice(place)}`, line);
}

const isMarked = (line: string, literal: string): boolean =>
  line.startsWith(LIST) || line.startsWith(MARK, placeBehind(line, literal));

/** Where the mark of a string stands: behind it, and behind the code and the quotation marks that it stands in. */
function placeBehind(line: string, literal: string): number {
  let end = findWhole(line, literal) + literal.length;
  const isInCode = (line.slice(0, end).split("`").length - 1) % 2 === 1;
  if (isInCode) end = Math.max(end, line.indexOf("`", end));
  while (end < line.length && /[`"'*_)\]]/.test(line[end]!)) end++;
  return end;
}

/** The first place where the string stands by itself and not as a part of another one. */
function findWhole(line: string, literal: string): number {
  for (let at = line.indexOf(literal); at !== -1; at = line.indexOf(literal, at + 1))
    if (!isPartOfName(line[at - 1]) && !isPartOfName(line[at + literal.length])) return at;
  return line.indexOf(literal);
}

const isPartOfName = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_]/u.test(character);
