/**
 * Markdown as lines: which of them are headings, and which only look like one inside fenced code.
 *
 * A fence that is never closed is not a fence here. By the letter of Markdown it would run to the end, and
 * one forgotten mark would hide every section below it. Linear in any text.
 */

export interface MarkdownLine {
  /** The line without its end. */
  readonly text: string;
  /** `\n`, `\r\n`, and at the end of the text nothing or half of it. */
  readonly ending: string;
  /** Absent where the line is not a heading. */
  readonly heading?: { readonly level: number; readonly title: string };
  /** True if it opens, closes or is in fenced code. */
  readonly isFenced: boolean;
  /** True if it would open fenced code, were there an end to it. */
  readonly isOpenFence: boolean;
}

interface Fence {
  readonly mark: string;
  readonly length: number;
  readonly canClose: boolean;
}

const HEADING = /^ {0,3}(#{1,6})(?:[ \t]([\s\S]*))?$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})([\s\S]*)$/;

/** The text in a fence that is longer than any in it, so that no text can end it. */
export function fenced(text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** The lines of a text; their texts and endings put together are the text. */
export function readLines(text: string): readonly MarkdownLine[] {
  const raw = splitLines(text);
  const fences = raw.map(({ text: line }) => fenceOf(line));
  const closers = longestCloserBehind(fences);
  let open: Fence | undefined;
  return raw.map(({ text: line, ending }, index) => {
    const fence = fences[index];
    if (open !== undefined) {
      if (fence?.canClose === true && fence.mark === open.mark && fence.length >= open.length)
        open = undefined;
      return { text: line, ending, isFenced: true, isOpenFence: false };
    }
    if (fence !== undefined) {
      const isClosed = (closers[index]?.[fence.mark] ?? 0) >= fence.length;
      if (isClosed) open = fence;
      return { text: line, ending, isFenced: isClosed, isOpenFence: !isClosed };
    }
    const heading = headingOf(line);
    return {
      text: line,
      ending,
      isFenced: false,
      isOpenFence: false,
      heading,
    };
  });
}

/** Lines and their ends, and nothing else about them. */
export function splitLines(text: string): readonly { readonly text: string; readonly ending: string }[] {
  const lines: { readonly text: string; readonly ending: string }[] = [];
  for (let from = 0; from < text.length; ) {
    const feed = text.indexOf("\n", from);
    const stop = feed === -1 ? text.length : feed;
    // Also at the end of the text, where half of an end stands: a line more must not change this one.
    const end = stop > from && text[stop - 1] === "\r" ? stop - 1 : stop;
    const next = feed === -1 ? text.length : feed + 1;
    lines.push({ text: text.slice(from, end), ending: text.slice(end, next) });
    from = next;
  }
  return lines;
}

export function isBlank(text: string): boolean {
  return text.trim() === "";
}

function headingOf(line: string): { readonly level: number; readonly title: string } | undefined {
  const found = HEADING.exec(line.startsWith("\uFEFF") ? line.slice(1) : line);
  if (found === null) return undefined;
  const title = (found[2] ?? "").trim();
  let end = title.length;
  while (title[end - 1] === "#") end--;
  const isMark = end === 0 || /\s/.test(title[end - 1]!);
  return { level: found[1]!.length, title: isMark ? title.slice(0, end).trimEnd() : title };
}

function fenceOf(line: string): Fence | undefined {
  const found = FENCE.exec(line);
  if (found === null) return undefined;
  const mark = found[1]![0]!;
  const rest = found[2]!;
  // Backticks behind backticks are code within a line.
  if (mark === "`" && rest.includes("`")) return undefined;
  return { mark, length: found[1]!.length, canClose: isBlank(rest) };
}

/** For every line the longest closing mark behind it, by its character. */
function longestCloserBehind(
  fences: readonly (Fence | undefined)[],
): readonly Readonly<Record<string, number>>[] {
  const behind: Readonly<Record<string, number>>[] = new Array(fences.length);
  let longest: Readonly<Record<string, number>> = {};
  for (let index = fences.length - 1; index >= 0; index--) {
    behind[index] = longest;
    const fence = fences[index];
    if (fence?.canClose === true && fence.length > (longest[fence.mark] ?? 0))
      longest = { ...longest, [fence.mark]: fence.length };
  }
  return behind;
}
