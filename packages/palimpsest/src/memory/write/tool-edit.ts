/**
 * Cleans what a model writes into memory files with its tools, and keeps it from claiming more trust than it has.
 *
 * A model may write any text, but not its source: a file that it makes or changes is its own conclusion, and a
 * quarantined one stays so, whatever the frontmatter says. It cannot set dates, relevance or decay: those stay as
 * they were, and a new file gets the ones of a conclusion of today.
 */
import { redactBroken } from "../../base/redaction/broken-secrets.ts";
import { showHidden } from "../../base/text/hidden-characters.ts";
import { parseFrontmatter } from "../files/frontmatter.ts";
import type { Memory } from "../files/memory.ts";
import { parseMemoryFile, updateMemoryFile } from "../files/memory-file.ts";
import { isOwnIndex } from "../files/memory-index.ts";
import { cleanMemoryText } from "../trust/clean-memory.ts";

/**
 * Prepares the text of a new file: removes keys and hidden characters, cleans the body, and adds the date and the
 * source of a model's conclusion. The frontmatter keeps its form.
 */
export function cleanToolFile(path: string, text: string, nowMs: number): string {
  const { bodyFrom } = parseFrontmatter(text);
  const head = showHidden(redactBroken(text.slice(0, bodyFrom)).text);
  return keepTrust(path, { before: undefined, after: head + cleanToolPart(text.slice(bodyFrom)), nowMs });
}

/**
 * Returns a file's text as the model wrote it: without the dates and the source that the library appended to the
 * frontmatter, so that line numbers are those of the model. `keepTrust` adds them again after an edit.
 */
export function asWritten(text: string): string {
  const { bodyFrom } = parseFrontmatter(text);
  const [, head, lineEnd] = SIGNED_HEAD.exec(text.slice(0, bodyFrom)) ?? [];
  if (head === undefined || lineEnd === undefined) return text;
  const body = text.slice(bodyFrom);
  if (head !== "") return `---${lineEnd}${head}---${lineEnd}${body}`;
  return body.startsWith(lineEnd) ? body.slice(lineEnd.length) : body;
}

/** Frontmatter that ends with the fields that `editFrontmatter` appends. */
const SIGNED_HEAD =
  /^---\r?\n((?:[^\r\n]*\r?\n)*?)createdAt: [^\r\n]*\r?\n(?:(?:updatedAt|keptAt): [^\r\n]*\r?\n){0,2}source: agent(\r?\n)---\r?\n$/;

/** Cleans a text that becomes part of a file. */
export function cleanToolPart(text: string): string {
  const cleaned = cleanMemoryText(text, "body").text;
  // White space at both ends is kept: it fits the text around it.
  const withoutStart = text.trimStart();
  const start = text.slice(0, text.length - withoutStart.length);
  return `${start}${cleaned.trim()}${withoutStart.slice(withoutStart.trimEnd().length)}`;
}

/** Returns the file after a model's edit, with source, dates and decay reset to the values that the model may set. */
export function keepTrust(
  path: string,
  edit: { readonly before: string | undefined; readonly after: string; readonly nowMs: number },
): string {
  const { before, after, nowMs } = edit;
  if (isOwnIndex(path)) return after;
  const edited = parseMemoryFile(path, after).memory;
  const original = before === undefined ? undefined : parseMemoryFile(path, before).memory;
  const allowed =
    original === undefined ? trustOfNew(edited, nowMs) : trustAfter({ original, edited }, nowMs);
  const changes = Object.fromEntries(
    Object.entries(allowed).filter(
      ([name, value]) => JSON.stringify(edited[name as keyof Memory]) !== JSON.stringify(value),
    ),
  );
  return Object.keys(changes).length === 0 ? after : updateMemoryFile(after, changes);
}

/** Returns the fields of a new file: a model's conclusion of today, whatever its frontmatter says. */
function trustOfNew({ isQuarantined, supersededBy }: Memory, nowMs: number): Partial<Memory> {
  return {
    createdAtMs: nowMs,
    updatedAtMs: undefined,
    keptAtMs: undefined,
    relevance: 1,
    decays: true,
    source: "agent",
    isConfirmed: false,
    isQuarantined,
    supersededBy,
    // The library finds out itself which memories it supersedes.
    supersedes: [],
    revises: [],
  };
}

/**
 * Returns the fields of an edited file: those of the original. A changed body is not confirmed, nor the user's words.
 */
function trustAfter(
  { original, edited }: { readonly original: Memory; readonly edited: Memory },
  nowMs: number,
): Partial<Memory> {
  const { createdAtMs, updatedAtMs, keptAtMs, relevance, decays } = original;
  const { source, isConfirmed, isQuarantined, supersededBy, supersedes, revises } = original;
  const kept = { createdAtMs, keptAtMs, relevance, decays, supersededBy, supersedes, revises };
  if (original.body === edited.body) return { ...kept, updatedAtMs, source, isConfirmed, isQuarantined };
  return {
    ...kept,
    // A memory without a creation date has no known age, and an edit gives it none.
    updatedAtMs: createdAtMs === undefined ? updatedAtMs : Math.max(nowMs, createdAtMs),
    source: source === "user" ? "agent" : source,
    isConfirmed: false,
    isQuarantined: isQuarantined || edited.isQuarantined,
  };
}
