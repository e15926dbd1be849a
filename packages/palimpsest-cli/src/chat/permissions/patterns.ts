/** Patterns of paths (`src/**`, `*.{ts,js}`) and of words (`npm test *`), as regular expressions that never backtrack far. */

/** A pattern of paths, with `/` between folders: `*` is within a folder, `**` across folders, `{a,b}` one of them. */
export function pathPattern(pattern: string): RegExp {
  let source = "";
  let isInBraces = false;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] ?? "";
    if (character === "*" && pattern[at + 1] === "*") {
      at += pattern[at + 2] === "/" ? 2 : 1;
      source += pattern[at] === "/" ? "(?:[^/]*/)*" : ".*";
    } else if (character === "*") source += "[^/]*";
    else if (character === "?") source += "[^/]";
    else if (character === "{" && pattern.includes("}", at)) {
      isInBraces = true;
      source += "(?:";
    } else if (character === "}" && isInBraces) {
      isInBraces = false;
      source += ")";
    } else if (character === "," && isInBraces) source += "|";
    else source += escapeCharacter(character);
  }
  return new RegExp(`^${source}$`, "su");
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
