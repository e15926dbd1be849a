/**
 * Imports memories of Claude Code: a directory of Markdown files with an index, `MEMORY.md`, in it or in each of its
 * folders. The files are read like our own.
 *
 * A memory in a folder, for example one for each role of an agent, keeps its folder and is never merged with those of
 * another one.
 *
 * Some people have no files and write everything into the index; then each section becomes a memory. In a real index,
 * text between its lines is about the index; it stays behind and is reported.
 */
import { isBlank, type MarkdownLine } from "../../base/text/markdown-lines.ts";
import { findField, NESTED_KEY, parseFrontmatter } from "../files/frontmatter.ts";
import { type IndexEntry, kindOfHeading, parseIndex } from "../files/index-entries.ts";
import { isKnownKey } from "../files/memory-fields.ts";
import { type NewMemory, parseMemoryFile } from "../files/memory-file.ts";
import { isIndexName, isOwnIndex } from "../files/memory-index.ts";
import { descriptionOfText, ImportLog, type MemoryImport, nameOfText } from "./imported-memory.ts";

/** One file of the directory. */
export interface ForeignFile {
  /** From the directory on, with `/`. */
  readonly path: string;
  readonly text: string;
  /** When it was last changed, for files that do not say. */
  readonly modifiedMs?: number | undefined;
}

/** Reads a directory of memories. Never throws, whatever the files hold. */
export function importClaudeCodeMemory(files: readonly ForeignFile[]): MemoryImport {
  const log = new ImportLog();
  const paths = new Set(files.map(({ path }) => path));
  const entries = new Map<string, IndexEntry>();
  for (const file of files) if (isIndex(file)) importIndex(file, { paths, entries, log });
  for (const file of files) {
    if (isIndex(file)) continue;
    if (/\.md$/i.test(file.path)) importFile(file, entries.get(file.path), log);
    else log.refuse(file.path, "it is not a Markdown file");
  }
  return log.end("claude-code");
}

/** One in a folder that says facts of itself is a memory of that name: what it says, quarantine too, holds. */
function isIndex({ path, text }: ForeignFile): boolean {
  return isOwnIndex(path) || (isIndexName(path) && parseFrontmatter(text).fields.length === 0);
}

function importFile(
  { path, text, modifiedMs }: ForeignFile,
  entry: IndexEntry | undefined,
  log: ImportLog,
): void {
  const { memory, problems } = parseMemoryFile(path, text);
  const frontmatter = parseFrontmatter(text);
  for (const problem of problems) log.leave(path, problem);
  for (const { key, parent, text: value } of frontmatter.fields)
    if (!isKnownKey(key) && !(key === NESTED_KEY && parent === undefined))
      log.refuse(path, `${key}: ${value}`);
  if (memory.isConfirmed) log.leave(path, "that it is confirmed: confirm it here");

  const description = memory.description || entry?.hook || descriptionOfText(memory.body);
  if (memory.body === "" && description === "") {
    log.leave(path, "it has no text");
    return;
  }
  if (memory.supersededBy !== undefined) {
    log.leave(path, `it is history: ${memory.supersededBy} took its place`);
    return;
  }
  const isNamed = findField(frontmatter, "name") !== undefined;
  const { path: _, supersedes: __, supersededBy: ___, follows: ____, revises: _____, ...facts } = memory;
  // What a tool or the web said stays theirs; what a file claims for a user is an import.
  const isOfStranger = memory.source === "tool" || memory.source === "web";
  const imported: NewMemory = {
    ...facts,
    name: isNamed ? memory.name : (entry?.title ?? memory.name),
    description,
    type: memory.type ?? entry?.type,
    updatedAtMs: memory.updatedAtMs ?? (memory.createdAtMs === undefined ? modifiedMs : undefined),
    source: isOfStranger ? memory.source : "import",
    isQuarantined: memory.isQuarantined || isOfStranger,
  };
  log.add(path, imported, folderOf(path));
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function importIndex(
  { path, text, modifiedMs }: ForeignFile,
  {
    paths,
    entries,
    log,
  }: {
    readonly paths: ReadonlySet<string>;
    readonly entries: Map<string, IndexEntry>;
    readonly log: ImportLog;
  },
): void {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const index = parseIndex(text);
  for (const entry of index.entries) {
    const file = folder + entry.file;
    if (!paths.has(file)) log.refuse(path, `its line for ${entry.file}: there is no such file`);
    else if (!entries.has(file)) entries.set(file, entry);
  }
  for (const section of sectionsOf(index.lines)) {
    const inside = index.entries.filter(({ fromLine }) => fromLine >= section.from && fromLine < section.to);
    const isOfEntry = (at: number): boolean => inside.some((each) => at >= each.fromLine && at < each.toLine);
    const lines = index.lines
      .slice(section.from, section.to)
      .filter((_, offset) => !isOfEntry(section.from + offset));
    const body = lines
      .map((line) => line.text + line.ending)
      .join("")
      .trim();
    if (body === "") continue;
    const isAboutIndex = inside.length > 0 || (index.entries.length > 0 && section.level < SECTION_LEVEL);
    if (isAboutIndex) {
      log.refuse(path, `text of the index below "${section.title}": ${body}`);
      continue;
    }
    const memory = {
      name: section.title || nameOfText(body),
      description: descriptionOfText(body),
      body,
      type: kindOfHeading(section.title),
      updatedAtMs: modifiedMs,
      source: "import",
    } as const;
    log.add(section.title === "" ? path : `${path} (${section.title})`, memory, folderOf(path));
  }
}

interface Section {
  readonly title: string;
  /** 0 above the first heading. */
  readonly level: number;
  /** The lines below its heading. */
  readonly from: number;
  readonly to: number;
}

/** Deeper headings belong to the text of a section. */
const SECTION_LEVEL = 2;

function sectionsOf(lines: readonly MarkdownLine[]): readonly Section[] {
  const heads = lines.flatMap(({ heading }, line) =>
    heading !== undefined && heading.level <= SECTION_LEVEL ? [{ ...heading, line }] : [],
  );
  const first = heads[0]?.line ?? lines.length;
  const above: Section = { title: "", level: 0, from: 0, to: first };
  const sections = heads.map(({ title, level, line }, index) => ({
    title,
    level,
    from: line + 1,
    to: heads[index + 1]?.line ?? lines.length,
  }));
  return lines.slice(0, first).every(({ text }) => isBlank(text)) ? sections : [above, ...sections];
}
