/**
 * Checks a model's own edits of memory files.
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
 * The text of a new file: without keys and hidden characters, with a body that is clean, dated, and signed as a
 * model's conclusion. Its frontmatter stays one.
 */
export function cleanToolFile(path: string, text: string, nowMs: number): string {
  const { bodyFrom } = parseFrontmatter(text);
  const head = showHidden(redactBroken(text.slice(0, bodyFrom)).text);
  return keepTrust(path, { before: undefined, after: head + cleanToolPart(text.slice(bodyFrom)), nowMs });
}

/**
 * The text as a model wrote it: without the date and signature that the library put at the end of the frontmatter, so
 * that lines count as the model counts them. An edit of it is signed again by `keepTrust`.
 */
export function asWritten(text: string): string {
  const { bodyFrom } = parseFrontmatter(text);
  const [, head, lineEnd] = SIGNED_HEAD.exec(text.slice(0, bodyFrom)) ?? [];
  if (head === undefined || lineEnd === undefined) return text;
  const body = text.slice(bodyFrom);
  if (head !== "") return `---${lineEnd}${head}---${lineEnd}${body}`;
  return body.startsWith(lineEnd) ? body.slice(lineEnd.length) : body;
}

/** As `editFrontmatter` appends it. */
const SIGNED_HEAD =
  /^---\r?\n((?:[^\r\n]*\r?\n)*?)createdAt: [^\r\n]*\r?\n(?:(?:updatedAt|keptAt): [^\r\n]*\r?\n){0,2}source: agent(\r?\n)---\r?\n$/;

/** A part of a text that is put into a file. */
export function cleanToolPart(text: string): string {
  const cleaned = cleanMemoryText(text, "body").text;
  // White space at both ends belongs to the place that it is put into.
  const withoutStart = text.trimStart();
  const start = text.slice(0, text.length - withoutStart.length);
  return `${start}${cleaned.trim()}${withoutStart.slice(withoutStart.trimEnd().length)}`;
}

/** The file as it is after an edit by a model, saying no more of who stands by it, and for how long, than it may. */
export function keepTrust(
  path: string,
  edit: { readonly before: string | undefined; readonly after: string; readonly nowMs: number },
): string {
  const { before, after, nowMs } = edit;
  if (isOwnIndex(path)) return after;
  const is = parseMemoryFile(path, after).memory;
  const was = before === undefined ? undefined : parseMemoryFile(path, before).memory;
  const may = was === undefined ? trustOfNew(is, nowMs) : trustAfter(was, is, nowMs);
  const changes = Object.fromEntries(
    Object.entries(may).filter(
      ([name, value]) => JSON.stringify(is[name as keyof Memory]) !== JSON.stringify(value),
    ),
  );
  return Object.keys(changes).length === 0 ? after : updateMemoryFile(after, changes);
}

/** A model's conclusion of today, whatever it says of itself. */
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
    // Whose place it takes is for the library to find out.
    supersedes: [],
  };
}

function trustAfter(was: Memory, is: Memory, nowMs: number): Partial<Memory> {
  const { createdAtMs, updatedAtMs, keptAtMs, relevance, decays } = was;
  const { source, isConfirmed, isQuarantined, supersededBy, supersedes } = was;
  const kept = { createdAtMs, keptAtMs, relevance, decays, supersededBy, supersedes };
  if (was.body === is.body) return { ...kept, updatedAtMs, source, isConfirmed, isQuarantined };
  return {
    ...kept,
    // A memory without a creation date has no known age, and an edit gives it none.
    updatedAtMs: createdAtMs === undefined ? updatedAtMs : Math.max(nowMs, createdAtMs),
    source: source === "user" ? "agent" : source,
    isConfirmed: false,
    isQuarantined: isQuarantined || is.isQuarantined,
  };
}
