/**
 * Columns that a text takes in a terminal, and cutting it to as many.
 */

const SEGMENTS = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Characters that terminals draw two columns wide: East Asian letters, and emoji. Source: Unicode's East Asian Width, W and F. */
const WIDE =
  /[\u1100-\u115F\u231A\u231B\u2329\u232A\u23E9-\u23EC\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F1E6}-\u{1F1FF}\u{1F300}-\u{1F64F}\u{1F680}-\u{1F6FF}\u{1F900}-\u{1FAFF}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}|\uFE0F/u;

/** Nearly every text is letters of one column each. */
const NARROW_ONLY = /^[\u0020-\u007E\u00A1-\u02FF\u2010-\u2027\u2030-\u205E]*$/;

/** Columns of a text without colours. */
export function columnsOf(text: string): number {
  if (NARROW_ONLY.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of SEGMENTS.segment(text)) columns += widthOf(segment);
  return columns;
}

/** The text in at most `columns`, with an ellipsis where something was left out. */
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

function widthOf(segment: string): number {
  return WIDE.test(segment) ? 2 : 1;
}
