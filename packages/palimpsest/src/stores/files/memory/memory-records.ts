/** Journals and logs beside the memories: small files that only programs write. */
import { MEMORY_STORE_DEFAULTS } from "../../../base/defaults/memory/store.ts";
import { errorCode } from "../../../base/errors.ts";
import type { OpenFile } from "../../../ports/file-system.ts";
import { checkRecordName, recordLine } from "../../shared/memory-change-rules.ts";
import { writeWhole } from "../replace/whole-file.ts";
import type { MemoryFiles } from "./memory-file-steps.ts";
import { folderOf, type PendingWork, PLACES, pieceOf } from "./memory-places.ts";

const NEWLINE = 10;

export class MemoryRecords {
  readonly #files: MemoryFiles;

  constructor(files: MemoryFiles) {
    this.#files = files;
  }

  read(name: string): string | undefined {
    const { recordLimitBytes } = MEMORY_STORE_DEFAULTS;
    return this.#files.read(this.#pathOf(name), { limitBytes: recordLimitBytes })?.text;
  }

  /** `work` is a change of its own: what a crash leaves of it is removed as theirs is. */
  async write(name: string, text: string, work: PendingWork): Promise<void> {
    const path = this.#pathOf(name);
    const made = pieceOf(work, "new", 0);
    try {
      this.#files.fs.makeDirectory(work.folder);
      await this.#files.create(made, Buffer.from(text, "utf8"));
      await this.#ensure(folderOf(path));
      this.#files.fs.rename(made, path);
      await this.#files.fs.syncDirectory(folderOf(path));
    } finally {
      this.#discard(work, made);
    }
  }

  /** One write at the end of the file, so that lines of several processes do not mix. */
  async append(name: string, line: string): Promise<void> {
    const path = this.#pathOf(name);
    const isNew = !this.#files.exists(path);
    if (isNew) await this.#ensure(folderOf(path));
    const file = this.#files.fs.open(path, "append");
    try {
      const bytes = recordLine(line);
      // A crash or a full disk left half a line: this one begins its own.
      writeWhole(file, endsInLine(file) ? bytes : Buffer.concat([Buffer.from("\n"), bytes]));
      await file.sync();
    } finally {
      file.close();
    }
    if (isNew) await this.#files.fs.syncDirectory(folderOf(path));
  }

  list(prefix: string): readonly string[] {
    return this.#files
      .names(PLACES.records)
      .flatMap((name) => {
        if (this.#files.fs.stat(`${PLACES.records}/${name}`)?.isDirectory !== true) return [name];
        return this.#files.names(`${PLACES.records}/${name}`).map((inner) => `${name}/${inner}`);
      })
      .filter((name) => name.startsWith(prefix) && isRecordName(name))
      .sort();
  }

  #pathOf(name: string): string {
    checkRecordName(name);
    return `${PLACES.records}/${name}`;
  }

  async #ensure(folder: string): Promise<void> {
    for (const made of this.#files.ensureFolder(folder)) await this.#files.fs.syncDirectory(folderOf(made));
  }

  #discard(work: PendingWork, made: string): void {
    try {
      this.#files.remove(made);
    } catch {
      // It is removed with other litter, later.
    }
    this.#files.removeIfEmpty(work.folder);
  }
}

function endsInLine(file: OpenFile): boolean {
  const size = file.size();
  return size === 0 || file.read(size - 1, 1)[0] === NEWLINE;
}

/** Somebody else's files may lie there, too. */
function isRecordName(name: string): boolean {
  try {
    checkRecordName(name);
    return true;
  } catch (error) {
    if (errorCode(error) === "MEMORY_PATH_REFUSED") return false;
    throw error;
  }
}
