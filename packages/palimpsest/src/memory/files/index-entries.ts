/**
 * Lines of an index that link a memory: `- [Title](file.md) — hook`, and the forms that people and other programs
 * write. All other text of an index belongs to people and is left alone.
 */

import { isBlank, type MarkdownLine, readLines } from "../../base/text/markdown-lines.ts";
import { memoizeRecent } from "../../base/text/memoize-recent.ts";
import { indentOf } from "./frontmatter.ts";
import { MEMORY_TYPES, type MemoryType } from "./memory.ts";

/** Longest target of a link that can be a memory's file, in characters. Our choice: no file system has longer names, folders aside. */
const INDEX_TARGET_CHARACTERS = 1_024;

/** One memory in an index. */
export interface IndexEntry {
  /** The file as the link names it, without `./`: a path from the index on. */
  readonly file: string;
  readonly title: string;
  /** Its description of the memory, on one line; may be empty. */
  readonly hook: string;
  /** The kind of memories that its heading announces. */
  readonly type: MemoryType | undefined;
  /** Its first line, counted from 0, and the line behind its last one. */
  readonly fromLine: number;
  readonly toLine: number;
  /** Position of the link's target on that line. */
  readonly targetAt: number;
  /** The text before the link, and between link and hook. */
  readonly bullet: string;
  readonly separator: string;
}

/** A heading that announces memories of one kind. */
interface KindHeading {
  readonly type: MemoryType;
  readonly line: number;
  readonly level: number;
}

export interface ParsedIndex {
  readonly lines: readonly MarkdownLine[];
  readonly entries: readonly IndexEntry[];
  readonly headings: readonly KindHeading[];
}

/** The last index that was read: one write asks for the lines of the same text several times, and is mostly that. */
let last: { readonly text: string; readonly index: ParsedIndex } | undefined;

/** Reads an index, whatever it is. */
export function parseIndex(text: string): ParsedIndex {
  if (last?.text !== text) last = { text, index: readIndexText(text) };
  return last.index;
}

function readIndexText(text: string): ParsedIndex {
  const lines = readLines(text);
  const entries: IndexEntry[] = [];
  const headings: KindHeading[] = [];
  let type: MemoryType | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (line.heading !== undefined) {
      type = kindOfHeading(line.heading.title);
      if (type !== undefined) headings.push({ type, line: at, level: line.heading.level });
      continue;
    }
    const found = line.isFenced ? undefined : parseEntryLine(line.text);
    if (found === undefined) continue;
    const toLine = endOfEntry(lines, at, indentOf(line.text));
    const more = lines.slice(at + 1, toLine).map((each) => each.text.trim());
    const { bullet, title, file, targetAt, rest } = found;
    const { separator, hook } = hookOf([rest, ...more]);
    // Each by its name: taking all but one from an object is most of the cost of reading an index.
    entries.push({ file, title, hook, type, fromLine: at, toLine, targetAt, bullet, separator });
    at = toLine - 1;
  }
  return { lines, entries, headings };
}

const KIND_HEADING = new RegExp(
  `^(${MEMORY_TYPES.join("|")})s?(?: (?:memory|memories|notes|preferences))?$`,
  "i",
);

/** The kind of memories that a heading announces. */
export function kindOfHeading(title: string): MemoryType | undefined {
  const word = KIND_HEADING.exec(title.trim())?.[1]?.toLowerCase();
  return MEMORY_TYPES.find((type) => type === word);
}

/** Returns the line behind an entry and its indented continuation lines that link no memory. */
function endOfEntry(lines: readonly MarkdownLine[], from: number, indent: number): number {
  let to = from + 1;
  for (let line = lines[to]; line !== undefined; line = lines[++to]) {
    const isBelow = !isBlank(line.text) && indentOf(line.text) >= indent + 2 && !line.isFenced;
    if (!isBelow || line.heading !== undefined || parseEntryLine(line.text) !== undefined) break;
  }
  return to;
}

const BULLET = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/;

