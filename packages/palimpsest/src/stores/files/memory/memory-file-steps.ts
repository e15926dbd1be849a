/**
 * The single file operations for reading and changing memories: each acts on one file below the memory directory.
 * `change-memories.ts` and `memory-recovery.ts` combine them.
 */
import { MEMORY_STORE_DEFAULTS } from "../../../base/defaults/memory/store.ts";
import { errorCode } from "../../../base/errors.ts";
import type { FileStat, FileSystem, OpenFile } from "../../../ports/file-system.ts";
import type { Hasher } from "../../../ports/runtime.ts";
import { memoryPathRefused } from "../../shared/memory-path.ts";
import { decodeMemory, memoryVersion } from "../../shared/text-bytes.ts";
import { ifThere, isAbsence, linkFile, renameIfThere } from "../replace/file-steps.ts";
import { readBuffer, writeDurably } from "../replace/whole-file.ts";
import {
  folderOf,
  formatPlan,
  type PendingWork,
  PLACES,
  PLAN_NAME,
  parsePiece,
  parsePlan,
  parseWork,
  type WorkPlan,
} from "./memory-places.ts";

/** Error codes of something that is not a plain file: it is reported and left alone. */
const NO_FILE: ReadonlySet<string | undefined> = new Set(["ECONFINED", "EINVAL", "EISDIR", "ELOOP", "ENXIO"]);

/** A file's text, version and state. */
export interface FoundFile {
  readonly text: string;
  readonly version: string;
  readonly stat: FileStat;
}

interface ReadOptions {
  /** @defaultValue what a memory may have */
  readonly limitBytes?: number;
  /** Another name that the file may have. */
  readonly alias?: string;
}

export class MemoryFiles {
  readonly fs: FileSystem;
  readonly #hasher: Hasher;

  constructor(fs: FileSystem, hasher: Hasher) {
    this.fs = fs;
    this.#hasher = hasher;
  }

  /** Names in a folder; none where there is no folder. */
  names(folder: string): readonly string[] {
    return ifThere(() => this.fs.list(folder)) ?? [];
  }

  /** False if there is no memory directory. */
  hasFolder(): boolean {
    return ifThere(() => this.fs.stat("")) !== undefined;
  }

  /** States of the files in a folder by name; none if it does not exist. */
  stats(folder: string): ReadonlyMap<string, FileStat> {
    const { fs } = this;
    if (fs.listStats !== undefined) return ifThere(() => fs.listStats?.(folder)) ?? new Map();
    return new Map(
      this.names(folder).flatMap((name) => {
        const stat = fs.stat(folder === "" ? name : `${folder}/${name}`);
        return stat === undefined ? [] : [[name, stat] as const];
      }),
    );
  }

  /** The state of an entry; `undefined` if there is none, also because a file or a link has the place of its folder. */
  stat(path: string): FileStat | undefined {
    try {
      return this.fs.stat(path);
    } catch (error) {
      if (errorCode(error) === "ECONFINED") return undefined;
      throw error;
    }
  }

  /** The states of a folder's files a part at a time, in a slow loop: a folder that is exchanged meanwhile is listed again. */
  *statParts(folder: string): Iterable<ReadonlyMap<string, FileStat>> {
    if (this.fs.listInParts === undefined) {
      yield this.stats(folder);
      return;
    }
    for (let attempt = 1; ; attempt++)
      try {
        yield* this.fs.listInParts(folder);
        return;
      } catch (error) {
        if (isAbsence(error)) return;
        if (errorCode(error) !== "ECONFINED" || attempt >= MEMORY_STORE_DEFAULTS.attempts) throw error;
      }
  }

  /** Every change that left something. */
  works(): readonly PendingWork[] {
    return this.names(PLACES.work).flatMap((name) => parseWork(name) ?? []);
  }

