/**
 * What a model writes into a memory file by itself, with the file's own commands, made fit to stand there.
 *
 * It may write what it likes, but not who said it: a file that it makes or changes is its own conclusion, however
 * it signs it, and what is quarantined stays so, whatever it does to the frontmatter.
 */
import { redactBroken } from "../base/broken-secrets.ts";
import { showHidden } from "../base/hidden-characters.ts";
import { cleanMemoryText } from "./clean-memory.ts";
import { parseFrontmatter } from "./frontmatter.ts";
import type { Memory } from "./memory.ts";
import { parseMemoryFile, updateMemoryFile } from "./memory-file.ts";
import { isOwnIndex } from "./memory-index.ts";

/** A new file's text. Its frontmatter stays one; without keys and hidden characters, and with a body that is clean. */
export function cleanToolFile(path: string, text: string): string {
  const { bodyFrom } = parseFrontmatter(text);
  const head = showHidden(redactBroken(text.slice(0, bodyFrom)).text);
  return keepTrust(path, undefined, head + cleanToolPart(text.slice(bodyFrom)));
}

/** A part of a text that is put into a file. */
export function cleanToolPart(text: string): string {
  const cleaned = cleanMemoryText(text, "body").text;
  // White space at both ends belongs to the place that it is put into.
  const withoutStart = text.trimStart();
  const start = text.slice(0, text.length - withoutStart.length);
  return `${start}${cleaned.trim()}${withoutStart.slice(withoutStart.trimEnd().length)}`;
}

type Trust = Pick<Memory, "source" | "isConfirmed" | "isQuarantined" | "supersededBy" | "supersedes">;

/** The file as it is after an edit by a model, saying no more of who stands by it than it may. */
export function keepTrust(path: string, before: string | undefined, after: string): string {
  if (isOwnIndex(path)) return after;
  const is = parseMemoryFile(path, after).memory;
  const may = trustAfter(before === undefined ? undefined : parseMemoryFile(path, before).memory, is);
  const changes: Partial<Trust> = {
    ...(is.source === may.source ? {} : { source: may.source }),
    ...(is.isConfirmed === may.isConfirmed ? {} : { isConfirmed: may.isConfirmed }),
    ...(is.isQuarantined === may.isQuarantined ? {} : { isQuarantined: may.isQuarantined }),
    ...(is.supersededBy === may.supersededBy ? {} : { supersededBy: may.supersededBy }),
    ...(isSame(is.supersedes, may.supersedes) ? {} : { supersedes: may.supersedes }),
  };
  return Object.keys(changes).length === 0 ? after : updateMemoryFile(after, changes);
}

function trustAfter(was: Memory | undefined, is: Memory): Trust {
  if (was === undefined)
    return {
      source: is.source === "unknown" ? "unknown" : "agent",
      isConfirmed: false,
      isQuarantined: is.isQuarantined,
      supersededBy: is.supersededBy,
      // Whose place it takes is for the library to find out.
      supersedes: [],
    };
  const { source, isConfirmed, isQuarantined, supersededBy, supersedes } = was;
  if (was.body === is.body) return { source, isConfirmed, isQuarantined, supersededBy, supersedes };
  return {
    source: source === "user" ? "agent" : source,
    isConfirmed: false,
    isQuarantined: isQuarantined || is.isQuarantined,
    supersededBy,
    supersedes,
  };
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((path, index) => path === other[index]);
}
