/**
 * Reads memories to import: one file, or the Markdown files of a directory.
 *
 * The directory may be a checkout of another person's project. So links that lead out of it are not followed and files
 * that are not text are refused. Every refused file is reported; the others are read.
 */
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { InputError } from "palimpsest";
import type { NotCarried } from "palimpsest/internal";
import { MEMORY_STORE_DEFAULTS, MEMORY_WRITE_DEFAULTS } from "palimpsest/internal";
import type { ForeignFile } from "palimpsest/memory";

interface ForeignMemories {
  readonly from: string | readonly ForeignFile[];
  /** Files of a directory that were not read, and why. */
  readonly refused: readonly NotCarried[];
}

/** Reads a file or a directory. @throws `INPUT_NOT_FOUND`, `INPUT_EMPTY`, `INPUT_TOO_LARGE`, `INPUT_UNREADABLE` */
export function readForeignMemories(path: string): ForeignMemories {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined)
    throw new InputError("INPUT_NOT_FOUND", {
      message: `There is no ${path}.`,
      hint: "Give the path of a memory directory or of an export.",
    });
  if (stat.isDirectory()) return readDirectory(path);
  const read = readFile(path, { mayBeLink: true });
  if ("text" in read) return { from: read.text, refused: [] };
  throw new InputError(read.isLarge ? "INPUT_TOO_LARGE" : "INPUT_UNREADABLE", {
    message: `${path} is not imported: ${read.why}.`,
    hint: "Memories are short texts in UTF-8: see whether this is the right file.",
  });
}

function readDirectory(root: string): ForeignMemories {
  const files: ForeignFile[] = [];
  const refused: NotCarried[] = [];
  const walk = (names: readonly string[]): void => {
    const inside = names.join("/");
    if (names.length >= MEMORY_STORE_DEFAULTS.depthLimitCount) {
      refused.push({ origin: inside, what: "it is nested too deep" });
      return;
    }
    for (const entry of entriesOf(inside)) {
      // Hidden files belong to editors, version control, or this library.
      if (entry.name.startsWith(".")) continue;
      const path = [...names, entry.name].join("/");
      if (entry.isDirectory()) walk([...names, entry.name]);
      else if (entry.isSymbolicLink()) refused.push({ origin: path, what: IS_LINK });
      else if (/\.md$/i.test(entry.name)) {
        const read = readFile(join(root, path), { mayBeLink: false });
        if ("text" in read) files.push({ path, ...read });
        else refused.push({ origin: path, what: read.why });
      }
    }
  };
  const entriesOf = (folder: string): readonly Dirent[] => {
    try {
      return readdirSync(join(root, folder), { withFileTypes: true }).toSorted((one, other) =>
        one.name < other.name ? -1 : 1,
      );
    } catch (error) {
      refused.push({ origin: folder === "" ? root : folder, what: reasonOf(error) });
      return [];
    }
  };
  walk([]);
  // "Everything was imported" would be wrong for a folder of rules in another format.
  if (files.length === 0 && refused.length === 0)
    throw new InputError("INPUT_EMPTY", {
      message: `${root} has no Markdown file (.md); hidden files and other kinds are not read.`,
      hint: "Give a memory directory of Claude Code, or an export of memories.",
    });
  return { from: files, refused };
}

type ReadText = { readonly text: string; readonly modifiedMs: number };
type Refused = { readonly why: string; readonly isLarge?: boolean };

const IS_LINK = "it is a link, which is not followed";

/** Opens the file once, then checks and reads that handle: the path may lead to another file by the next call. */
function readFile(path: string, { mayBeLink }: { readonly mayBeLink: boolean }): ReadText | Refused {
  // `O_NONBLOCK`: opening a pipe does not wait for a writer. Windows has neither of these flags.
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
  let file: number | undefined;
  try {
    file = openSync(path, O_RDONLY | O_NONBLOCK | (mayBeLink ? 0 : O_NOFOLLOW));
    const stat = fstatSync(file);
    const { size, nlink, mtimeMs } = stat;
    const { importedBytes } = MEMORY_WRITE_DEFAULTS;
    if (!stat.isFile()) return { why: "it is not a regular file" };
    if (!mayBeLink && nlink > 1) return { why: "it has another hard link, possibly outside the folder" };
    if (size > importedBytes)
      return { why: `it has ${size} bytes, and may have ${importedBytes}`, isLarge: true };
    const text = textOf(readFileSync(file));
    return text === undefined
      ? { why: `its ${size} bytes are not UTF-8 text` }
      : { text, modifiedMs: mtimeMs };
  } catch (error) {
    return { why: reasonOf(error) };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Decodes UTF-8, without a byte order mark; `undefined` if it is another encoding or not text. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // The caller reports the file.
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ELOOP" ? IS_LINK : `it cannot be read: ${code ?? String(error)}`;
}
