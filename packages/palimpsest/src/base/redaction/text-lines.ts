/** The lines of a text, also of one that JSON or a program's string writes. */

/** A longer line is not one that a person reads. Source: our choice. */
const LONGEST_LINE = 4_000;
const LINE_END = /\r?\n|(?:\\{1,8}r)?\\{1,8}n/g;

/** A stretch of a text, and its place. */
export interface TextLine {
  readonly text: string;
  readonly from: number;
}

/** The lines from a place on, without their ends. A longer line ends where it is too long. */
export function* textLines(text: string, from = 0): Iterable<TextLine> {
  LINE_END.lastIndex = from;
  let at = from;
  for (const { 0: end, index } of text.matchAll(LINE_END)) {
    yield { text: text.slice(at, Math.min(index, at + LONGEST_LINE)), from: at };
    at = index + end.length;
  }
  yield { text: text.slice(at, at + LONGEST_LINE), from: at };
}

/** Returns the beginning of the line that a place is in; in a longer line, the place itself. */
export function startOfLine(text: string, at: number): number {
  const from = Math.max(0, at - LONGEST_LINE);
  const before = text.slice(from, at);
  const end = before.lastIndexOf("\n");
  // Only behind that end: where lines are short, little is looked at.
  const written = before.slice(end + 1).lastIndexOf("\\n");
  if (written !== -1) return from + end + 1 + written + 2;
  if (end === -1) return from === 0 ? 0 : at;
  return from + end + 1;
}
