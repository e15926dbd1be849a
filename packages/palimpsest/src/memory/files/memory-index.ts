/**
 * MEMORY.md: one line a memory, which the model sees at the start of every session, between whatever headings and
 * text people put there.
 *
 * A line is added where its kind stands, and only lines of memories are ever changed or taken out. What would be
 * too long is made to fit by us who write it, by value (`fitIndex`): the loader of another program would cut the
 * end off, which is where the newest lines are.
 */
import { MEMORY_FILES_DEFAULTS } from "../../base/defaults/memory/files.ts";
import { isBlank, type MarkdownLine } from "../../base/text/markdown-lines.ts";
import { shorten } from "../../base/text/text.ts";
import { lineEndOf } from "./frontmatter.ts";
import { type IndexEntry, type ParsedIndex, parseIndex } from "./index-entries.ts";
import type { MemoryType } from "./memory.ts";
import { toOneLine } from "./memory-fields.ts";

/** Characters of the title in a line of the index. Our choice: the titles in recorded memories have at most 60. */
const INDEX_TITLE_CHARACTERS = 80;

/** The name of an index, in each folder that has one. */
export const INDEX_NAME = "MEMORY.md";

/** The line of one memory in an index. */
export interface IndexLine {
  /** From the index on: `deploy-days.md`. */
  readonly file: string;
  readonly title: string;
  readonly hook: string;
  readonly type?: MemoryType | undefined;
}

/** The mount point of a team's memories. */
export const TEAM_FOLDER = "team/";

/** The mount point of a path, which has its own index. */
export function mountOf(path: string): string {
  return path.startsWith(TEAM_FOLDER) ? TEAM_FOLDER : "";
}

/** The folder of a path inside its mount: empty, or with its `/`. */
function innerFolderOf(path: string): string {
  return path.slice(mountOf(path).length, path.lastIndexOf("/") + 1);
}

/**
 * True if two memories, or a folder and a memory, are in different subfolders of one directory, one for each role or
 * topic: they are not compared. The directory itself belongs to all.
 */
export function areApart(one: string, other: string): boolean {
  const [ours, theirs] = [innerFolderOf(one), innerFolderOf(other)];
  return ours !== theirs && ours !== "" && theirs !== "";
}

/** The path of the index that has the line of a memory. */
export function indexPathOf(path: string): string {
  return mountOf(path) + INDEX_NAME;
}

/**
 * True if a path is the index of the directory or of its team. A file of that name in a subfolder is a memory like
 * any other, and is trusted like one.
 */
export function isOwnIndex(path: string): boolean {
  return isIndexName(path) && !path.slice(mountOf(path).length).includes("/");
}

/** True if a path ends in the name of an index; some systems do not distinguish `memory.md` from it. */
export function isIndexName(path: string): boolean {
  return path.slice(path.lastIndexOf("/") + 1).toLowerCase() === INDEX_NAME.toLowerCase();
}

/** The index with this line for the memory: changed where it is, added where its kind stands. */
export function setIndexLine(text: string, line: IndexLine): string {
  const index = parseIndex(text);
  const [entry, ...repeated] = index.entries.filter(({ file }) => file === line.file);
  if (entry === undefined) return withNewLine(text, index, line);
  const separator = isBlank(entry.separator) ? SEPARATOR : entry.separator;
  const written = formatLine(line, { bullet: entry.bullet, separator });
  const stands = index.lines.slice(entry.fromLine, entry.toLine);
  const isUnchanged = entry.title === toOneLine(line.title) && entry.hook === toOneLine(line.hook);
  const isSame = isUnchanged || (stands.length === 1 && stands[0]!.text === written);
  const kept = withoutEntries(index.lines, isSame ? repeated : [entry, ...repeated]);
  if (isSame) return kept;
  const before = withoutEntries(index.lines.slice(0, entry.fromLine), repeated);
  return `${before}${written}${stands.at(-1)!.ending}${kept.slice(before.length)}`;
}

/** The index without any line for the memory. */
export function removeIndexLine(text: string, file: string): string {
  const { lines, entries } = parseIndex(text);
  return withoutEntries(
    lines,
    entries.filter((entry) => entry.file === file),
  );
}

