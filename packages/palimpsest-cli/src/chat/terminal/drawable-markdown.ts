/**
 * Says which Markdown is drawn as such. The parser takes quadratic or cubic time in one paragraph of many open marks, and
 * recurses into quotes and lists: a few kilobytes of a model's answer would hold the screen for minutes, or end the program.
 */

/** Marks that may open something, in one paragraph. Our choice: the worst of so many take a tenth of a second. */
const MOST_MARKS = 600;
/** Characters of one paragraph. Our choice: half a second at the worst. */
const LONGEST_PARAGRAPH = 20_000;
/** Quotes and lists within each other, on one line. Our choice: more than people write. */
const DEEPEST = 30;

const MARKS = /[[\](*_<&"~]/g;
/** Code begins, if the line is not within something else: an indented one may be part of a list that ends before it. */
const FENCE = /^(`{3,}(?=[^`]*$)|~{3,})/;
/** The beginning of HTML or of a link's address: either may go on over lines, so a fence after it may be none. */
const UNSURE = /^ {0,3}(?:<|\[[^\]]{0,999}\]:)/;
/** The text of such a line is parsed by itself, with the lines that continue it. */
const NEW_PARAGRAPH = /^\s*(?:$|[|#>]|[-*+] |\d{1,9}[.)] )/;
const TOO_DEEP = new RegExp(
  String.raw`^(?:[ \t]{0,3}(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))[ \t]?){${DEEPEST}}`,
);
/** A list within so many lists, by its blanks. Our choice, as above. */
const FAR_IN = new RegExp(String.raw`^[ \t]{${4 * DEEPEST}}[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])`);

/** True if the parser takes this text in little time. */
export function isDrawable(text: string): boolean {
  let marksCount = 0;
  let characters = 0;
  let fence: string | undefined;
  let isUnsure = false;
  for (const line of text.split("\n")) {
    if (fence !== undefined) {
      if (endsCode(line, fence)) fence = undefined;
      continue;
    }
    isUnsure ||= UNSURE.test(line);
    if (!isUnsure) fence = FENCE.exec(line)?.[1];
    if (fence === undefined) {
      if (TOO_DEEP.test(line) || FAR_IN.test(line)) return false;
      if (NEW_PARAGRAPH.test(line)) [marksCount, characters] = [0, 0];
      marksCount += line.match(MARKS)?.length ?? 0;
      characters += line.length;
      if (marksCount > MOST_MARKS || characters > LONGEST_PARAGRAPH) return false;
    }
  }
  return true;
}

/** True for the marks that code began with, alone on their line. */
function endsCode(line: string, fence: string): boolean {
  const marks = line.trim();
  return /^ {0,3}\S/.test(line) && marks.startsWith(fence) && /^[`~]+$/.test(marks);
}
