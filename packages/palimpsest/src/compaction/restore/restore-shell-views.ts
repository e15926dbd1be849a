/**
 * Which files a shell command shows, and which lines of them: agents read with `sed -n` and `cat` as
 * often as with a tool for it, mostly behind a `cd`.
 *
 * Only commands that do nothing but show are recognised; a redirection or an unknown program is no view.
 */
import { joinPath, normalisePath } from "./restore-paths.ts";

/** A file that a command shows; `first` and `last` are its lines where the command says so. */
interface ShellView {
  readonly path: string;
  readonly first?: number;
  readonly last?: number;
  /** The command shows nothing else, so that its output is this file's text. */
  readonly isAlone: boolean;
}

const MAX_COMMAND_CHARACTERS = 4_000;
const SHOWING = new Set(["cat", "head", "tail", "nl", "less", "more", "bat"]);
const WORD = /"[^"]*"|'[^']*'|\S+/g;
const LINES = /^(\d{1,9})(?:,(\d{1,9}|\$))?p?$/;
const CUTTING = /^\s*(?:head|tail|less|more|cat|nl)\b/;
/** What tells a path from a word: a dot or a separator. */
const LIKE_PATH = /[./]/;

export function shellViews(command: string): readonly ShellView[] {
  if (command.length > MAX_COMMAND_CHARACTERS || command.includes("<<")) return [];
  const views: Omit<ShellView, "isAlone">[] = [];
  let folder = "";
  let isPlain = true;
  for (const part of command.split(/&&|\|\||;|\n/)) {
    if (part.trim() === "") continue;
    const pipe = part.split("|");
    const words = [...pipe[0]!.matchAll(WORD)].map(([word]) => word.replace(/^["']|["']$/g, ""));
    if (words[0] === "cd" && words[1] !== undefined) {
      folder = joinPath(folder, words[1]);
      continue;
    }
    // What goes through another program is no reading of the file, unless that only cuts it.
    const found = pipe.slice(1).every((filter) => CUTTING.test(filter)) ? viewsOf(words, folder) : [];
    if (found.length === 0 || pipe.length > 1) isPlain = false;
    views.push(...found);
  }
  return views.map((view) => ({ ...view, isAlone: isPlain && views.length === 1 }));
}

function viewsOf(words: readonly string[], folder: string): readonly Omit<ShellView, "isAlone">[] {
  const program = words[0] ?? "";
  const isSed = program === "sed" && words.includes("-n");
  if (!isSed && !SHOWING.has(program)) return [];
  // Bytes are a look at what kind of file it is.
  if (words.some((word) => /^-c\d*$|^--bytes/.test(word))) return [];
  const plain = words.slice(1).filter((word) => !/^2>(?:&1|\/dev\/null)$/.test(word));
  if (plain.some((word) => word.includes(">"))) return [];
  const range = isSed ? plain.map((word) => LINES.exec(word)).find((found) => found !== null) : undefined;
  const lines =
    program === "cat" ? { first: 1 } : isSed ? linesOf(range) : program === "head" ? headOf(plain) : {};
  return plain.flatMap((word) => {
    if (word.startsWith("-") || LINES.test(word) || !LIKE_PATH.test(word) || /[*?{}$`]/.test(word)) return [];
    const path = normalisePath(joinPath(folder, word));
    return path === undefined ? [] : [{ path, ...lines }];
  });
}

function linesOf(range: RegExpExecArray | null | undefined): { first?: number; last?: number } {
  if (range === null || range === undefined) return {};
  const first = Number(range[1]);
  if (range[2] === "$") return { first };
  return { first, last: range[2] === undefined ? first : Number(range[2]) };
}

/** `head` shows ten lines unless it is told otherwise. */
function headOf(words: readonly string[]): { first: number; last: number } {
  const counts = words.map((word) => /^-n?(\d{1,7})$/.exec(word)?.[1] ?? /^(\d{1,7})$/.exec(word)?.[1]);
  return { first: 1, last: Number(counts.find((count) => count !== undefined) ?? 10) };
}
