/**
 * Widths of texts in terminal columns: measuring, cutting, filling up, and breaking into lines. Colours take no column.
 */
import { stripVTControlCharacters } from "node:util";

const SEGMENTS = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Characters that terminals draw two columns wide: East Asian letters and signs, and emoji. */
const WIDE = new RegExp(
  [
    "[\\p{Script=Han}\\p{Script=Hangul}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Bopomofo}\\p{Script=Yi}]",
    // CJK punctuation and signs, full-width forms.
    "[\\u2329\\u232A\\u3000-\\u33FF\\uFE30-\\uFE6F\\uFF01-\\uFF60\\uFFE0-\\uFFE6]",
    "\\p{Emoji_Presentation}|\\p{Extended_Pictographic}\\uFE0F|[\\u{1F000}-\\u{1FAFF}]",
  ].join("|"),
  "u",
);

/** Half-width forms and jamo inside a syllable are of these scripts, but narrow. */
const NARROW = /^[\u1160-\u11FF\uD7B0-\uD7FF\uFF61-\uFFDC]/;

/** Nearly every text is letters of one column each. */
const NARROW_ONLY = /^[\u0020-\u007E\u00A1-\u02FF\u2010-\u2027\u2030-\u205E]*$/;

const ANSI_START = "\u001b";

/** Columns of a text. */
export function columnsOf(text: string): number {
  if (NARROW_ONLY.test(text)) return text.length;
  let columns = 0;
  const plain = text.includes(ANSI_START) ? stripVTControlCharacters(text) : text;
  for (const { segment } of SEGMENTS.segment(plain)) columns += widthOf(segment);
  return columns;
}

/** The text in at most `columns`, with an ellipsis where something was left out. It has no colours. */
export function cutToColumns(text: string, columns: number): string {
  if (text.length <= columns && NARROW_ONLY.test(text)) return text;
  let used = 0;
  let cutAt = 0;
  for (const { segment, index } of SEGMENTS.segment(text)) {
    const width = widthOf(segment);
    if (used + width > columns) return columns < 1 ? "" : `${text.slice(0, cutAt)}…`;
    used += width;
    // Where it may be cut so that the ellipsis still fits.
    if (used < columns) cutAt = index + segment.length;
  }
  return text;
}

/** Fills up with blanks to `columns`. */
export function padColumns(text: string, columns: number, { atStart = false } = {}): string {
  const blanks = " ".repeat(Math.max(0, columns - columnsOf(text)));
  return atStart ? blanks + text : text + blanks;
}

/**
 * Lines of at most `columns`, broken between words, behind `first` and, from the second on, behind
 * as many blanks. A word longer than a line stays whole.
 */
export function wrapWords(first: string, text: string, columns: number): readonly string[] {
  const indent = " ".repeat(columnsOf(first));
  const [word = "", ...words] = text.split(" ");
  const lines = [first + word];
  for (const next of words) {
    const line = `${lines.at(-1)} ${next}`;
    if (columnsOf(line) > columns) lines.push(indent + next);
    else lines[lines.length - 1] = line;
  }
  return lines;
}

function widthOf(segment: string): number {
  return WIDE.test(segment) && !NARROW.test(segment) ? 2 : 1;
}
