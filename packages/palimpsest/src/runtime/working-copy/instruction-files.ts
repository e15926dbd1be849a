/**
 * Reads instruction files (CLAUDE.md, AGENTS.md) of a working copy and of the folders above it.
 *
 * DESIGN. A stranger may have written them: each file is resolved once, opened without following a link or waiting for a
 * pipe, and read up to a limit. A link may only lead to another Markdown file, so that a repository cannot pass off a key
 * as its instructions. Above the working copy, a file counts only if its owner may decide here: in a shared folder
 * anybody can leave one.
 */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname, extname, join } from "node:path";
import { HOME_DEFAULTS } from "../../base/defaults/home.ts";
import { errorCode, errorMessage } from "../../base/errors.ts";
import { showHidden } from "../../base/text/hidden-characters.ts";
import type { ContextProblem, InstructionFile } from "../../ports/project-context.ts";

const NAMES = ["CLAUDE.md", "AGENTS.md"] as const;
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
const BYTE_ORDER_MARK = /^\uFEFF/;

/** Instruction files, the outermost folder first, and the files that could not be used. */
interface FoundInstructions {
  readonly instructions: readonly InstructionFile[];
  readonly problems: readonly ContextProblem[];
}

/** Reads instruction files from `top` (or the root) down to the working copy. Never throws. */
export function readInstructionFiles({
  workingCopy,
  top,
}: {
  readonly workingCopy: string;
  /** The last folder on the way up; the root if the working copy is outside of it. */
  readonly top: string;
}): FoundInstructions {
  const reader = new InstructionReader(ownersFor(workingCopy));
  const folders = foldersUp(workingCopy, top);
  // The nearest files get their share of the common limit first.
  for (const folder of folders)
    for (const name of NAMES.toReversed())
      reader.read(join(folder, name), { mayBeAnyones: folder === workingCopy });
  return { instructions: reader.found.toReversed(), problems: reader.problems };
}

type Refusal = Pick<ContextProblem, "reason" | "detail">;
const NOT_A_FILE: Refusal = { reason: "not-a-file", detail: "It is not a regular file." };

class InstructionReader {
  readonly found: InstructionFile[] = [];
  readonly problems: ContextProblem[] = [];
  readonly #owners: ReadonlySet<number> | undefined;
  readonly #seen = new Set<string>();
  #bytesLeft: number = HOME_DEFAULTS.instructionBytes;

  constructor(owners: ReadonlySet<number> | undefined) {
    this.#owners = owners;
  }

  /** Reads one file. `mayBeAnyones`: the file may have any owner. */
  read(path: string, { mayBeAnyones }: { readonly mayBeAnyones: boolean }): void {
    try {
      const real = realpathSync(path);
      if (this.#seen.has(real)) return;
      this.#seen.add(real);
      const refusal = this.#readReal(path, { real, mayBeAnyones });
      if (refusal !== undefined) this.#report(path, refusal);
    } catch (error) {
      const code = errorCode(error);
      if (code === "ENOENT" || code === "ENOTDIR") return;
      // No file may keep a session from starting.
      const detail = errorMessage(error);
      this.#report(path, { reason: "unreadable", detail });
    }
  }

  #readReal(
    path: string,
    { real, mayBeAnyones }: { readonly real: string; readonly mayBeAnyones: boolean },
  ): Refusal | undefined {
    if (extname(real).toLowerCase() !== ".md")
      return { reason: "foreign", detail: `It leads to ${real}, which is not a Markdown file.` };
    // Before opening it: opening a device may have effects.
    if (!statSync(real).isFile()) return NOT_A_FILE;
    const fd = openSync(real, OPEN_FLAGS);
    try {
      const stat = fstatSync(fd);
      if (!stat.isFile()) return NOT_A_FILE;
      if (!mayBeAnyones && !this.#isTrusted(stat))
        return {
          reason: "foreign",
          detail: `It belongs to user ${stat.uid}, who may not give instructions here.`,
        };
      return this.#take(path, { fd, bytes: stat.size });
    } finally {
      closeSync(fd);
    }
  }

  #take(path: string, { fd, bytes }: { readonly fd: number; readonly bytes: number }): Refusal | undefined {
    const limit = Math.min(HOME_DEFAULTS.instructionFileBytes, this.#bytesLeft);
    if (limit === 0)
      return { reason: "too-large", detail: "Files nearer to the working copy take all the room there is." };
    const read = readUpTo(fd, limit + 1);
    if (read.includes(0)) return { reason: "not-text", detail: "It holds bytes that no text has." };
    const isCut = read.length > limit;
    const decoded = decode(isCut ? read.subarray(0, limit) : read);
    if (decoded.hasReplacements)
      this.#report(path, { reason: "bad-encoding", detail: "What is not UTF-8 in it was replaced." });
    if (isCut)
      this.#report(path, {
        reason: "too-large",
        detail: `Of its ${bytes} bytes the first ${limit} are used.`,
      });
    this.#bytesLeft -= Math.min(read.length, limit);
    const text = showHidden(decoded.text).trim();
    if (text === "") return undefined;
    this.found.push({ path, text: isCut ? cutAtLine(text, { bytes, limit }) : text, bytes, isCut });
    return undefined;
  }

  #isTrusted(stat: Stats): boolean {
    return this.#owners === undefined || this.#owners.has(stat.uid);
  }

  #report(subject: string, refusal: Refusal): void {
    this.problems.push({ subject, ...refusal });
  }
}

/** The working copy, then the folder above it, and so on. */
function foldersUp(workingCopy: string, top: string): readonly string[] {
  const folders: string[] = [];
  for (
    let folder = workingCopy;
    folders.length < HOME_DEFAULTS.instructionFolders;
    folder = dirname(folder)
  ) {
    folders.push(folder);
    if (folder === top || dirname(folder) === folder) break;
  }
  return folders;
}

/** Owners of trusted files above a working copy: this user, root, and the owner of the working copy. */
function ownersFor(workingCopy: string): ReadonlySet<number> | undefined {
  const own = process.getuid?.();
  if (own === undefined) return undefined;
  const owner = statSync(workingCopy, { throwIfNoEntry: false })?.uid;
  return new Set([own, 0, ...(owner === undefined ? [] : [owner])]);
}

function readUpTo(fd: number, limit: number): Buffer {
  const buffer = Buffer.allocUnsafe(limit);
  let filled = 0;
  while (filled < limit) {
    const count = readSync(fd, buffer, filled, limit - filled, filled);
    if (count === 0) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}

function decode(bytes: Buffer): { readonly text: string; readonly hasReplacements: boolean } {
  try {
    return {
      text: withoutMark(new TextDecoder("utf-8", { fatal: true }).decode(bytes)),
      hasReplacements: false,
    };
  } catch {
    const text = withoutMark(bytes.toString("utf8"));
    // The limit may cut the last character; `cutAtLine` removes it.
    return { text, hasReplacements: /\uFFFD/.test(text.slice(0, -1)) };
  }
}

const withoutMark = (text: string): string => text.replace(BYTE_ORDER_MARK, "").replace(/\r\n?/g, "\n");

function cutAtLine(
  text: string,
  { bytes, limit }: { readonly bytes: number; readonly limit: number },
): string {
  const end = text.lastIndexOf("\n");
  const kept = end === -1 ? text.replace(/\uFFFD$/, "") : text.slice(0, end);
  return `${kept}\n[… ${bytes} bytes in all, cut at ${limit}: read the file for the rest]`;
}
