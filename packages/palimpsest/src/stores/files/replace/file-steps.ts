/**
 * Single file operations for files that people edit, shared by notes and memories: each tolerates a file that is gone,
 * and a hard link never overwrites a file.
 */
import { errorCode } from "../../../base/errors.ts";
import type { FileSystem } from "../../../ports/file-system.ts";

/** Error codes of a file system without hard links, or not for this file. */
const UNSUPPORTED: ReadonlySet<string | undefined> = new Set([
  ...["EPERM", "EACCES", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV", "EINVAL"],
]);

/** True if the path does not exist, or a file is in the place of a folder. */
export function isAbsence(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

/** Does the work; returns `undefined` if the file does not exist. */
export function ifThere<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** Renames a file or folder; returns false if it does not exist. */
export function renameIfThere(fs: FileSystem, from: string, to: string): boolean {
  const work = () => {
    fs.rename(from, to);
    return true;
  };
  return ifThere(work) ?? false;
}

/**
 * Makes a hard link, so that the whole file appears under a free name at once. Returns `taken` if the name is in use,
 * `gone` if there is no such file, and `unsupported` without hard links.
 */
export function linkFile(
  fs: FileSystem,
  from: string,
  to: string,
): "done" | "taken" | "gone" | "unsupported" {
  try {
    // Some systems would link the target of a symbolic link.
    if (fs.link === undefined || fs.stat(from)?.isLink) return "unsupported";
    fs.link(from, to);
    return "done";
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST") return "taken";
    if (isAbsence(error)) return "gone";
    if (UNSUPPORTED.has(code)) return "unsupported";
    throw error;
  }
}