/** Lines that are kept. Our choice: more than a full index has. One memory more leaves the lines of the others as they were. */
const RECENT_LINES = { count: 512, characters: INDEX_TARGET_CHARACTERS };

/** The link of a line in a list, and the text behind it. */
const parseEntryLine = memoizeRecent((line) => {
  const bullet = BULLET.exec(line)?.[0];
  if (bullet === undefined) return undefined;
  const content = line.slice(bullet.length);
  const mark = /^(?:\*\*|__|\*|_)/.exec(content)?.[0] ?? "";
  const link = parseLink(content.slice(mark.length));
  if (link === undefined) return undefined;
  const behind = content.slice(mark.length + link.end);
  const rest = mark !== "" && behind.startsWith(mark) ? behind.slice(mark.length) : behind;
  const targetAt = bullet.length + mark.length + link.targetAt;
  return { bullet, title: link.title, file: link.file, targetAt, rest };
}, RECENT_LINES);

/** `[title](file.md)` or `[[name]]` at the start of a text; `undefined` for what leads elsewhere. */
function parseLink(text: string) {
  if (!text.startsWith("[")) return undefined;
  const close = closingBracket(text);
  if (close === -1) return undefined;
  if (text[close + 1] !== "(") {
    const wiki = /^\[\[([^[\]|]+)(?:\|([^[\]]+))?\]\]/.exec(text);
    const file = wiki === null ? undefined : fileOf(/\.md$/i.test(wiki[1]!) ? wiki[1]! : `${wiki[1]}.md`);
    return file === undefined
      ? undefined
      : { title: (wiki![2] ?? wiki![1]!).trim(), file, targetAt: 2, end: wiki![0].length };
  }
  const end = text.indexOf(")", close + 2);
  const isPointed = text[close + 2] === "<";
  const pointedEnd = isPointed ? text.indexOf(">)", close + 3) : -1;
  if (end === -1 || (isPointed && pointedEnd === -1)) return undefined;
  const targetAt = isPointed ? close + 3 : close + 2;
  const file = fileOf(text.slice(targetAt, isPointed ? pointedEnd : end));
  const title = text
    .slice(1, close)
    .replace(/\\([[\]\\])/g, "$1")
    .trim();
  return file === undefined
    ? undefined
    : { title, file, targetAt, end: isPointed ? pointedEnd + 2 : end + 1 };
}

function closingBracket(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "[") depth++;
    else if (text[at] === "]" && --depth === 0) return at;
  }
  return -1;
}

const ENDING = ".md";
/** A file's name as nearly all are, which nothing need be undone of. */
const PLAIN_FILE = /^[\w-]+\.md$/;

/** The file that a link names; `undefined` if it is not a Markdown file below the index. */
function fileOf(target: string): string | undefined {
  if (PLAIN_FILE.test(target)) return target;
  if (target.length > INDEX_TARGET_CHARACTERS) return undefined;
  // A link may have a title behind its target.
  const untitled = target.trim().replace(/(?<!\s)\s+(?:"[^"]*"|'[^']*')$/, "");
  const path = decoded(untitled.replace(/#.*$/s, "")).replace(/^(?:\.\/)+/, "");
  const isElsewhere = /^(?:[a-z][a-z\d+.-]*:|\/|~)|\\|\p{Cc}/iu.test(path);
  const isStep = path.split("/").some((part) => part === "" || part === "." || part === "..");
  return !isElsewhere && !isStep && path.length > ENDING.length && path.toLowerCase().endsWith(ENDING)
    ? path
    : undefined;
}

function decoded(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    // A literal per cent sign.
    return target;
  }
}

/** The sign between link and hook, and the hook. */
function hookOf(parts: readonly string[]): { readonly separator: string; readonly hook: string } {
  const whole = parts.filter((part) => part !== "").join(" ");
  const separator = /^\s*(?:—|–|-{1,3}|:|·|\||→|=>)?\s*/.exec(whole)?.[0] ?? "";
  return { separator, hook: whole.slice(separator.length).trim() };
}
