/**
 * An excerpt of a file within a budget: the newest lines read or changed first, then the rest from the top. A
 * mark shows each gap.
 */
import { firstIndex } from "../../base/lists.ts";
import type { Steps } from "../../base/steps.ts";
import { cutHead } from "../../base/text/text.ts";
import { type Measure, measureText } from "../shared/measure.ts";
import type { FileContent } from "./restore-content.ts";
import { type FilePart, type LineRange, rangeOf } from "./restore-parts.ts";

/** Largest gap between two shown parts, in lines, that is shown as well: a mark would cost as much. Our choice. */
const BRIDGED_LINES = 4;

interface FileExcerpt {
  /** Lines of the file, with a line in brackets where some are left out; empty where nothing fits. */
  readonly text: string;
  /** Something that is known is not shown. */
  readonly isCut: boolean;
}

/** Most attempts, each with a smaller budget: the whole text may measure more than the sum of its lines. */
const PASSES = 4;

/** `isPartsInUse`: shows only the parts that were read or changed, if there are any. */
export function* excerptOf(
  content: FileContent,
  budgetTokens: number,
  measure: Measure,
  isPartsInUse = false,
): Steps<FileExcerpt> {
  const isOnlyInUse = isPartsInUse && content.inUse.length > 0;
  const ranges = isOnlyInUse ? content.inUse : [...content.inUse, ...content.parts.map(rangeOf)];
  let availableTokens = budgetTokens;
  for (let pass = 0; pass < PASSES; pass++) {
    const excerpt = yield* fill({ ...content, inUse: ranges }, availableTokens, measure);
    const tokens = measureText(excerpt.text, measure);
    if (tokens <= budgetTokens) return excerpt;
    availableTokens -= (tokens - budgetTokens) * 1.2 + 8;
    yield;
  }
  return { text: "", isCut: true };
}

/** Shows what lies in `inUse`. */
function* fill(content: FileContent, budgetTokens: number, measure: Measure): Steps<FileExcerpt> {
  const blank = measureText("", measure);
  const sizeOf = (text: string): number => Math.max(0, measureText(`${text}\n`, measure) - blank);
  const loose = fillLoose(content.loose, budgetTokens / 2, sizeOf);
  const lines = linesByNumber(content.parts);
  const availableTokens = budgetTokens - blank - loose.tokens;
  const chosen = yield* choose(lines, content.inUse, availableTokens, sizeOf);
  const shown = bridge(
    [...chosen].sort((left, right) => left - right),
    lines,
  );
  const isCut = shown.length < lines.size || loose.isCut;
  const body =
    shown.length === 0
      ? oneLongLine(lines, availableTokens, sizeOf)
      : withGaps(shown, lines, content.isWhole);
  return { text: [...loose.texts, body].filter((text) => text !== "").join("\n"), isCut };
}

function fillLoose(
  loose: readonly string[],
  budgetTokens: number,
  sizeOf: (text: string) => number,
): { readonly texts: readonly string[]; readonly tokens: number; readonly isCut: boolean } {
  const texts: string[] = [];
  let tokens = 0;
  for (const text of loose) {
    const noted = `[put in by a change whose place is not known:]\n${text}\n[end of it]`;
    const size = sizeOf(noted);
    if (tokens + size > budgetTokens) continue;
    tokens += size;
    texts.push(noted);
  }
  return { texts, tokens, isCut: texts.length < loose.length };
}

function linesByNumber(parts: readonly FilePart[]): ReadonlyMap<number, string> {
  const lines = new Map<number, string>();
  for (const { first, lines: own } of parts) {
    let number = first;
    for (const line of own) lines.set(number++, line);
  }
  return lines;
}

/** Returns the number of the last line. Lines were inserted in order, so it is the last key. */
function lastLine(lines: ReadonlyMap<number, string>): number {
  let last = 0;
  for (const number of lines.keys()) last = number;
  return last;
}

/** Lines that are measured in one step. */
const LINES_AT_ONCE = 256;

/** Chooses the lines that fit, range by range; the first range that does not fit ends it. */
function* choose(
  lines: ReadonlyMap<number, string>,
  ranges: readonly LineRange[],
  budgetTokens: number,
  sizeOf: (text: string) => number,
): Steps<ReadonlySet<number>> {
  const chosen = new Set<number>();
  const numbers = [...lines.keys()];
  let left = budgetTokens;
  // Only lines that are known are gone through: a range may span millions that are not.
  for (const { first, last } of ranges)
    for (
      let place = firstIndex(numbers.length, (index) => numbers[index]! >= first);
      place < numbers.length && numbers[place]! <= last;
      place++
    ) {
      const number = numbers[place]!;
      if (chosen.has(number)) continue;
      left -= sizeOf(lines.get(number)!);
      if (left < 0) return chosen;
      chosen.add(number);
      if (chosen.size % LINES_AT_ONCE === 0) yield;
    }
  return chosen;
}

/** Adds the known lines of short gaps. */
function bridge(chosen: readonly number[], lines: ReadonlyMap<number, string>): readonly number[] {
  return chosen.flatMap((number, index) => {
    const before = chosen[index - 1] ?? 0;
    if (number - before - 1 > BRIDGED_LINES) return [number];
    const between: number[] = [];
    for (let missing = before + 1; missing < number; missing++) if (lines.has(missing)) between.push(missing);
    return [...between, number];
  });
}

function withGaps(shown: readonly number[], lines: ReadonlyMap<number, string>, isWhole: boolean): string {
  const texts: string[] = [];
  let expected = 1;
  for (const number of shown) {
    if (number > expected) texts.push(gap(expected, number - 1));
    texts.push(lines.get(number)!);
    expected = number + 1;
  }
  const end = lastLine(lines);
  if (expected <= end) texts.push(gap(expected, end));
  else if (!isWhole) texts.push(`[… what follows line ${end} is not known here …]`);
  return texts.join("\n");
}

function gap(first: number, last: number): string {
  return first === last ? `[… line ${first} is not shown …]` : `[… lines ${first}-${last} are not shown …]`;
}

/** Returns the beginning of the first line if not even that line fits. */
function oneLongLine(
  lines: ReadonlyMap<number, string>,
  budgetTokens: number,
  sizeOf: (text: string) => number,
): string {
  const line = lines.values().next().value ?? "";
  const mark = "[… the rest of this line is not shown …]";
  const availableTokens = budgetTokens - sizeOf(mark);
  if (line === "" || availableTokens <= 0) return "";
  const head = cutHead(line, Math.floor((line.length * availableTokens * 0.9) / Math.max(1, sizeOf(line))));
  return head === "" ? "" : `${head}\n${mark}`;
}
