/**
 * The workspace: the folder that tools work in, and the few others that they may read or change. Every path of a tool goes
 * through here.
 *
 * What counts is the real place of a file, after every link: a link that leads out of the workspace is refused, also where
 * the file itself does not exist yet. After a file was opened, its real place is looked at once more, so that a folder that
 * is replaced by a link meanwhile opens nothing outside.
 */
import { lstat, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { InputError } from "palimpsest";
import { type OpenFile, openRegularFile } from "../base/regular-file.ts";
import { codeOf } from "../base/values.ts";

interface WorkspaceOptions {
  /** The real path of the folder that is worked in. */
  readonly root: string;
  /** Further folders that may be read and changed. */
  readonly folders?: readonly string[];
  /** Further folders that may be read only, such as that of the session's own large blocks. */
  readonly readable?: () => readonly string[];
}

/** A path that a tool named, resolved. */
export interface Place {
  /** The real path: no part of it is a link. */
  readonly path: string;
  /** For people, models and rules: relative to the workspace, with `/`; absolute outside of it. */
  readonly name: string;
  readonly exists: boolean;
}

export class Workspace {
  readonly root: string;
  readonly #folders: readonly string[];
  readonly #readable: () => readonly string[];

  constructor({ root, folders = [], readable = () => [] }: WorkspaceOptions) {
    this.root = root;
    this.#folders = folders;
    this.#readable = readable;
  }

  /** Resolves a path for reading, or for changing. @throws `InputError` where it lies outside */
  async resolve(path: string, use: "read" | "change"): Promise<Place> {
    if (path.includes("\0")) throw outside(path, "has a character that no path has");
    const wanted = isAbsolute(path) ? resolve(path) : resolve(this.root, expandHome(path));
    const { real, exists } = await realPlace(wanted);
    const isAllowed = isWithin(this.root, real) || (await this.#isInFurtherFolder(real, use));
    if (!isAllowed)
      throw outside(
        path,
        real === wanted ? "lies outside of the workspace" : `leads to ${real}, outside of the workspace`,
      );
    return { path: real, name: this.nameOf(real), exists };
  }

  async #isInFurtherFolder(real: string, use: "read" | "change"): Promise<boolean> {
    const further = [...this.#folders, ...(use === "read" ? this.#readable() : [])];
    const folders = await Promise.all(further.map((folder) => realpath(folder).catch(() => undefined)));
    return folders.some((folder) => folder !== undefined && isWithin(folder, real));
  }

  /** Opens a file of the workspace. @throws `InputError` for pipes, devices, folders, and what lies outside */
  async open(place: Place): Promise<OpenFile> {
    const file = await openRegularFile(place.path);
    try {
      const now = await realpath(place.path).catch(() => undefined);
      const seen = now === undefined ? undefined : await stat(now);
      if (now !== place.path || `${seen?.dev}:${seen?.ino}` !== file.identity)
        throw outside(place.name, "was replaced while it was opened");
      return file;
    } catch (error) {
      await file.handle.close();
      throw error;
    }
  }

  /** A path as people and models see it. */
  nameOf(path: string): string {
    if (path === this.root) return ".";
    return isWithin(this.root, path) ? relative(this.root, path).split(sep).join("/") : path;
  }
}

/** True if the path is the folder or lies in it. */
function isWithin(folder: string, path: string): boolean {
  const from = relative(folder, path);
  return from === "" || (!from.startsWith(`..${sep}`) && from !== ".." && !isAbsolute(from));
}

function expandHome(path: string): string {
  return path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;
}

/** The real place of a path: of its nearest ancestor that exists, and what is missing below it. */
async function realPlace(path: string): Promise<{ readonly real: string; readonly exists: boolean }> {
  const missing: string[] = [];
  for (let at = path; ; ) {
    try {
      return { real: join(await realpath(at), ...missing), exists: missing.length === 0 };
    } catch (error) {
      const code = codeOf(error);
      // A link that leads nowhere would be followed by a write.
      if (code !== "ENOENT" && code !== "ENOTDIR")
        throw outside(path, `cannot be resolved (${code ?? "unknown"})`);
      if (await isDeadLink(at)) throw outside(path, "is a link that leads nowhere");
      const above = dirname(at);
      if (above === at) throw outside(path, "cannot be resolved");
      missing.unshift(basename(at));
      at = above;
    }
  }
}

async function isDeadLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}

function outside(path: string, problem: string): InputError {
  return new InputError("INPUT_UNREADABLE", {
    message: `${path} ${problem}.`,
    hint: "Tools use files of the workspace. A person can add a folder with --add-dir, or in the settings.",
  });
}
