/**
 * Paths in calls and shell commands, normalized so that one file has one path however a call spells it.
 *
 * Nothing is looked up on a disk. A relative path is resolved to a known absolute one only if exactly one
 * known path ends with it.
 */
import { addAll } from "../../base/lists.ts";

const MAX_PATH_CHARACTERS = 1_000;
/** Most paths of a session: plain names, none of which begins with a dot. */
const PLAIN_PATH = /^\/?[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;

/** Returns the path without `file://`, `./`, doubled separators and `..`; `undefined` if it is not a path. */
export function normalisePath(path: string): string | undefined {
  if (path.length <= MAX_PATH_CHARACTERS && PLAIN_PATH.test(path)) return path;
  const bare = path.replace(/^(?:file:\/\/)+/, "");
  if (bare.trim() === "" || bare.length > MAX_PATH_CHARACTERS || /[\n\r\0]/.test(bare)) return undefined;
  // On Windows one log mixes both separators; elsewhere a backslash is part of a name.
  const slashed = /(?:^|\/)[A-Za-z]:[\\/]/.test(bare) ? bare.replace(/\\/g, "/") : bare;
  const isRooted = bare.startsWith("/");
  const parts: string[] = [];
  for (const part of slashed.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (part !== ".." || !isRooted) parts.push(part);
  }
  // A rest of nothing but spaces is not a path either.
  if (parts.join("").trim() === "") return undefined;
  return isRooted ? `/${parts.join("/")}` : parts.join("/");
}

/** Joins a relative path to its folder. */
export function joinPath(folder: string, path: string): string {
  return isAbsolute(path) || folder === "" ? path : `${folder}/${path}`;
}

function isAbsolute(path: string): boolean {
  return path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path);
}

/** The last part of a path: the name by which people and models speak of a file. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The absolute paths of a session, to which relative paths are resolved. */
export class KnownPaths {
  readonly #byName = new Map<string, Set<string>>();

  /** Adds a path if it is absolute. */
  add(path: string): void {
    if (!isAbsolute(path)) return;
    const name = baseName(path);
    const known = this.#byName.get(name);
    if (known === undefined) this.#byName.set(name, new Set([path]));
    else known.add(path);
  }

  /** Returns the only known path that ends with `path`; `path` itself if there is none or more than one. */
  resolve(path: string): string {
    if (isAbsolute(path)) return path;
    const named = this.#byName.get(baseName(path));
    if (named === undefined) return path;
    const found = [...named].filter((known) => known.endsWith(`/${path}`));
    return found.length === 1 ? found[0]! : path;
  }
}

// Finds the files, and their lines, that a shell command prints. Agents read with `sed -n` and `cat` as often
// as with a reading tool, mostly after a `cd`. Only commands that do nothing but show files are recognized;
// a redirection or an unknown program yields no view.

/** A file that a command shows; `first` and `last` are its lines where the command says so. */
interface ShellView {
  readonly path: string;
  readonly first?: number;
  readonly last?: number;
  /** The command shows nothing but such files: its output is their text, one after the other. */
  readonly isPlain: boolean;
}

const MAX_COMMAND_CHARACTERS = 4_000;
const SHOWING = new Set(["cat", "head", "tail", "nl", "less", "more", "bat"]);
const WORD = /"[^"]*"|'[^']*'|\S+/g;
const LINES = /^(\d{1,9})(?:,(\d{1,9}|\$))?p?$/;
/** Programs that show a whole file. */
const WHOLE = new Set(["cat", "nl", "bat"]);
const CUTTING = /^\s*(?:(?:head|tail|less|more|cat|nl)\b|sed -n\s)/;
/** Lines of a whole file in PowerShell. */
const SELECTING = /^\s*select(?:-object)?(?:\s+-(?:first|skip)\s+\d{1,7}){1,2}\s*$/i;
/** A word with a dot or a separator is taken as a path. */
const LIKE_PATH = /[./]/;

