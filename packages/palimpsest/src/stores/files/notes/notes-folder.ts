/**
 * The single steps that notes are read and replaced with: each does one thing to one file of the session's
 * folder, and refuses what is no plain file. What they amount to is in `notes-file.ts`.
 */
import { join } from "node:path";
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import { errorCode, StoreError } from "../../../base/errors.ts";
import type { FileSystem, OpenFile } from "../../../ports/file-system.ts";
import { notesUnreadable } from "../../shared/store-failure.ts";
import { readBuffer } from "../replace/whole-file.ts";

const ABSENT: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR"]);
/** Of a second name: the file system has no such thing, or not for this file. */
const UNSUPPORTED: ReadonlySet<string | undefined> = new Set([
  ...["EPERM", "EACCES", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV", "EINVAL"],
]);

/** What became of giving a file a second name. `gone`: there is no such file. */
type Linked = "done" | "taken" | "gone" | "unsupported";

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

  /** Names in the folder; none where there is no folder. @throws `NOTES_UNREADABLE` where it is a link. */
  names(): readonly string[] {
    const stat = this.fs.stat(this.folder);
    if (stat === undefined) return [];
    if (stat.isLink) throw linkRefused(this.folder);
    return ifThere(() => this.fs.list(this.folder)) ?? [];
  }

  /**
   * What a file holds; `undefined` where there is none.
   * @throws `NOTES_UNREADABLE` for what is no plain file, or larger than notes may be.
   */
  read(name: string): Buffer | undefined {
    const path = this.at(name);
    const stat = this.fs.stat(path);
    if (stat === undefined) return undefined;
    if (stat.isLink) throw linkRefused(path);
    if (stat.isDirectory) throw folderRefused(path);
    assertNotTooLarge(path, stat.size);
    return ifThere(() => {
      const file = this.#open(path);
      try {
        const size = file.size();
        assertNotTooLarge(path, size);
        return readBuffer(file, 0, size);
      } finally {
        file.close();
      }
    });
  }

  #open(path: string): OpenFile {
    try {
      return this.fs.open(path, "read");
    } catch (error) {
      // A pipe or a device.
      throw errorCode(error) === "EINVAL" ? notesUnreadable(path, error) : error;
    }
  }

  /** Removes a file, which may be gone already. */
  remove(name: string): void {
    ifThere(() => this.fs.remove(this.at(name)));
  }

  /** Gives a file another name, which nobody else uses; whether the file was there. */
  rename(from: string, to: string): boolean {
    return (
      ifThere(() => {
        this.fs.rename(this.at(from), this.at(to));
        return true;
      }) ?? false
    );
  }

  /** Gives a file a second name: the file is there under it as a whole, or not at all. */
  link(from: string, to: string): Linked {
    const { fs } = this;
    // Some systems would give the second name to what a link leads to.
    if (fs.link === undefined || fs.stat(this.at(from))?.isLink) return "unsupported";
    try {
      fs.link(this.at(from), this.at(to));
      return "done";
    } catch (error) {
      const code = errorCode(error);
      if (code === "EEXIST") return "taken";
      if (ABSENT.has(code)) return "gone";
      if (UNSUPPORTED.has(code)) return "unsupported";
      throw error;
    }
  }

  /** Whether two names are of one file, as far as anybody can tell. */
  isOneFile(name: string, other: string): boolean {
    const [one, two] = [this.fs.stat(this.at(name)), this.fs.stat(this.at(other))];
    return one !== undefined && two !== undefined && one.id !== undefined && one.id === two.id;
  }

  /** Moves a file to a name, unless something has that name; whether it was moved. */
  moveUnlessTaken(from: string, to: string): boolean {
    const linked = this.link(from, to);
    if (linked === "done") this.remove(from);
    if (linked !== "unsupported") return linked === "done";
    // Where files have one name only it is looked at first.
    return !this.isTaken(to) && this.rename(from, to);
  }

  /** Whether anything has that name, be it a link that leads nowhere. */
  isTaken(name: string): boolean {
    return this.fs.stat(this.at(name)) !== undefined || this.names().includes(name);
  }
}

/** What the work returns; `undefined` where the file is not there. */
function ifThere<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (ABSENT.has(errorCode(error))) return undefined;
    throw error;
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
