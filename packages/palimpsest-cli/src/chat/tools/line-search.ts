/**
 * Lines that fit a regular expression, without ripgrep: most machines have none. Files are read a few at once and
 * searched in batches, with a limit on the time of an expression that would take for ever.
 */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { createContext, Script } from "node:vm";
import { openRegularFile, readUpTo } from "../base/regular-file.ts";
import { pathPattern } from "../permissions/patterns.ts";
import { walkFiles } from "./file-walk.ts";

/** Larger files are not searched, in bytes. Source: our choice: sources and logs are smaller. */
const SEARCHED_BYTES = 20_000_000;
/** Files are searched together until they have so many characters. */
const BATCH_CHARACTERS = 1_000_000;
/** Time that an expression may take for them: a bad one could take for ever. */
const BATCH_MS = 1_000;
/** Files that are read at once. Source: Node has so many threads for files, unless told otherwise. */
const FILES_AT_ONCE = 4;
/**
 * Expressions of which no part fits the end of a line or looks at what is around: they fit a text if they fit one of its
 * lines, and take no longer for it.
 */
const WITHIN_A_LINE = /^(?:[^\\[(]|\((?!\?[^:])|\\[bBdwS^$\\.*+?()[\]{}|/]|\[[\w-]*\])*$/;
/** A search ends after the batch that has so many lines. Source: our choice: four times what the agent is shown. */
const MOST_LINES = 1_000;

/** A search for lines in the files below `root`, or in the file itself. */
export interface LineSearch {
  readonly root: string;
  readonly pattern: string;
  readonly glob?: string;
  readonly ignore_case?: boolean;
  readonly nameOf: (path: string) => string;
}

/** A line that fits; lines count from 1. */
export interface FoundLine {
  readonly name: string;
  readonly number: number;
  readonly text: string;
}

/**
 * A script can be stopped. Names of a context are slow to look up, so they are looked up once. A text in which nothing
 * fits as a whole has no line that fits.
 */
const SEARCH = new Script(
  `((texts, expression, anywhere) => texts.map((text) => anywhere?.test(text) === false
    ? []
    : text.split("\\n").flatMap((line, at) => expression.test(line) ? [at] : [])))(texts, expression, anywhere)`,
);

/** A file without ripgrep. */
interface ReadFile {
  readonly name: string;
  readonly text: string;
}

/** Finds the lines, in the order of the files' names. @throws if the expression takes too long for a batch of files */
export async function findLines(search: LineSearch, signal: AbortSignal): Promise<readonly FoundLine[]> {
  const flags = search.ignore_case === true ? "ui" : "u";
  const expression = new RegExp(search.pattern, flags);
  const anywhere = WITHIN_A_LINE.test(search.pattern) ? new RegExp(search.pattern, `${flags}m`) : undefined;
  const found: FoundLine[] = [];
  for await (const files of batchesOf(search, signal)) {
    // Each context costs more than searching most files, and each run begins a thread that watches the time.
    const context = createContext({ texts: files.map(({ text }) => text), expression, anywhere });
    const fitting = SEARCH.runInContext(context, { timeout: BATCH_MS }) as readonly (readonly number[])[];
    files.forEach(({ name, text }, place) => {
      const places = fitting[place] ?? [];
      const lines = places.length === 0 ? [] : text.split("\n");
      for (const at of places)
        found.push({ name, number: at + 1, text: (lines[at] ?? "").replace(/\r$/, "") });
    });
    if (found.length > MOST_LINES) return found;
  }
  return found;
}

async function* batchesOf(
  { root, glob, nameOf }: LineSearch,
  signal: AbortSignal,
): AsyncGenerator<readonly ReadFile[]> {
  const fits =
    glob === undefined
      ? undefined
      : pathPattern(glob.includes("/") ? glob.replace(/^\.?\//, "") : `**/${glob}`);
  let files: ReadFile[] = [];
  let characters = 0;
  for await (const paths of someAtOnce(filesAt(root, signal))) {
    const chosen = paths.filter((path) => fits === undefined || fits.test(path === "" ? root : path));
    const texts = await Promise.all(chosen.map((path) => textOf(path === "" ? root : join(root, path))));
    chosen.forEach((path, place) => {
      const text = texts[place];
      if (text === undefined) return;
      files.push({ name: nameOf(path), text });
      characters += text.length;
    });
    if (characters < BATCH_CHARACTERS) continue;
    yield files;
    files = [];
    characters = 0;
  }
  if (files.length > 0) yield files;
}

/** Items in groups, for what waits for the disk. */
async function* someAtOnce(items: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let group: string[] = [];
  for await (const item of items) {
    group.push(item);
    if (group.length < FILES_AT_ONCE) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** The files below a folder, or the file itself as an empty path. */
async function* filesAt(root: string, signal: AbortSignal): AsyncGenerator<string> {
  if ((await stat(root)).isDirectory()) yield* walkFiles(root, signal);
  else yield "";
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    const { handle, bytes } = await openRegularFile(path);
    try {
      if (bytes > SEARCHED_BYTES) return undefined;
      // Some systems name no size for files that they make up while they are read.
      const content = await readUpTo(handle, bytes === 0 ? SEARCHED_BYTES : bytes);
      return content.subarray(0, 8_192).includes(0) ? undefined : content.toString("utf8");
    } finally {
      await handle.close();
    }
  } catch {
    // It may be gone, or not readable for this user.
    return undefined;
  }
}
