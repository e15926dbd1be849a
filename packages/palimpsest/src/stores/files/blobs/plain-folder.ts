/**
 * Plain copies of a session's blocks, one file each: `m12.0.txt`.
 *
 * DESIGN. A copy may lie where the agent's tools can write, so the file system has to be a confined one, which follows
 * no link. A copy is written beside its name and renamed: it is whole, or not there. A number that a crash freed may be
 * given to another block, so a file of the name is replaced. Nothing here reads a copy or relies on one.
 */
import { basename, join, resolve } from "node:path";
import type { FileSystem } from "../../../ports/file-system.ts";
import type { Hasher, IdSource } from "../../../ports/runtime.ts";
import type { PlainCopies } from "../../../ports/session-store.ts";
import { replaceFile } from "../replace/whole-file.ts";
import { TEMPORARY_ENDING } from "./blob-folder.ts";

/** The folder of the copies in that of the session. */
const OWN_FOLDER = "plain";
const PLACE_DIGITS = 8;

interface PlainPlace extends Pick<PlainFolderOptions, "ids" | "quotaBytes" | "begin"> {
  readonly plainIn: (folder: string) => FileSystem;
  readonly hasher: Hasher;
  readonly sessionFolder: string;
}

/** Plain copies of a session with the session, or in a folder of the host, where each session has its folder. */
export function plainFolder(folder: string | undefined, place: PlainPlace): PlainCopies {
  const { plainIn, hasher, sessionFolder, ...rest } = place;
  const root = folder === undefined ? sessionFolder : resolve(folder);
  // Sessions of two stores may have the same id.
  const own = `${basename(sessionFolder)}-${hasher.sha256(resolve(sessionFolder)).slice(0, PLACE_DIGITS)}`;
  const name = folder === undefined ? OWN_FOLDER : own;
  return new PlainFolder({ ...rest, fs: plainIn(root), folder: name, shownFolder: join(root, name) });
}

interface PlainFolderOptions {
  readonly fs: FileSystem;
  /** The folder of the copies as a path of `fs`, with `/`. */
  readonly folder: string;
  /** The same as an absolute path of the machine. */
  readonly shownFolder: string;
  readonly ids: IdSource;
  /** Bytes of all copies of the session. */
  readonly quotaBytes: number;
  /** Called before a copy is written: makes sure that this is the writer of the session, and that its folder is there. */
  readonly begin: () => void;
}

/** Writes the plain copies of one session. */
class PlainFolder implements PlainCopies {
  readonly #options: PlainFolderOptions;
  /** Bytes of the copies; measured when the first is written. */
  #usedBytes: number | undefined;

  constructor(options: PlainFolderOptions) {
    this.#options = options;
  }

  pathOf(pointer: string): string {
    return join(this.#options.shownFolder, nameOf(pointer));
  }

  async put(pointer: string, text: string): Promise<boolean> {
    const { fs, folder, ids, quotaBytes, begin } = this.#options;
    const path = `${folder}/${nameOf(pointer)}`;
    try {
      begin();
      fs.makeDirectory(folder);
      const content = Buffer.from(text, "utf8");
      const used = this.#usedBytes ?? this.#measure();
      if (used + content.length > quotaBytes) return false;
      await replaceFile(fs, { path, temporaryPath: `${path}.${ids.entryId()}${TEMPORARY_ENDING}`, content });
      this.#usedBytes = used + content.length;
      return true;
    } catch {
      // A full disk, a folder that is not to be written in, a link in the way: the log has the block.
      return false;
    }
  }

  /** Removes what a crash left half written, too: this is the only writer. */
  #measure(): number {
    const { fs, folder } = this.#options;
    for (const name of fs.list(folder)) if (name.endsWith(TEMPORARY_ENDING)) fs.remove(`${folder}/${name}`);
    return fs.list(folder).reduce((sum, name) => sum + (fs.stat(`${folder}/${name}`)?.size ?? 0), 0);
  }
}

const nameOf = (pointer: string): string => `${pointer}.txt`;
