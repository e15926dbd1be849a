/** Patterns of paths (`src/**`, `*.{ts,js}`) and of words (`npm test *`), as regular expressions that never backtrack far. */

/** A pattern of paths, with `/` between folders: `*` is within a folder, `**` across folders, `{a,b}` one of them, also within another. */
export function pathPattern(pattern: string): RegExp {
  const braces = closedBraces(pattern);
  let source = "";
  let depth = 0;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] ?? "";
    if (character === "*" && pattern[at + 1] === "*") {
      at += pattern[at + 2] === "/" ? 2 : 1;
      source += pattern[at] === "/" ? "(?:[^/]*/)*" : ".*";
    } else if (character === "*") source += "[^/]*";
    else if (character === "?") source += "[^/]";
    else if (braces.has(at)) {
      depth += character === "{" ? 1 : -1;
      source += character === "{" ? "(?:" : ")";
    } else if (character === "," && depth > 0) source += "|";
    else source += escapeCharacter(character);
  }
  return new RegExp(`^${source}$`, "su");
}

/** The places of braces that belong together. One without its other is a letter like others. */
function closedBraces(pattern: string): ReadonlySet<number> {
  const open: number[] = [];
  const closed = new Set<number>();
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] === "{") open.push(at);
    const start = pattern[at] === "}" ? open.pop() : undefined;
    if (start !== undefined) closed.add(start).add(at);
  }
  return closed;
}

/** A pattern of words: `*` is anything, or nothing. `npm test *` is also `npm test` alone. */
export function wordsPattern(pattern: string): RegExp {
  const trimmed = pattern.trim();
  const beginning = trimmed.endsWith(" *") ? trimmed.slice(0, -2) : undefined;
  const source = (beginning ?? trimmed)
    .split(/\*+/)
    .map((part) => [...part].map(escapeCharacter).join(""))
    .join(".*");
  return new RegExp(`^${source}${beginning === undefined ? "" : "(?: .*)?"}$`, "su");
}

function escapeCharacter(character: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}
