/**
 * The folder that the demo's agent works in: which of its files are text that may be read.
 *
 * Nothing outside is ever touched: links are not followed; hidden files, files that by their names
 * may hold secrets, folders of tools and builds, and names that no terminal can show are passed over
 * without being opened; every path is checked again when it is.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { InputError } from "palimpsest";
import { DEMO_DEFAULTS } from "../defaults/cli.ts";
import { printable } from "../terminal/styles.ts";

export interface WorkspaceFile {
  /** Relative to the folder, with `/` on every platform. */
  readonly path: string;
  readonly bytes: number;
}

export interface Workspace {
  /** The folder itself, links resolved. */
  readonly root: string;
  /** Text files, sorted by path. */
  readonly files: readonly WorkspaceFile[];
  /** Folders with such files, `.` first. */
  readonly folders: readonly string[];
  readonly isGitCheckout: boolean;
  readonly totalBytes: number;
}

const PASSED_OVER: ReadonlySet<string> = new Set([
  ...["node_modules", "dist", "build", "out", "target", "vendor", "coverage", "venv", "__pycache__", "tmp"],
]);
/** Names of files and folders that may hold keys, passwords and tokens. */
const SECRET =
  /^\.env|\.env($|\.)|\.(pem|key|p12|pfx|kdbx|jks|keystore|ovpn|asc|gpg)$|^id_|credential|secret|passw(or)?d|^\.?(npmrc|netrc|pgpass|htpasswd)$/i;
/** How much of a file is looked at to tell text from data, in bytes. */
const SNIFF_BYTES = 4_096;

/** Looks a folder through. @throws InputError `INPUT_NOT_FOUND` or `INPUT_UNREADABLE` where it is none. */
export function surveyWorkspace(folder: string): Workspace {
  const root = openRoot(folder);
  const { maxFilesCount, maxFoldersCount, maxFolderDepth } = DEMO_DEFAULTS;
  const files: WorkspaceFile[] = [];
  const folders: string[] = ["."];
  const queue: { readonly path: string; readonly depth: number }[] = [{ path: "", depth: 0 }];
  // Breadth first: where there is too much, the upper levels tell more.
  for (let at = 0; at < Math.min(queue.length, maxFoldersCount) && files.length < maxFilesCount; at++) {
    const { path, depth } = queue[at]!;
    const entries = listFolder(join(root, path)).map((entry) => ({
      ...entry,
      path: path === "" ? entry.name : `${path}/${entry.name}`,
    }));
    const found = entries
      .filter((entry) => entry.isFile)
      .map((entry) => ({ path: entry.path, bytes: textBytes(join(root, entry.path)) }))
      .filter(({ bytes }) => bytes > 0);
    files.push(...found.slice(0, maxFilesCount - files.length));
    if (found.length > 0 && path !== "") folders.push(path);
    if (depth < maxFolderDepth)
      for (const entry of entries) if (entry.isDirectory) queue.push({ path: entry.path, depth: depth + 1 });
  }
  return {
    root,
    files: files.sort((left, right) => (left.path < right.path ? -1 : 1)),
    folders,
    isGitCheckout: isFolder(join(root, ".git")),
    totalBytes: files.reduce((sum, file) => sum + file.bytes, 0),
  };
}

/** Texts of a workspace's files that were read before, as far as there is room for them. */
class KnownTexts {
  readonly #paths: ReadonlySet<string>;
  readonly #texts = new Map<string, string>();
  #freeBytes: number = DEMO_DEFAULTS.cachedBytes;

  constructor({ files }: Workspace) {
    this.#paths = new Set(files.map(({ path }) => path));
  }

  get(root: string, path: string): string | undefined {
    const known = this.#texts.get(path);
    if (known !== undefined || !this.#paths.has(path)) return known;
    const text = readText(root, path);
    if (text === undefined || text.length > this.#freeBytes) return text;
    this.#freeBytes -= text.length;
    this.#texts.set(path, text);
    return text;
  }
}

const knownTexts = new WeakMap<Workspace, KnownTexts>();

/** The text of a file of the workspace; `undefined` where it is none of its files or has gone. */
export function readWorkspaceFile(workspace: Workspace, path: string): string | undefined {
  const known = knownTexts.get(workspace) ?? new KnownTexts(workspace);
  knownTexts.set(workspace, known);
  return known.get(workspace.root, path);
}

function readText(root: string, path: string): string | undefined {
  try {
    const real = realpathSync(join(root, path));
    return isInside(root, real) ? readFileSync(real, "utf8") : undefined;
  } catch {
    // It was removed, or may not be read any more, since the survey: for the agent it is not there.
    return undefined;
  }
}

/** Whether a file or a folder of this name is better left alone. @internal */
function mayHoldSecrets(name: string): boolean {
  return SECRET.test(name);
}

function openRoot(folder: string): string {
  const hint = "Give a folder to work in, or start the demo inside one.";
  let root: string;
  try {
    root = realpathSync(folder);
  } catch (cause) {
    throw new InputError("INPUT_NOT_FOUND", { message: `There is no folder ${folder}.`, hint, cause });
  }
  if (isFolder(root)) return root;
  throw new InputError("INPUT_UNREADABLE", { message: `${folder} is a file, not a folder.`, hint });
}

interface FolderEntry {
  readonly name: string;
  readonly isFile: boolean;
  readonly isDirectory: boolean;
}

function listFolder(path: string): readonly FolderEntry[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter(({ name }) => !name.startsWith(".") && !PASSED_OVER.has(name) && !mayHoldSecrets(name))
      .filter(({ name }) => printable(name) === name)
      .map((entry) => ({ name: entry.name, isFile: entry.isFile(), isDirectory: entry.isDirectory() }))
      .sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch {
    // A folder that may not be listed holds nothing for the agent.
    return [];
  }
}

/** Size of a text file, 0 for anything else. */
function textBytes(path: string): number {
  try {
    const { size } = statSync(path);
    return size <= DEMO_DEFAULTS.maxFileBytes && !isBinary(path) ? size : 0;
  } catch {
    // Unreadable is as good as not there.
    return 0;
  }
}

function isBinary(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const start = Buffer.alloc(SNIFF_BYTES);
    return start.subarray(0, readSync(file, start, 0, SNIFF_BYTES, 0)).includes(0);
  } finally {
    closeSync(file);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isInside(root: string, path: string): boolean {
  return path.startsWith(root.endsWith(sep) ? root : root + sep);
}