  /**
   * Reads a file; returns `undefined` if there is none.
   * @throws `MEMORY_PATH_REFUSED` if it is not a plain text file with a single name
   */
  read(path: string, options: ReadOptions = {}): FoundFile | undefined {
    for (let attempt = 1; attempt <= MEMORY_STORE_DEFAULTS.attempts; attempt++) {
      const found = ifThere(() => this.#readOnce(path, options));
      if (found !== "again") return found;
    }
    throw memoryPathRefused(
      path,
      "it is being written all the time, or has another hard link, possibly outside the folder",
    );
  }

  #readOnce(path: string, options: ReadOptions): FoundFile | "again" {
    const { limitBytes = MEMORY_STORE_DEFAULTS.fileLimitBytes, alias } = options;
    const file = openFile(this.fs, path);
    try {
      const size = file.size();
      if (size > limitBytes)
        throw memoryPathRefused(path, `it has ${size} bytes, and may have ${limitBytes}`);
      // One more than there is, so that what has no end shows.
      const bytes = readBuffer(file, 0, size + 1);
      const stat = file.stat?.() ?? this.fs.stat(path);
      if (stat === undefined || bytes.length > size) return "again";
      if (!this.isOurs(stat, path, alias)) return "again";
      const text = decodeMemory(bytes);
      if (text === undefined) throw memoryPathRefused(path, `its ${size} bytes are not UTF-8 text`);
      return { text, version: memoryVersion(text, this.#hasher), stat };
    } finally {
      file.close();
    }
  }

  /** True if every name of the file is one of these, or made by a change: a foreign hard link may be anywhere. */
  isOurs({ id, linkCount = 1 }: FileStat, ...paths: readonly (string | undefined)[]): boolean {
    if (linkCount === 1) return true;
    const pieces = this.works().flatMap(({ folder }) =>
      this.names(folder).flatMap((name) => (parsePiece(name) ? `${folder}/${name}` : [])),
    );
    const names = new Set([...paths, ...pieces]);
    return linkCount <= [...names].filter((name) => name !== undefined && this.#idOf(name) === id).length;
  }

  #idOf(path: string): string | undefined {
    return ifThere(() => this.fs.stat(path))?.id;
  }

  /** The version of any file; `undefined` if there is none, `unreadable` if it is not text. */
  versionOf(path: string): string | undefined {
    try {
      return this.read(path)?.version;
    } catch (error) {
      if (errorCode(error) === "MEMORY_PATH_REFUSED") return "unreadable";
      throw error;
    }
  }

  /** The plan of a change; `undefined` if it was not written completely. */
  plan({ folder }: PendingWork): WorkPlan | undefined {
    const path = `${folder}/${PLAN_NAME}`;
    try {
      const text = this.read(path, { limitBytes: MEMORY_STORE_DEFAULTS.recordLimitBytes })?.text;
      return text === undefined ? undefined : parsePlan(text);
    } catch (error) {
      if (errorCode(error) === "MEMORY_PATH_REFUSED") return undefined;
      throw error;
    }
  }

  writePlan(work: PendingWork, plan: WorkPlan): Promise<void> {
    return this.create(`${work.folder}/${PLAN_NAME}`, Buffer.from(formatPlan(plan), "utf8"));
  }

  /** Makes a file that must not exist yet; its bytes survive a power loss. */
  create(path: string, bytes: Uint8Array): Promise<void> {
    return writeDurably(this.fs, path, "create", bytes);
  }

  exists(path: string): boolean {
    return ifThere(() => this.fs.stat(path)) !== undefined;
  }

  /** True if two names lead to one file. */
  isOneFile(path: string, other: string): boolean {
    const id = this.#idOf(path);
    return id !== undefined && id === this.#idOf(other);
  }

  /** Renames a file or folder; returns false if it does not exist. */
  rename(from: string, to: string): boolean {
    return renameIfThere(this.fs, from, to);
  }

  /** Removes a file, which may be gone already. */
  remove(path: string): void {
    ifThere(() => this.fs.remove(path));
  }

  /** Removes a folder if nothing is in it. */
  removeIfEmpty(folder: string): void {
    try {
      this.fs.removeDirectory(folder);
    } catch {
      // Not empty, or gone; an empty folder that stays is harmless.
    }
  }

  /** Makes a folder with those above it; those that were missing, the outermost first. */
  ensureFolder(folder: string): readonly string[] {
    const missing = this.missingFolders(folder);
    if (missing.length > 0) this.fs.makeDirectory(folder);
    return missing;
  }

  missingFolders(folder: string): readonly string[] {
    const missing: string[] = [];
    for (let path = folder; path !== "" && !this.exists(path); path = folderOf(path)) missing.unshift(path);
    return missing;
  }

  /** Makes names in the folder durable, unless it was removed. */
  async sync(folder: string): Promise<void> {
    try {
      await this.fs.syncDirectory(folder);
    } catch (error) {
      if (!isAbsence(error)) throw error;
    }
  }

  /**
   * Gives an existing file a name that is free; returns true if it did. The file may keep its old name, too: see
   * `remove`.
   *
   * Without hard links it checks first, and a file that a person creates in that very moment is overwritten: no such
   * system can check and rename in one step.
   */
  place(from: string, to: string): boolean {
    const linked = linkFile(this.fs, from, to);
    if (linked !== "unsupported") return linked === "done";
    return !this.exists(to) && this.rename(from, to);
  }
}

function openFile(fs: FileSystem, path: string): OpenFile {
  try {
    return fs.open(path, "read");
  } catch (error) {
    const code = errorCode(error);
    if (!NO_FILE.has(code)) throw error;
    throw memoryPathRefused(path, "it is not a plain file, but a link, a folder or a pipe", error);
  }
}
