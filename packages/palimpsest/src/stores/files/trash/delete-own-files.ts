/**
 * Deletes what is a session's own, by exact names, and nothing else.
 *
 * Whatever has another name, is a link, or is neither file nor folder was put there by somebody else: it
 * stays where it is, and its path is returned.
 */
import { join } from "node:path";
import type { FileSystem } from "../../../ports/file-system.ts";

/** What may be deleted in a folder: files by name, folders by name with what may be deleted in them. */
interface Allowed {
  readonly files: RegExp;
  readonly folders?: Readonly<Record<string, Allowed>>;
  /** Folders of any name, as deep as this many levels, with the same files. */
  readonly depth?: number;
}

const ANY_NAME = /^[^/\\]+$/;
const TEMPORARY = "(?:\\.[0-9A-Za-z-]+\\.tmp)?";

/** The notes, what a crash left of replacing them, and versions of them that are kept (`notes-names.ts`). */
const OWN_NOTES = `notes\\.md${TEMPORARY}|notes\\.(?:taken|copying|previous)\\.\\d+-[0-9a-f]+-[0-9A-Za-z-]+\\.md|notes\\.conflict-\\d+\\.md`;

const SESSION_FOLDER: Allowed = {
  files: new RegExp(`^(?:lease\\.\\d+|${OWN_NOTES}|trashed\\.json)$`),
  folders: {
    ".notes": { files: /^lease\.\d+$/ },
    blobs: { files: new RegExp(`^[0-9a-f]{64}${TEMPORARY}$`) },
    damage: { files: ANY_NAME },
    tasks: { files: ANY_NAME, depth: 3 },
  },
};

/** A session's place in the trash. The file that says that it is being deleted goes last, by itself. */
const TRASH_PLACE: Allowed = {
  files: /^(?:log\.jsonl|trashed\.json|lease\.\d+)$/,
  folders: { files: SESSION_FOLDER },
};

/** Empties a session's place in the trash as far as it is the session's; returns the paths that were left. */
export function removeTrashedFiles(fs: FileSystem, folder: string): readonly string[] {
  return removeAllowed(fs, folder, TRASH_PLACE);
}

/** Removes lease files, and the folder if nothing else is in it. */
export function removeLeases(fs: FileSystem, folder: string): void {
  removeAllowed(fs, folder, { files: /^lease\.\d+$/ });
  if (fs.list(folder).length === 0) fs.removeDirectory(folder);
}

function removeAllowed(fs: FileSystem, folder: string, allowed: Allowed): readonly string[] {
  return fs.list(folder).flatMap((name) => {
    const path = join(folder, name);
    const stat = fs.stat(path);
    if (stat === undefined || stat.isLink) return [path];
    if (stat.isDirectory) {
      const inner = allowedFolder(allowed, name);
      return inner === undefined ? [path] : removeFolder(fs, path, inner);
    }
    if (!allowed.files.test(name)) return [path];
    fs.remove(path);
    return [];
  });
}

function allowedFolder({ files, folders, depth = 0 }: Allowed, name: string): Allowed | undefined {
  if (folders !== undefined && Object.hasOwn(folders, name)) return folders[name];
  return depth > 0 ? { files, depth: depth - 1 } : undefined;
}

function removeFolder(fs: FileSystem, path: string, allowed: Allowed): readonly string[] {
  const left = removeAllowed(fs, path, allowed);
  if (left.length === 0) fs.removeDirectory(path);
  return left;
}