/** The lines as a text, without those of some entries. @internal */
export function withoutEntries(lines: readonly MarkdownLine[], entries: readonly IndexEntry[]): string {
  const removed = new Set<number>();
  for (const { fromLine, toLine } of entries) for (let at = fromLine; at < toLine; at++) removed.add(at);
  return lines.map(({ text, ending }, at) => (removed.has(at) ? "" : text + ending)).join("");
}

const SEPARATOR = " — ";
/** Headings of the kinds of memories. */
export const KIND_TITLES: Readonly<Record<MemoryType, string>> = {
  user: "User",
  feedback: "Feedback",
  project: "Project",
  reference: "Reference",
};

/** Below the heading of its kind, or in the list where there are no such headings. */
function withNewLine(text: string, { lines, entries, headings }: ParsedIndex, line: IndexLine): string {
  const lineEnd = lineEndOf(text);
  const { type } = line;
  const own = headings.findLast((heading) => heading.type === type);
  const end = own === undefined ? lines.length : endOfSection(lines, own.line, MOST_LEVEL);
  const near = entries.findLast(
    ({ fromLine }) => own === undefined || (fromLine > own.line && fromLine < end),
  );
  const written = formatLine(line, { bullet: nextBullet(near), separator: SEPARATOR });
  if (near !== undefined && (own !== undefined || headings.length === 0 || type === undefined))
    return insertLines(lines, { at: near.toLine, added: [written], lineEnd });
  if (own !== undefined)
    return insertLines(lines, { at: behindText(lines, end), added: ["", written], lineEnd });

  const last = headings.at(-1);
  const heading = type === undefined ? [] : [`${"#".repeat(last?.level ?? 2)} ${KIND_TITLES[type]}`, ""];
  if (isBlank(text)) return ["# Memory", "", ...heading, written, ""].join(lineEnd);
  const at = behindText(
    lines,
    last === undefined ? lines.length : endOfSection(lines, last.line, last.level),
  );
  return insertLines(lines, { at, added: ["", ...heading, written], lineEnd });
}

const MOST_LEVEL = 6;

/** The next heading that is not below this one, or the end. */
function endOfSection(lines: readonly MarkdownLine[], heading: number, level: number): number {
  const next = lines.findIndex(
    (line, at) => at > heading && line.heading !== undefined && line.heading.level <= level,
  );
  return next === -1 ? lines.length : next;
}

/** Behind the last line before `end` that is not blank. */
function behindText(lines: readonly MarkdownLine[], end: number): number {
  let at = end;
  while (at > 0 && isBlank(lines[at - 1]!.text)) at--;
  return at;
}

function insertLines(
  lines: readonly MarkdownLine[],
  place: { readonly at: number; readonly added: readonly string[]; readonly lineEnd: string },
): string {
  const { at, added, lineEnd } = place;
  const before = withoutEntries(lines.slice(0, at), []);
  const gap = before === "" || before.endsWith("\n") ? "" : lineEnd;
  const text = added.map((line) => `${line}${lineEnd}`).join("");
  return `${before}${gap}${text}${withoutEntries(lines.slice(at), [])}`;
}

/** A bullet like that of the entry before. */
function nextBullet(entry: IndexEntry | undefined): string {
  if (entry === undefined) return "- ";
  return entry.bullet.replace(/\d+/, (number) => String(Number(number) + 1));
}

/** The line of one memory: the title gives way to what fits beside the hook, the hook to the limit. */
function formatLine(
  { file, title, hook }: IndexLine,
  { bullet, separator }: { readonly bullet: string; readonly separator: string },
): string {
  const { indexLineCharacters } = MEMORY_FILES_DEFAULTS;
  const shown = shorten(toOneLine(title), INDEX_TITLE_CHARACTERS).replace(/[\\[\]]/g, "\\$&");
  const link = `${bullet}[${shown}](${linkTarget(file)})`;
  const rest = shorten(toOneLine(hook), indexLineCharacters - link.length - separator.length);
  return rest.length < 2 ? link : `${link}${separator}${rest}`;
}

/** A path in a link that ends where the path ends. */
function linkTarget(file: string): string {
  const isPlain = /^[^\s()<>%#]+$/.test(file);
  return isPlain
    ? file
    : file.replace(/[\s()<>%#]/g, (found) => encodeURIComponent(found).replace(/[()]/g, escaped));
}

function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
