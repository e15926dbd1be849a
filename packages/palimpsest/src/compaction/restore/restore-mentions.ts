/**
 * Where a text names a file: by its name alone, or by the end of its path.
 */
import { baseName } from "./restore-paths.ts";

/** Shorter names are words. */
const LEAST_NAME_CHARACTERS = 3;
/** Mentions beyond this say nothing more. */
const MOST_MENTIONS = 64;

/**
 * How often `text` names the file. A name that several files share counts only where enough of the path
 * stands with it. Linear in the text.
 */
export function countMentions(text: string, path: string, isShared: boolean): number {
  const name = baseName(path);
  if (name.length < LEAST_NAME_CHARACTERS) return 0;
  let count = 0;
  for (
    let at = text.indexOf(name);
    at !== -1 && count < MOST_MENTIONS;
    at = text.indexOf(name, at + name.length)
  )
    if (isMention(text, at, path, name, isShared)) count++;
  return count;
}

function isMention(text: string, at: number, path: string, name: string, isShared: boolean): boolean {
  if (isNameUnit(text.charCodeAt(at + name.length))) return false;
  let start = at;
  while (start > 0 && at - start <= path.length && isPathUnit(text.charCodeAt(start - 1))) start--;
  const before = text
    .slice(start, at)
    .replace(/\\/g, "/")
    .replace(/^(?:\.{0,2}\/)+/, "");
  if (before === "") return !isShared;
  const mentioned = before + name;
  return before.endsWith("/") && (path === mentioned || path.endsWith(`/${mentioned}`));
}

/** Letters, digits, `_` and `-`: what a name goes on with. A dot may end a sentence. */
function isNameUnit(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 95 ||
    code === 45 ||
    code >= 128
  );
}

function isPathUnit(code: number): boolean {
  // `.`, `/`, `\`, `~`, `:` and `@` besides.
  return (
    isNameUnit(code) ||
    code === 46 ||
    code === 47 ||
    code === 92 ||
    code === 126 ||
    code === 58 ||
    code === 64
  );
}

/** Paths whose name another path has as well. */
export function sharesName(paths: readonly string[]): ReadonlySet<string> {
  const byName = new Map<string, string[]>();
  for (const path of paths) byName.set(baseName(path), [...(byName.get(baseName(path)) ?? []), path]);
  return new Set([...byName.values()].filter((same) => same.length > 1).flat());
}
