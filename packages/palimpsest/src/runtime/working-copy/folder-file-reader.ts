/**
 * Files of one folder as they are now, for what is shown again after a compaction.
 *
 * The paths come from a transcript, so they are a stranger's: only regular files whose real place is within
 * the folder are read, up to a limit, and only where they are text. Anything else counts as unreadable, and
 * the log's own copy is shown instead.
 */
import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { errorCode } from "../../base/errors.ts";
import type { CurrentFile, FileRestorer } from "../../ports/restorer.ts";

/** Files above this are not read again for a restoration, in bytes. Our choice: a hundred times what is shown of one. */
const READ_BYTES = 4_000_000;

const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const UNREADABLE: CurrentFile = { state: "unreadable" };

/**
 * Reads files below `folder`, and nothing outside of it, wherever links lead. Pass it as `fileReader`, so that
 * files are shown again as they are now and not as the log last held them.
 */
export function folderFileReader(folder: string): FileRestorer {
  return {
    read: async (path) => {
      try {
        const top = await realpath(folder);
        const real = await realpath(resolve(top, path));
        return isWithin(top, real) ? await readText(real) : UNREADABLE;
      } catch (error) {
        const isGone = errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR";
        // Does not reveal which files exist outside.
        return isGone && isWithin(resolve(folder), resolve(folder, path)) ? { state: "gone" } : UNREADABLE;
      }
    },
  };
}

function isWithin(top: string, path: string): boolean {
  const way = relative(top, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function readText(path: string): Promise<CurrentFile> {
  const file = await open(path, OPEN_FLAGS);
  try {
    const { size, ...stat } = await file.stat();
    if (!isRegular(stat.mode) || size > READ_BYTES) return UNREADABLE;
    const text = decode(await wholeOf(file, size));
    return text === undefined ? UNREADABLE : { state: "present", text };
  } finally {
    await file.close();
  }
}

const isRegular = (mode: number): boolean => (mode & constants.S_IFMT) === constants.S_IFREG;

/** Reads up to `size` bytes, so that a file that grows meanwhile has its earlier content. */
async function wholeOf(file: FileHandle, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await file.read(bytes, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** The text, or `undefined` where the bytes are none. */
function decode(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