/** `folder`: where the command starts, if the call says so. */
export function shellViews(command: string, folder = ""): readonly ShellView[] {
  if (command.length > MAX_COMMAND_CHARACTERS || command.includes("<<")) return [];
  const views: Omit<ShellView, "isPlain">[] = [];
  let at = folder;
  let isPlain = true;
  for (const part of command.split(/&&|\|\||;|\n/)) {
    if (part.trim() === "") continue;
    const pipe = part.split("|");
    const words = wordsOf(pipe[0]!);
    const entered = enteredFolder(words);
    if (entered !== undefined) {
      at = joinPath(at, entered);
      continue;
    }
    // A pipe into another program does not show the file, unless that program only cuts the text.
    const found = pipe.slice(1).every((filter) => CUTTING.test(filter) || SELECTING.test(filter))
      ? viewsOf(words, at)
      : [];
    const cut = pipe.length === 2 && showsWhole(words) ? linesLeft(pipe[1]!) : undefined;
    if (found.length === 0 || (pipe.length > 1 && cut === undefined)) isPlain = false;
    addAll(
      views,
      found.map((view) => ({ ...view, ...cut })),
    );
  }
  return views.map((view) => ({ ...view, isPlain }));
}

/** The folder that `cd` or `Set-Location` changes to. */
function enteredFolder([program = "", ...words]: readonly string[]): string | undefined {
  if (!/^(?:cd|set-location|sl)$/i.test(program)) return undefined;
  return words.find((word) => !/^(?:-path|-literalpath|\/d)$/i.test(word));
}

const isGetContent = ([program = ""]: readonly string[]): boolean =>
  /^(?:get-content|gc|type)$/i.test(program);

const showsWhole = (words: readonly string[]): boolean => WHOLE.has(words[0]!) || isGetContent(words);

/** Options of `Get-Content` that count lines from the start, and those whose value is not a path. */
const COUNTING = /^-(?:totalcount|head|first)$/i;
const VALUED = /^-(?:encoding|delimiter|readcount|erroraction|ea)$/i;

/** `Get-Content -Path a.ts -TotalCount 80`; of the end of a file the place is not known. */
function contentViews(words: readonly string[], folder: string): readonly Omit<ShellView, "isPlain">[] {
  if (words.some((word) => /^-(?:tail|last|wait|stream)$/i.test(word) || word.includes(">"))) return [];
  const count = Number(words[words.findIndex((word) => COUNTING.test(word)) + 1]);
  const lines = { first: 1, ...(Number.isInteger(count) && count > 0 ? { last: count } : {}) };
  return words.slice(1).flatMap((word, index) => {
    const before = words[index]!;
    if (COUNTING.test(before) || VALUED.test(before) || word.startsWith("-")) return [];
    if (!LIKE_PATH.test(word) || /[*?{}()$`,]/.test(word)) return [];
    const path = normalisePath(joinPath(folder, word.replaceAll("\\", "/")));
    return path === undefined ? [] : [{ path, ...lines }];
  });
}

function viewsOf(words: readonly string[], folder: string): readonly Omit<ShellView, "isPlain">[] {
  if (isGetContent(words)) return contentViews(words, folder);
  const program = words[0] ?? "";
  const isSed = program === "sed" && words.includes("-n");
  if (!isSed && !SHOWING.has(program)) return [];
  // Options that count bytes print too little to be useful.
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

/** The lines of a whole file that `head` or `sed -n` lets through. */
function linesLeft(filter: string): { first?: number; last?: number } | undefined {
  const words = wordsOf(filter);
  if (words[0] === "head") return headOf(words.slice(1));
  if (SELECTING.test(filter)) return selectedLines(filter);
  const range =
    words[0] === "sed" ? words.map((word) => LINES.exec(word)).find((found) => found !== null) : null;
  return range === null || range === undefined ? undefined : linesOf(range);
}

/** The lines that `Select-Object -Skip 10 -First 20` lets through. */
function selectedLines(filter: string): { first?: number; last?: number } {
  const skipped = Number(/-skip\s+(\d+)/i.exec(filter)?.[1] ?? 0);
  const count = /-first\s+(\d+)/i.exec(filter)?.[1];
  return { first: skipped + 1, ...(count === undefined ? {} : { last: skipped + Number(count) }) };
}

function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(WORD)].map(([word]) => word.replace(/^["']|["']$/g, ""));
}

/** `head` shows ten lines by default. */
function headOf(words: readonly string[]): { first: number; last: number } {
  const counts = words.map((word) => /^-n?(\d{1,7})$/.exec(word)?.[1] ?? /^(\d{1,7})$/.exec(word)?.[1]);
  return { first: 1, last: Number(counts.find((count) => count !== undefined) ?? 10) };
}
