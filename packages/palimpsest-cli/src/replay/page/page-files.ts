/**
 * File names of a run's pages: OUT, or OUT with a suffix if the run has several sessions or windows.
 */
import { lstatSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { OptionError } from "palimpsest";
import { formatTokens } from "../../terminal/figures.ts";

const PART_CHARACTERS = 60;

/** Parts of a page's name that differ within the run. */
export interface PageParts {
  readonly file?: string | undefined;
  readonly session?: string | undefined;
  readonly windowTokens?: number | undefined;
}

export class PageFiles {
  readonly #path: string;
  readonly #given = new Set<string>();

  /** @throws OptionError `OPTION_INVALID` where nothing can be written there, before anything is replayed. */
  constructor(path: string) {
    this.#path = resolved(path);
  }

  /** The file of the next page; never one that this run has written already. */
  next({ file, session, windowTokens }: PageParts): string {
    const parts = [
      file === undefined ? undefined : withoutEndings(basename(file)),
      session,
      windowTokens === undefined ? undefined : formatTokens(windowTokens).toLowerCase(),
    ];
    const suffix = parts.flatMap((part) => (part === undefined ? [] : [`-${safe(part)}`])).join("");
    const ending = extname(this.#path);
    const stem = basename(this.#path, ending);
    for (let count = 1; ; count++) {
      const name = `${stem}${suffix}${count === 1 ? "" : `-${count}`}${ending}`;
      const path = join(dirname(this.#path), name);
      if (this.#given.has(path)) continue;
      this.#given.add(path);
      return path;
    }
  }
}

/** Resolves `path` if a file can be written there. Folders and devices are refused. */
function resolved(path: string): string {
  if (path === "" || path === "-") throw refused(path, "is not the name of a file");
  const folder = dirname(path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw refused(path, `cannot be written: there is no folder ${folder}`);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path;
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw refused(path, "is a link that leads nowhere");
  if (found.isDirectory()) throw refused(path, "is a folder");
  if (!found.isFile()) throw refused(path, "is not an ordinary file");
  return realpathSync(path);
}

function refused(path: string, why: string): OptionError {
  return new OptionError({
    message: `${path === "" ? "An empty name" : path} ${why}.`,
    hint: "Name a file for the page, such as --html session.html; an existing one is replaced.",
  });
}

/** `a.jsonl.gz` is `a`. */
function withoutEndings(name: string): string {
  return name.replace(/(?:\.(?:gz|jsonl?|ndjson|txt))+$/i, "");
}

/** A part of a file's name on every platform. */
function safe(part: string): string {
  const plain = part.replace(/[^\p{L}\p{N}._]+/gu, "-").replace(/^[-.]+|[-.]+$/g, "");
  return plain.slice(0, PART_CHARACTERS) || "page";
}
