/**
 * Paths as they stand in a log, made comparable: one file is one path however a call spelled it.
 *
 * Nothing is looked up on a disk. A relative path is taken for a known absolute one only where a single
 * known path ends with it; where two do, it stays what it is.
 */

const MAX_PATH_CHARACTERS = 1_000;

/** The path without `file://`, `./`, doubled separators and `..`; `undefined` where it is none. */
export function normalisePath(path: string): string | undefined {
  const bare = path.replace(/^(?:file:\/\/)+/, "");
  if (bare.trim() === "" || bare.length > MAX_PATH_CHARACTERS || /[\n\r\0]/.test(bare)) return undefined;
  // On Windows both separators stand in one log; elsewhere a backslash is part of a name.
  const slashed = /(?:^|\/)[A-Za-z]:[\\/]/.test(bare) ? bare.replace(/\\/g, "/") : bare;
  const parts: string[] = [];
  for (const part of slashed.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (part !== ".." || !slashed.startsWith("/")) parts.push(part);
  }
  // What is left may be nothing but spaces, which is no path either.
  if (parts.join("").trim() === "") return undefined;
  return slashed.startsWith("/") ? `/${parts.join("/")}` : parts.join("/");
}

/** `path` seen from `folder`, where it is not absolute already. */
export function joinPath(folder: string, path: string): string {
  return isAbsolute(path) || folder === "" ? path : `${folder}/${path}`;
}

export function isAbsolute(path: string): boolean {
  return path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path);
}

/** The last part of a path: the name by which people and models speak of a file. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Recognises files by any of their spellings: every path it is asked for is one it may be asked for again. */
export class KnownPaths {
  readonly #byName = new Map<string, Set<string>>();

  /** Makes an absolute path known. */
  add(path: string): void {
    if (!isAbsolute(path)) return;
    const name = baseName(path);
    const known = this.#byName.get(name);
    if (known === undefined) this.#byName.set(name, new Set([path]));
    else known.add(path);
  }

  /** The one known path that ends with `path`; `path` itself where there is none, or more than one. */
  resolve(path: string): string {
    if (isAbsolute(path)) return path;
    const found = [...(this.#byName.get(baseName(path)) ?? [])].filter((known) => known.endsWith(`/${path}`));
    return found.length === 1 ? found[0]! : path;
  }
}
