/**
 * Fits a memory index into its limits of lines and bytes.
 *
 * `fitIndex` is for writing: it removes the least valuable lines. `showIndex` is for reading: it cuts the end and
 * adds a warning. Cutting the end of our own index would remove the newest lines, and corrections with them. So the
 * value decides, and among equals the upper line, which is usually older, goes. Headings and people's text are never
 * removed; if they alone exceed the limit, the index stays as it is and the warning says so.
 */
import { MEMORY_FILES_DEFAULTS } from "../../base/defaults/memory/files.ts";
import { showOnOneLine } from "../../base/text/hidden-characters.ts";
import { type MarkdownLine, splitLines } from "../../base/text/markdown-lines.ts";
import { shorten, utf8Bytes } from "../../base/text/text.ts";
import { type IndexEntry, parseIndex } from "./index-entries.ts";
import { withoutEntries } from "./memory-index.ts";

/** Paths that a warning about the index names one by one. Our choice: more are a list that no one reads. */
const NAMED_PATHS_COUNT = 10;
/** Share of either limit from which on a writer is warned. Our choice: some twenty memories before the first one loses its line. */
const NEAR_INDEX_SHARE = 0.9;

interface IndexLimits {
  readonly lines: number;
  readonly bytes: number;
}

interface IndexSize {
  readonly linesCount: number;
  readonly bytes: number;
}

const LIMITS: IndexLimits = {
  lines: MEMORY_FILES_DEFAULTS.indexLines,
  bytes: MEMORY_FILES_DEFAULTS.indexBytes,
};

interface FittedIndex extends IndexSize {
  readonly text: string;
  /** Removed lines, the least valuable first. The memories themselves stay. */
  readonly evicted: readonly IndexEntry[];
  /** Set if lines had to go, the index is nearly full, or it cannot be made to fit. */
  readonly warning: string | undefined;
}

/** Removes the least valuable lines until the index fits. @param scoreOf - lines with a higher score are kept longer */
export function fitIndex(
  text: string,
  scoreOf: (entry: IndexEntry) => number,
  limits: IndexLimits = LIMITS,
): FittedIndex {
  const before = indexSize(text);
  if (isWithin(before, limits)) return { text, ...before, evicted: [], warning: nearWarning(before, limits) };

  const { lines, entries } = parseIndex(text);
  const size = { ...before };
  const evicted: IndexEntry[] = [];
  const order = entries.map((entry) => ({ entry, score: comparable(scoreOf(entry)) }));
  order.sort((one, other) => one.score - other.score || one.entry.fromLine - other.entry.fromLine);
  for (const { entry } of order) {
    if (isWithin(size, limits)) break;
    evicted.push(entry);
    size.linesCount -= entry.toLine - entry.fromLine;
    size.bytes -= bytesOf(lines.slice(entry.fromLine, entry.toLine));
  }
  // The index is too large even without memories, so removing their lines would gain nothing.
  if (!isWithin(size, limits)) return { text, ...before, evicted: [], warning: proseWarning(before, limits) };
  const fitted = withoutEntries(lines, evicted);
  return { text: fitted, ...indexSize(fitted), evicted, warning: evictedWarning(evicted, limits) };
}

interface ShownIndex extends IndexSize {
  /** The text for a model, with the warning. */
  readonly text: string;
  /** `undefined` if the whole index is shown. */
  readonly warning: string | undefined;
  /** Files whose line is not shown. */
  readonly leftOut: readonly string[];
}

/** Returns an index as a model sees it: the lines that fit, and a warning if some do not. */
export function showIndex(text: string): ShownIndex {
  const size = indexSize(text);
  if (isWithin(size, LIMITS)) return { text, ...size, warning: undefined, leftOut: [] };
  const lines = splitLines(text);
  let shownCount = 0;
  let shownBytes = 0;
  for (const line of lines.slice(0, LIMITS.lines)) {
    const bytes = bytesOf([line]);
    if (shownBytes + utf8Bytes(line.text) > LIMITS.bytes) break;
    shownBytes += bytes;
    shownCount++;
  }
  const shown = lines.slice(0, shownCount).map((line) => line.text + line.ending);
  // Not even the first line fits.
  if (shownCount === 0) shown.push(cutBytes(lines[0]?.text ?? "", LIMITS.bytes));
  const isLost = ({ fromLine }: IndexEntry): boolean => fromLine >= shownCount;
  const lost = parseIndex(text).entries.filter(isLost);
  const warning = cutWarning(size, { fromLine: shownCount + 1, lost });
  return {
    text: `${shown.join("").trimEnd()}\n\n> ${warning}\n`,
    ...size,
    warning,
    leftOut: lost.map(({ file }) => file),
  };
}

