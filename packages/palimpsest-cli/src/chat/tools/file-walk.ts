/**
 * The files of the workspace, for tools that look at many: without version control, installed packages and what the
 * workspace's `.gitignore` files leave out. Links are not followed, so nothing outside is reached.
 */
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readTextIfThere } from "../base/regular-file.ts";
import { pathPattern } from "../permissions/patterns.ts";

/** Folders that are never looked into. */
export const SKIPPED: ReadonlySet<string> = new Set([".git", ".hg", ".svn", "node_modules"]);
/** Most files that are looked at. Our choice: far above large repositories. */
const MOST_FILES = 200_000;
const IGNORE_BYTES = 200_000;

/** A line of a `.gitignore`, for paths below its folder. */
interface IgnoreRule {
  /** The folder with the file, relative to the root of the walk, with a `/` at its end; empty for the root. */
  readonly folder: string;
  readonly pattern: RegExp;
  readonly isNegated: boolean;
  readonly isForFolders: boolean;
}

/** Paths of files relative to `root`, with `/`, folder by folder in the order of their names. */
export async function* walkFiles(root: string, signal: AbortSignal): AsyncGenerator<string> {
  let count = 0;
  async function* below(folder: string, inherited: readonly IgnoreRule[]): AsyncGenerator<string> {
    signal.throwIfAborted();
    const entries = await entriesOf(join(root, folder));
    const rules = entries.some(({ name }) => name === ".gitignore")
      ? [...inherited, ...(await readRules(root, folder))]
      : inherited;
    for (const entry of entries) {
      const path = `${folder}${entry.name}`;
      if (entry.isDirectory()) {
        if (!SKIPPED.has(entry.name) && !isIgnored(rules, path, true)) yield* below(`${path}/`, rules);
      } else if (entry.isFile() && !isIgnored(rules, path, false)) {
        if (++count > MOST_FILES) return;
        yield path;
      }
    }
  }
  yield* below("", []);
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch {
    // It may be gone, or not readable for this user.
    return [];
  }
}

async function readRules(root: string, folder: string): Promise<readonly IgnoreRule[]> {
  const text = await readTextIfThere(join(root, folder, ".gitignore"), IGNORE_BYTES).catch(() => undefined);
  return (text ?? "").split("\n").flatMap((line) => {
    const written = line.replace(/\s+$/, "");
    if (written === "" || written.startsWith("#")) return [];
    const isNegated = written.startsWith("!");
    const body = isNegated ? written.slice(1) : written;
    const isForFolders = body.endsWith("/");
    const path = body.replace(/^\/|\/$/g, "");
    // A pattern without a `/` inside is about names at any depth.
    const isAnchored = body.startsWith("/") || path.includes("/");
    return [{ folder, pattern: pathPattern(isAnchored ? path : `**/${path}`), isNegated, isForFolders }];
  });
}

function isIgnored(rules: readonly IgnoreRule[], path: string, isFolder: boolean): boolean {
  const last = rules.findLast(
    ({ folder, pattern, isForFolders }) =>
      (isFolder || !isForFolders) && path.startsWith(folder) && pattern.test(path.slice(folder.length)),
  );
  return last !== undefined && !last.isNegated;
}
