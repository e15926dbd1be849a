/**
 * Verbatim lines: the lines that an agent copies to the letter when it edits a file.
 *
 * An edit names the text that it replaces; a patch has context and removed lines. If a line of these is wrong by one
 * letter, the edit fails. Only calls whose old text is certain count: arguments with a name for it, and patches between
 * `*** Begin Patch` and `*** End Patch`. No layer of the library uses this extractor, so no layer
 * chooses what it is measured by.
 */
import type { Message } from "palimpsest";

/** Shorter lines, such as brackets and `return;`, are in every file. */
const LEAST_CHARACTERS = 16;
/** Arguments that hold the text to be replaced. */
const OLD_TEXT: ReadonlySet<string> = new Set(["old_string", "old_str", "oldText", "oldString"]);
const DEPTH = 6;

/** Returns the lines of the texts that the calls of a message replace, trimmed, each once. */
export function editedLines({ content }: Pick<Message, "content">): ReadonlySet<string> {
  const lines = new Set<string>();
  for (const block of content)
    if (block.type === "tool_use") for (const text of oldTextsIn(block.input)) addLines(lines, text);
  return lines;
}

function addLines(lines: Set<string>, text: string): void {
  for (const line of text.split("\n")) {
    const trimmed = line.trim();
    if (trimmed.length >= LEAST_CHARACTERS) lines.add(trimmed);
  }
}

function oldTextsIn(value: unknown, key = "", depth = 0): readonly string[] {
  if (typeof value === "string") {
    if (OLD_TEXT.has(key)) return [value];
    return value.includes("*** Begin Patch") ? patchesIn(value).map(patchedLines) : [];
  }
  if (typeof value !== "object" || value === null || depth > DEPTH) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    oldTextsIn(member, Array.isArray(value) ? key : name, depth + 1),
  );
}

/** A patch as a string of a script: newer versions of Codex give scripts to their tool. */
const SCRIPTED_PATCH = /"\*\*\* Begin Patch(?:[^"\\]|\\.)*"/g;

function patchesIn(text: string): readonly string[] {
  const scripted = [...text.matchAll(SCRIPTED_PATCH)].map(([literal]) =>
    literal
      .slice(1, -1)
      .replace(/\\(.)/g, (_, sign: string) => (sign === "n" ? "\n" : sign === "t" ? "\t" : sign)),
  );
  return scripted.length === 0 ? [text] : scripted;
}

/** Context and removed lines of a patch, without their marks. */
function patchedLines(text: string): string {
  const found: string[] = [];
  let isInside = false;
  for (const line of text.split("\n")) {
    if (line.includes("*** Begin Patch")) isInside = true;
    else if (line.startsWith("*** End Patch")) isInside = false;
    else if (isInside && (line.startsWith(" ") || line.startsWith("-"))) found.push(line.slice(1));
  }
  return found.join("\n");
}

/** A line number, with or without the file before it, as readers and searchers print them. */
const NUMBER = /^(?:[^\s:]{1,200}:)?\d{1,7}(?:→|[:\-|│]|\s*\||\t)/;
/** The mark of a line in a patch or a difference. */
const MARK = /^[+-]/;

/** The mark of a quotation, as summaries quote the log. */
const QUOTE = /^> ?/;

/** Returns the lines of `wanted` that can be read in a text, also quoted, and behind line numbers and marks of a difference. */
export function linesIn(text: string, wanted: ReadonlySet<string>): readonly string[] {
  if (wanted.size === 0) return [];
  const found: string[] = [];
  for (const line of text.split("\n")) {
    const trimmed = line.trim();
    if (trimmed.length < LEAST_CHARACTERS) continue;
    const bare = trimmed.replace(QUOTE, "").trim();
    for (const form of [trimmed, bare, bare.replace(NUMBER, "").trim(), bare.replace(MARK, "").trim()])
      if (wanted.has(form)) found.push(form);
  }
  return found;
}
