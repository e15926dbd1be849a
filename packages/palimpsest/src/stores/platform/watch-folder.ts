/**
 * Watches one folder for changes of what lies in it. A watch gives hints: who gets one looks at the files again.
 *
 * Folders are watched one by one. Node's recursive watch is the system's own on macOS and Windows only; on Linux it
 * watches every file. On a network file system the kernel does not report what other machines do, and on other
 * systems a folder's watch reports new names but not changed files: there is no watch, and callers look by themselves.
 */
import { type FSWatcher, statSync, watch } from "node:fs";
import { basename } from "node:path";
import { findNetworkFileSystem } from "./network-file-system.ts";

/** Systems whose watch of a folder reports changed files in it, too. */
const WATCHED_PLATFORMS: ReadonlySet<string> = new Set(["linux", "darwin", "win32"]);

/** `undefined` where changes by others may go unnoticed. Never throws. */
export function watchFolder(
  folder: string,
  onChange: (name: string | undefined) => void,
): { isGood(): boolean; close(): void } | undefined {
  if (!WATCHED_PLATFORMS.has(process.platform)) return undefined;
  let watcher: FSWatcher | undefined;
  let isGood = true;
  const close = (): void => {
    isGood = false;
    watcher?.close();
  };
  try {
    // A folder that does not exist is asked about often, and is answered first.
    if (idOf(folder) === undefined || findNetworkFileSystem(folder) !== undefined) return undefined;
    watcher = watch(folder, { persistent: false }, (event, name) => {
      // As Linux reports that the folder itself was removed or moved. Another one may have its path at once.
      const isOfFolder = event === "rename" && name === basename(folder);
      onChange(isOfFolder ? undefined : (name ?? undefined));
    });
    watcher.on("error", () => {
      close();
      onChange(undefined);
    });
    const id = idOf(folder);
    return { isGood: () => isGood && id !== undefined && idOf(folder) === id, close };
  } catch {
    // Too many watches, or the folder is gone.
    watcher?.close();
    return undefined;
  }
}

/** Links in the place of the root are followed, as everywhere. */
function idOf(folder: string): string | undefined {
  const stat = statSync(folder, { throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}