/** Counts the lines and bytes of an index. */
export function indexSize(text: string): IndexSize {
  return { linesCount: splitLines(text).length, bytes: utf8Bytes(text) };
}

function isWithin({ linesCount, bytes }: IndexSize, limits: IndexLimits): boolean {
  return linesCount <= limits.lines && bytes <= limits.bytes;
}

function bytesOf(lines: readonly Pick<MarkdownLine, "text" | "ending">[]): number {
  return lines.reduce((sum, { text, ending }) => sum + utf8Bytes(text) + ending.length, 0);
}

/** Ranks a score that is not a number below all others. */
function comparable(score: number): number {
  return Number.isNaN(score) ? Number.NEGATIVE_INFINITY : score;
}

function cutBytes(text: string, bytes: number): string {
  let end = 0;
  let left = bytes;
  for (const character of text) {
    left -= utf8Bytes(character);
    if (left < 0) break;
    end += character.length;
  }
  return text.slice(0, end);
}

function nearWarning(size: IndexSize, limits: IndexLimits): string | undefined {
  const isNear =
    size.linesCount > limits.lines * NEAR_INDEX_SHARE || size.bytes > limits.bytes * NEAR_INDEX_SHARE;
  if (!isNear) return undefined;
  return `The index is nearly full: ${sized(size)} of ${limited(limits)}. When it is full, the least relevant memories lose their lines.`;
}

function evictedWarning(evicted: readonly IndexEntry[], limits: IndexLimits): string {
  const [lines, lost, stay] =
    evicted.length === 1
      ? ["1 memory", "its line", "The memory stays and is"]
      : [`${evicted.length} memories`, "their lines", "The memories stay and are"];
  return `The index holds ${limited(limits)} at most: ${lines} lost ${lost} (${named(evicted)}). ${stay} found by searching.`;
}

function proseWarning(size: IndexSize, limits: IndexLimits): string {
  return `The index has ${sized(size)}, and readers see ${limited(limits)} at most. Text that does not list a memory takes too much of it and was left as it is: move that text into other files.`;
}

function cutWarning(
  size: IndexSize,
  { fromLine, lost }: { readonly fromLine: number; readonly lost: readonly IndexEntry[] },
): string {
  const memories =
    lost.length === 0 ? "" : `, with ${counted(lost.length, "memory", "memories")} (${named(lost)})`;
  const lines =
    fromLine >= size.linesCount ? `line ${size.linesCount}` : `lines ${fromLine} to ${size.linesCount}`;
  return (
    `WARNING: this index has ${sized(size)}; at most ${limited(LIMITS)} are shown. Left out: ${lines}${memories}. ` +
    `The files are there and can be read and searched. To have all of it shown, keep one line of at most ` +
    `${MEMORY_FILES_DEFAULTS.indexLineCharacters} characters for each memory and move details into its file.`
  );
}

function named(entries: readonly IndexEntry[]): string {
  const names = entries.slice(0, NAMED_PATHS_COUNT).map(({ file }) => shorten(showOnOneLine(file), 80));
  const more = entries.length - names.length;
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function sized({ linesCount, bytes }: IndexSize): string {
  return `${counted(linesCount, "line", "lines")} and ${counted(bytes, "byte", "bytes")}`;
}

function limited(limits: IndexLimits): string {
  return sized({ linesCount: limits.lines, bytes: limits.bytes });
}

/** Formats a count with commas between thousands, and its noun. */
function counted(count: number, one: string, many: string): string {
  return `${String(count).replace(/\B(?=(?:\d{3})+$)/g, ",")} ${count === 1 ? one : many}`;
}
