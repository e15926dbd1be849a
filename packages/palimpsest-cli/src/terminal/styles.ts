/**
 * Styles of terminal text: colours, wrapping, and escaping of text from files before it reaches a terminal.
 */
import { showHidden } from "palimpsest/internal";

/** Marks up a text; `plain` styles return it as it is. */
export interface Styles {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly blue: (text: string) => string;
  readonly magenta: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const ESCAPE = "\u001b[";

/** Select Graphic Rendition: what switches a style on, and what switches just that one off. */
const CODES: Readonly<Record<keyof Styles, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
};

export function createStyles({ isColored }: { readonly isColored: boolean }): Styles {
  const style = (name: keyof Styles) => (text: string) => {
    const [on, off] = CODES[name];
    return isColored && text !== "" ? `${ESCAPE}${on}m${text}${ESCAPE}${off}m` : text;
  };
  return {
    bold: style("bold"),
    dim: style("dim"),
    red: style("red"),
    green: style("green"),
    yellow: style("yellow"),
    blue: style("blue"),
    magenta: style("magenta"),
    cyan: style("cyan"),
  };
}

/** Width of a text without its colours, in columns. Correct for the characters of reports. */
export function widthOf(text: string): number {
  return [...text.replace(/\u001b\[[0-9;]*m/g, "")].length;
}

/** Fills up with blanks to `columns`. */
export function padEnd(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}

/**
 * Lines of at most `columns`, broken between words, behind `first` and, from the second on, behind
 * as many blanks. A word longer than a line stays whole.
 */
export function wrapWords(first: string, text: string, columns: number): readonly string[] {
  const indent = " ".repeat(widthOf(first));
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(" ")) {
    if (!isEmpty && widthOf(line) + 1 + widthOf(word) > columns) {
      lines.push(line);
      line = indent + word;
    } else line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}

/**
 * A text from a file as it may be shown: on one line, without control characters. A recording or a
 * file name can hold sequences that repaint the screen or retitle the window.
 */
export function printable(text: string): string {
  // C0, DEL and C1 controls, line and paragraph separators, and what reverses the reading direction.
  const calm = text
    .replace(/\s+/g, " ")
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\uFFFD");
  return showHidden(calm);
}
