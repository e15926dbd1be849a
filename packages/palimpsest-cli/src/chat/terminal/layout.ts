/** Room and colours that lines are drawn with, and breaking lines that are too long for it. */
import { columnsOf, wrapWords } from "../../terminal/columns.ts";
import type { Styles } from "../../terminal/styles.ts";

/** The width and the colours of lines. */
export interface Layout {
  readonly columns: number;
  readonly styles: Styles;
}

/** Draws lines of at most `columns`. */
export type Show = (layout: Layout) => readonly string[];

/** A line in several, each of at most `columns`: broken between words, long words anywhere; indented as the first one is. */
export function wrapLine(line: string, columns: number): readonly string[] {
  const indent = /^ */.exec(line)?.[0] ?? "";
  return wrapWords(indent, line.slice(indent.length), columns).flatMap((part) => breakWord(part, columns));
}

/** Texts without blanks, such as Chinese, are broken between letters. */
function breakWord(line: string, columns: number): readonly string[] {
  if (columnsOf(line) <= columns) return [line];
  const lines = [""];
  for (const { segment } of LETTERS.segment(line)) {
    const longer = `${lines.at(-1)}${segment}`;
    if (lines.at(-1) !== "" && columnsOf(longer) > columns) lines.push(segment);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

const LETTERS = new Intl.Segmenter("en", { granularity: "grapheme" });
