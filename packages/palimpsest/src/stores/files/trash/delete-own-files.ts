/**
 * Deletes the files of a session by their exact names, and nothing else.
 *
 * Another program made everything with another name, every link, and everything that is neither file nor folder: it
 * stays in place, and its path is returned.
 */
import { join } from "node:path";
import type { FileSystem } from "../../../ports/file-system.ts";

/** The deletable content of a folder: files by name, and folders by name with their deletable content. */
interface Allowed {
  readonly files: RegExp;
  readonly folders?: Readonly<Record<string, Allowed>>;
  /** Folders of any name, as deep as this many levels, with the same files. */
  readonly depth?: number;
}

const ANY_NAME = /^[^/\\]+$/;
const TEMPORARY = "(?:\\.[0-9A-Za-z-]+\\.tmp)?";

/** The notes, remains of an interrupted replacement, and kept versions (`notes-names.ts`). */
const OWN_NOTES = `notes\\.md${TEMPORARY}|notes\\.(?:taken|copying|previous)\\.\\d+-[0-9a-f]+-[0-9A-Za-z-]+\\.md|notes\\.conflict-\\d+\\.md`;

const SESSION_FOLDER: Allowed = {
  files: new RegExp(`^(?:lease\\.\\d+|${OWN_NOTES}|trashed\\.json)$`),
  folders: {
    ".notes": { files: /^lease\.\d+$/ },
    blobs: { files: new RegExp(`^[0-9a-f]{64}${TEMPORARY}$`) },
    damage: { files: ANY_NAME },
    derived: { files: new RegExp(`^[a-z]+(?:-\\d+)?-\\d+${TEMPORARY}$`) },
    plain: { files: new RegExp(`^m\\d+\\.\\d+\\.txt${TEMPORARY}$`) },
    tasks: { files: ANY_NAME, depth: 3 },
  },
};

/** A session's place in the trash. The file that marks the deletion is removed separately, last. */
const TRASH_PLACE: Allowed = {
  files: /^(?:log\.jsonl|trashed\.json|lease\.\d+)$/,
  folders: { files: SESSION_FOLDER },
};

/** Removes a session's files from its place in the trash; returns the paths of foreign files, which stay. */
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
