/**
 * Files beside the memories in the hidden folder: records, which are journals and logs that only programs write, and
 * the archive, which holds removed memories under their paths and is only read here.
 */
import { MEMORY_STORE_DEFAULTS } from "../../../base/defaults/memory/store.ts";
import { errorCode } from "../../../base/errors.ts";
import type { OpenFile } from "../../../ports/file-system.ts";
import type { ArchivedFile } from "../../../ports/memory-store.ts";
import { checkRecordName, recordLine } from "../../shared/memory-change-rules.ts";
import { isMemoryName, memoryPathProblem } from "../../shared/memory-path.ts";
import { writeWhole } from "../replace/whole-file.ts";
import type { MemoryFiles } from "./memory-file-steps.ts";
import { archivedAtMs, folderOf, type PendingWork, PLACES, pieceOf } from "./memory-places.ts";

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

  /** Replaces a record. `work` is a separate change, so a crash leaves litter that recovery removes as usual. */
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

  /** Appends a line with one write, so that lines of several processes do not mix. */
  async append(name: string, line: string): Promise<void> {
    const path = this.#pathOf(name);
    const isNew = !this.#files.exists(path);
    if (isNew) await this.#ensure(folderOf(path));
    const file = this.#files.fs.open(path, "append");
    try {
      const bytes = recordLine(line);
      // A crash or a full disk may leave half a line: start a new one.
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
      // Recovery removes it later with other litter.
    }
    this.#files.removeIfEmpty(work.folder);
  }
}

function endsInLine(file: OpenFile): boolean {
  const size = file.size();
  return size === 0 || file.read(size - 1, 1)[0] === NEWLINE;
}

/** False for files that another program put there. */
function isRecordName(name: string): boolean {
  try {
    checkRecordName(name);
    return true;
  } catch (error) {
    if (errorCode(error) === "MEMORY_PATH_REFUSED") return false;
    throw error;
  }
}

export class MemoryArchive {
  readonly #files: MemoryFiles;

  constructor(files: MemoryFiles) {
    this.#files = files;
  }

  /** Archived memories, the newest first. Skips files that this library did not archive. */
  list(): readonly ArchivedFile[] {
    const found: ArchivedFile[] = [];
    for (const folder of this.#files.names(PLACES.archive)) {
      const archivedMs = archivedAtMs(folder);
      if (archivedMs === undefined) continue;
      for (const path of this.#paths(folder, [])) found.push({ id: `${folder}/${path}`, path, archivedMs });
    }
    const newestFirst = (one: ArchivedFile, other: ArchivedFile): number =>
      other.archivedMs - one.archivedMs || (one.id < other.id ? -1 : 1);
    return found.sort(newestFirst);
  }

  /** Returns `undefined` for an unknown id. @throws `MEMORY_PATH_REFUSED` if the file is not plain text */
  read(id: string): string | undefined {
    const [folder, path] = [id.slice(0, Math.max(0, id.indexOf("/"))), id.slice(id.indexOf("/") + 1)];
    if (archivedAtMs(folder) === undefined || memoryPathProblem(path) !== undefined) return undefined;
    return this.#files.read(`${PLACES.archive}/${folder}/${path}`)?.text;
  }

  #paths(folder: string, names: readonly string[]): readonly string[] {
    if (names.length >= MEMORY_STORE_DEFAULTS.depthLimitCount) return [];
    const stats = this.#files.stats([PLACES.archive, folder, ...names].join("/"));
    return [...stats].flatMap(([name, stat]) => {
      if (stat.isLink) return [];
      if (stat.isDirectory) return this.#paths(folder, [...names, name]);
      const path = [...names, name].join("/");
      return isMemoryName(name) && memoryPathProblem(path) === undefined ? [path] : [];
    });
  }
}
