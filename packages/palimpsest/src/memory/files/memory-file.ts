/**
 * A memory as a file that people read and edit: frontmatter, an empty line, the text.
 *
 *     ---
 *     name: Deploy days
 *     description: when we deploy, and who says so
 *     type: project
 *     createdAt: 2026-03-02T09:15:00.000Z
 *     source: user
 *     confirmed: true
 *     ---
 *
 *     We deploy on Tuesdays only.
 *
 * A new file is written like this, without default values. An existing file is never rewritten as a whole: an update
 * changes the lines of the changed facts, in the shape of the file, and leaves every other byte.
 */
import { editFrontmatter, type FrontmatterEdit } from "./edit-frontmatter.ts";
import { lineEndOf, parseFrontmatter } from "./frontmatter.ts";
import { formatValue } from "./frontmatter-value.ts";
import type { Memory } from "./memory.ts";
import { editsOf, FACT_NAMES, readFact, writtenFact } from "./memory-fields.ts";

/** The facts of a new file; absent ones have their default. */
export type NewMemory = Pick<Memory, "name" | "body"> & Omit<MemoryChanges, "path">;

/** Facts to change; a present `undefined` removes the field. */
export type MemoryChanges = {
  /** The `path` changes nothing: it tells the default name. */
  readonly [Name in keyof Memory]?: Memory[Name] | undefined;
};

interface ParsedMemoryFile {
  readonly memory: Memory;
  /** Parts of the file that were not understood; they are kept as they are. */
  readonly problems: readonly string[];
}

/** Reads a memory file, in either shape or without frontmatter. Never throws, whatever the text is. */
export function parseMemoryFile(path: string, text: string): ParsedMemoryFile {
  const frontmatter = parseFrontmatter(text);
  const problems = [...frontmatter.problems];
  const { from, to } = bodyPlace(text, frontmatter.bodyFrom);
  // One object from the start: it is made for every file of a directory.
  const memory: Record<string, unknown> = { path, name: "", description: "", type: undefined };
  memory["body"] = text.slice(from, to);
  for (const name of FACT_NAMES) {
    const { value, problem } = readFact(frontmatter, name);
    if (problem !== undefined) problems.push(problem);
    memory[name] = value;
  }
  memory["name"] ||= fileTitle(path);
  return { memory: memory as unknown as Memory, problems };
}

/** The text of a new file. */
export function formatMemoryFile(memory: NewMemory): string {
  const lines = FACT_NAMES.flatMap((name) => {
    const written = writtenFact(name, memory[name]);
    return written === undefined ? [] : [`${written.key}: ${formatValue(written.value)}`];
  });
  const body = withoutBlankEnds(memory.body);
  return `${["---", ...lines, "---"].join("\n")}\n${body === "" ? "" : `\n${body}\n`}`;
}

/** The text of a file with some of it said otherwise. What it says already is not touched. */
export function updateMemoryFile(text: string, changes: MemoryChanges): string {
  const { body, path } = changes;
  const changed = body === undefined ? text : withBody(text, body);
  const frontmatter = parseFrontmatter(changed);
  const edits = FACT_NAMES.flatMap((name): readonly FrontmatterEdit[] => {
    if (!Object.hasOwn(changes, name)) return [];
    const isDefaultName = name === "name" && path !== undefined && changes.name === fileTitle(path);
    if (isDefaultName && !readFact(frontmatter, name).isSet) return [];
    return editsOf(frontmatter, name, changes[name]);
  });
  return edits.length === 0 ? changed : editFrontmatter(changed, edits);
}

/** The file's text with another body, between the empty lines that stood around the old one. */
function withBody(text: string, body: string): string {
  const { bodyFrom, closesAt } = parseFrontmatter(text);
  const { from, to } = bodyPlace(text, bodyFrom);
  const lineEnd = lineEndOf(text);
  const plain = withoutBlankEnds(body);
  const written = plain.replace(/\r?\n/g, lineEnd);
  // Also where its lines end in several ways.
  if ([plain, written].includes(text.slice(from, to))) return text;
  if (closesAt === undefined && parseFrontmatter(written).closesAt !== undefined)
    // An empty line keeps a body from becoming the frontmatter of a file that has none.
    return `${text.slice(0, bodyFrom)}${lineEnd}${written}${lineEnd}`;
  if (from !== to) return `${text.slice(0, from)}${written}${text.slice(to)}`;
  // There was none: what is blank behind the frontmatter gives way to one empty line.
  const head = text.slice(0, bodyFrom);
  const gap = closesAt === undefined ? "" : `${head.endsWith("\n") ? "" : lineEnd}${lineEnd}`;
  return `${head}${gap}${written}${lineEnd}`;
}

/** The position of the text behind the frontmatter, without empty lines around it. */
function bodyPlace(text: string, bodyFrom: number): { readonly from: number; readonly to: number } {
  let from = bodyFrom;
  // A byte order mark at the start of a text would say how its file is encoded, were it to stand there.
  for (let at = from; at < text.length && isBlankAt(text, at); at++)
    if (text[at] === "\n" || text[at] === "\uFEFF") from = at + 1;
  let to = text.length;
  while (to > from && (text[to - 1] === "\n" || text[to - 1] === "\r")) to--;
  // Only blanks are not a text; behind a text they may mean a line break.
  if (text.slice(from, to).trim() === "") return { from, to: from };
  return { from, to };
}

function withoutBlankEnds(body: string): string {
  const { from, to } = bodyPlace(body, 0);
  return body.slice(from, to);
}

function isBlankAt(text: string, at: number): boolean {
  const character = text[at];
  return character !== undefined && " \t\r\n\uFEFF".includes(character);
}

/** `team/deploy-days.md` is `deploy-days`. */
function fileTitle(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/i, "");
}
