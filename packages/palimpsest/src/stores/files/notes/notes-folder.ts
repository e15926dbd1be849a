/**
 * The single file operations for reading and replacing notes (`notes-file.ts`). Each acts on one file of the session's
 * folder and refuses everything that is not a plain file.
 */
import { join } from "node:path";
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import { errorCode, StoreError } from "../../../base/errors.ts";
import type { FileSystem } from "../../../ports/file-system.ts";
import { notesUnreadable } from "../../shared/store-failure.ts";
import { ifThere, linkFile, renameIfThere } from "../replace/file-steps.ts";
import { readBuffer, withFile } from "../replace/whole-file.ts";

export class NotesFolder {
  readonly fs: FileSystem;
  readonly folder: string;

  constructor(fs: FileSystem, folder: string) {
    this.fs = fs;
    this.folder = folder;
  }

  at(name: string): string {
    return join(this.folder, name);
  }

  /** Names in the folder; none if it does not exist. @throws `NOTES_UNREADABLE` if it is a link. */
  names(): readonly string[] {
    const stat = this.fs.stat(this.folder);
    if (stat === undefined) return [];
    if (stat.isLink) throw linkRefused(this.folder);
    return ifThere(() => this.fs.list(this.folder)) ?? [];
  }

  /**
   * Reads a file; returns `undefined` if there is none.
   * @throws `NOTES_UNREADABLE` if it is not a plain file, or larger than notes may be.
   */
  read(name: string): Buffer | undefined {
    const path = this.at(name);
    const stat = this.fs.stat(path);
    if (stat === undefined) return undefined;
    if (stat.isLink) throw linkRefused(path);
    if (stat.isDirectory) throw folderRefused(path);
    assertNotTooLarge(path, stat.size);
    try {
      return ifThere(() =>
        withFile(this.fs, path, "read", (file) => {
          const size = file.size();
          assertNotTooLarge(path, size);
          return readBuffer(file, 0, size);
        }),
      );
    } catch (error) {
      // A pipe or a device.
      throw errorCode(error) === "EINVAL" ? notesUnreadable(path, error) : error;
    }
  }

  /** Removes a file, which may be gone already. */
  remove(name: string): void {
    ifThere(() => this.fs.remove(this.at(name)));
  }

  /** Renames a file to an unused name; returns false if there is no such file. */
  rename(from: string, to: string): boolean {
    return renameIfThere(this.fs, this.at(from), this.at(to));
  }

  /** Makes a hard link, so that the whole file appears under the name at once. */
  link(from: string, to: string): ReturnType<typeof linkFile> {
    return linkFile(this.fs, this.at(from), this.at(to));
  }

  /** True if two names certainly lead to one file. */
  isOneFile(name: string, other: string): boolean {
    const [one, two] = [this.fs.stat(this.at(name)), this.fs.stat(this.at(other))];
    return one !== undefined && two !== undefined && one.id !== undefined && one.id === two.id;
  }

  /** Moves a file unless the new name is taken; returns true if it moved. */
  moveUnlessTaken(from: string, to: string): boolean {
    const linked = this.link(from, to);
    if (linked === "done") this.remove(from);
    if (linked !== "unsupported") return linked === "done";
    // Without hard links: check first.
    return !this.isTaken(to) && this.rename(from, to);
  }

  /** True if anything has that name, even a dangling link. */
  isTaken(name: string): boolean {
    return this.fs.stat(this.at(name)) !== undefined || this.names().includes(name);
  }
}

export function linkRefused(path: string): StoreError {
  return new StoreError("NOTES_UNREADABLE", {
    message: `${path} is a symbolic link, which is not followed.`,
    hint: "Put the file itself in its place, or remove the link.",
  });
}

function folderRefused(path: string): StoreError {
  return new StoreError("NOTES_UNREADABLE", {
    message: `${path} is a folder; the notes of a session are a text file.`,
    hint: "Move the folder away.",
  });
}

function assertNotTooLarge(path: string, bytes: number): void {
  const { notesFileLimitBytes } = STORE_DEFAULTS;
  if (bytes <= notesFileLimitBytes) return;
  throw new StoreError("NOTES_UNREADABLE", {
    message: `${path} has ${bytes} bytes; the notes of a session may have ${notesFileLimitBytes}.`,
    hint: "Shorten the file, or move it away: new notes are begun where there are none.",
  });
}
