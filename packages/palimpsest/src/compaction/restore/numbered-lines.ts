/**
 * Lines that a tool shows with their numbers, in the forms of the common agents.
 *
 * A list in a file has numbers as well. So a form that lists have counts only where nothing but a tool's closing lines
 * lacks a number, and for two lines or more unless a tag is around them.
 */

/** Consecutive lines without their numbers; `first` is the number of the first one. */
interface NumberedLines {
  readonly first: number;
  readonly lines: readonly string[];
}

/** Lines that some tools put above what they show, at the most. */
const HEADER_LINES = 3;
/** The tag in which opencode and others put a file; its first line may be on the line of the tag. */
const OPENING_TAG = /^\s*<(?:file|content)>/;
/** A tool's remark that the file goes on. */
const GOES_ON = /^\((?:Showing lines|File has more lines|Output capped)\b/;
/** Blank lines, tags and remarks below the last line. */
const CLOSING =
  /^\s*(?:<\/?\w{1,20}>\s*)?$|^\((?:End of file|Showing lines|File has more lines|Output capped)\b/;
/** Lines at the end in which a remark may be. */
const CLOSING_LINES = 4;

interface NumberForm {
  readonly pattern: RegExp;
  /** True if no file has such lines by itself. */
  readonly isCertain: boolean;
}

/** `%6d→`, `%6d\t` (Claude Code, SWE-agent, OpenHands) · `12: ` (opencode) · `00012| ` (earlier opencode) · `12 | ` (Roo Code) · `%6d|` (Cursor, Crush) · `12. ` (Copilot CLI). */
const FORMS: readonly NumberForm[] = [
  { pattern: /^\s{0,12}(\d{1,9})(?:→|\t)(.*)$/, isCertain: true },
  { pattern: /^(\d{1,9}): ?(.*)$/, isCertain: false },
  { pattern: /^(\d{5,9})\| ?(.*)$/, isCertain: false },
  { pattern: /^\s{0,8}(\d{1,9}) \| ?(.*)$/, isCertain: false },
  { pattern: /^\s{0,12}(\d{1,9})\|(.*)$/, isCertain: false },
  { pattern: /^(\d{1,9})\. ?(.*)$/, isCertain: false },
];

/** Returns the numbered lines at the beginning of a text; `undefined` where it has none. */
export function findNumberedLines(lines: readonly string[]): NumberedLines | undefined {
  for (const form of FORMS) {
    const start = lines.findIndex(
      (line, index) => index <= HEADER_LINES && form.pattern.test(untagged(line)),
    );
    if (start === -1) continue;
    const part = numberedPart(lines, start, form.pattern);
    if (form.isCertain || isNumbered(lines, start, part)) return part;
  }
  return undefined;
}

function numberedPart(lines: readonly string[], start: number, pattern: RegExp): NumberedLines {
  const shown: string[] = [];
  let first = 1;
  for (let index = start; index < lines.length; index++) {
    const found = pattern.exec(index === start ? untagged(lines[index]!) : lines[index]!);
    if (found === null) break;
    if (index === start) first = Number(found[1]);
    else if (Number(found[1]) !== first + shown.length) break;
    shown.push(found[2]!);
  }
  return { first, lines: shown };
}

/** True if a tool has numbered the lines: only its remarks are below them, and only its tags above them. */
function isNumbered(lines: readonly string[], start: number, part: NumberedLines): boolean {
  const above = lines.slice(0, start + 1);
  const isTagged = above.some((line) => OPENING_TAG.test(line));
  if (!isTagged && (start > 0 || part.lines.length < 2)) return false;
  return lines.slice(start + part.lines.length).every((line) => CLOSING.test(line));
}

/** True if a tool says below what it shows that the file has more lines. */
export const goesOn = (lines: readonly string[]): boolean =>
  lines.slice(-CLOSING_LINES).some((line) => GOES_ON.test(line));

const untagged = (line: string): string => line.replace(OPENING_TAG, "");
