/**
 * A file system that is confined to one folder, for a folder into which others write, for example models and programs
 * that follow injected instructions.
 *
 * Paths are relative, with `/`. No link is ever followed, even if one replaces a folder at any moment
 * (`confined-folder.ts` explains this and its limits). Only plain files are opened, and a file with a second hard link is
 * never appended to: the other link may be anywhere.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsync,
  fsyncSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  opendirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  type Stats,
  unlinkSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import type { FileStat, FileSystem, OpenFile } from "../../ports/file-system.ts";
import {
  bestConfinement,
  type Confinement,
  ConfinementError,
  ExchangedError,
  type HeldFolder,
  holdFolder,
  NO_FOLLOW,
  partsOf,
} from "./confined-folder.ts";
import { HeldFolders } from "./held-folders.ts";
import { NodeFile } from "./node-file-system.ts";
import { watchFolder } from "./watch-folder.ts";

const fsyncAsync = promisify(fsync);
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** A folder that changes during each of so many tries is exchanged on purpose. Source: our choice. */
const MOST_ATTEMPTS = 8;
/** Names in one part of a listing. Source: our choice; a part takes a millisecond. */
const PART_NAMES_COUNT = 256;
// A pipe or a device under the name of a file must not block the open; absent on Windows.
const SAFE = NO_FOLLOW | (constants.O_NONBLOCK ?? 0);
const OPEN_FLAGS = {
  read: constants.O_RDONLY | SAFE,
  append: constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | SAFE,
  create: constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL | SAFE,
} as const;

interface ConfinedOptions {
  /** @defaultValue what the platform does best */
  readonly confinement?: Confinement;
}

/** The files below a folder of the machine, which is made (mode 0700) with the first folder in it. */
export function confinedFileSystem(root: string, options: ConfinedOptions = {}): FileSystem {
  return new ConfinedFileSystem(root, options.confinement ?? bestConfinement());
}

/** An open file with its state. */
class ConfinedFile extends NodeFile {
  readonly #handle: number;

  constructor(handle: number) {
    super(handle);
    this.#handle = handle;
  }

  stat(): FileStat {
    return statOf(fstatSync(this.#handle));
  }
}

class ConfinedFileSystem implements FileSystem {
  readonly #root: string;
  readonly #confinement: Confinement;
  readonly #folders: HeldFolders;

  constructor(root: string, confinement: Confinement) {
    this.#root = resolve(root);
    this.#confinement = confinement;
    this.#folders = new HeldFolders(this.#root);
  }

  open(path: string, mode: keyof typeof OPEN_FLAGS): OpenFile {
    // A file that was created may not be created again.
    return mode === "create" ? this.#open(path, mode) : settled(() => this.#open(path, mode));
  }

  #open(path: string, mode: keyof typeof OPEN_FLAGS): OpenFile {
    return this.#in(path, (folder, name) => {
      let flags: number = OPEN_FLAGS[mode];
      if (mode !== "create") {
        // Opening a device may do something already.
        const found = lstatSync(folder.at(name), { throwIfNoEntry: false });
        assertPlain(found, path);
        // An existing file is never created: through an exchanged folder that would make one elsewhere.
        if (found !== undefined) flags &= ~constants.O_CREAT;
      }
      const handle = openUnlinked(folder.at(name), flags, path);
      try {
        const stat = fstatSync(handle);
        assertPlain(stat, path);
        if (mode === "append" && stat.nlink > 1)
          throw new ConfinementError(
            `ECONFINED: '${path}' has another hard link, possibly outside the folder`,
          );
        folder.verifyOpened(name, handle);
        return new ConfinedFile(handle);
      } catch (error) {
        closeSync(handle);
        throw error;
      }
    });
  }

  makeDirectory(path: string): void {
    const names = partsOf(path);
    if (names.length === 0) this.#makeRoot();
    else
      try {
        this.#in(path, (above, name) => mkdirSync(above.at(name), { mode: FOLDER_MODE }));
      } catch (error) {
        const { code } = error as { readonly code?: string };
        if (code !== "ENOENT" && code !== "EEXIST") throw error;
        if (code === "ENOENT") {
          this.makeDirectory(names.slice(0, -1).join("/"));
          this.#in(path, (above, name) => makeFolder(above.at(name)));
        }
        this.#assertFolder(names);
      }
  }

  /** Throws where something else has the name already. If it was removed meanwhile, its next use says so. */
  #assertFolder(names: readonly string[]): void {
    try {
      holdFolder(this.#root, names, this.#confinement).close();
    } catch (error) {
      if ((error as { readonly code?: string }).code !== "ENOENT") throw error;
    }
  }

  list(path: string): readonly string[] {
    return settled(() => this.#within(path, ({ self }) => readdirSync(self)));
  }

  listStats(path: string): ReadonlyMap<string, FileStat> {
    return settled(() =>
      this.#within(path, (folder) => {
        const stats = new Map<string, FileStat>();
        for (const name of readdirSync(folder.self)) {
          const stat = lstatSync(folder.at(name), { throwIfNoEntry: false });
          if (stat !== undefined) stats.set(name, statOf(stat));
        }
        return stats;
      }),
    );
  }

  *listInParts(path: string): Iterable<ReadonlyMap<string, FileStat>> {
    const folder = holdFolder(this.#root, partsOf(path), this.#confinement);
    try {
      const names = opendirSync(folder.self, { bufferSize: PART_NAMES_COUNT });
      try {
        let part = new Map<string, FileStat>();
        for (let entry = names.readSync(); entry !== null; entry = names.readSync()) {
          const stat = lstatSync(folder.at(entry.name), { throwIfNoEntry: false });
          if (stat !== undefined) part.set(entry.name, statOf(stat));
          if (part.size < PART_NAMES_COUNT) continue;
          yield part;
          part = new Map();
        }
        folder.verifyRead();
        yield part;
      } finally {
        names.closeSync();
      }
    } finally {
      folder.close();
    }
  }

  watch(path: string, onChange: (name: string | undefined) => void): ReturnType<typeof watchFolder> {
    return watchFolder(join(this.#root, ...partsOf(path)), onChange);
  }

  stat(path: string): FileStat | undefined {
    try {
      return settled(() =>
        this.#in(path, (folder, name) => {
          const stat = lstatSync(name === "" ? folder.self : folder.at(name), { throwIfNoEntry: false });
          folder.verifyRead();
          return stat && statOf(stat, name === "");
        }),
      );
    } catch (error) {
      // As of any path that leads nowhere.
      if ((error as { readonly code?: string }).code === "ENOENT") return undefined;
      throw error;
    }
  }

  rename(from: string, to: string): void {
    this.#between(from, to, renameSync);
  }

  link(existing: string, name: string): void {
    this.#between(existing, name, linkSync);
  }

  remove(path: string): void {
    this.#in(path, (folder, name) => unlinkSync(folder.at(name)));
  }

  removeDirectory(path: string): void {
    this.#in(path, (folder, name) => rmdirSync(folder.at(name)));
  }

  touch(path: string, atMs: number): void {
    this.#in(path, (folder, name) => lutimesSync(folder.at(name), atMs / 1_000, atMs / 1_000));
  }

  async syncDirectory(path: string): Promise<void> {
    const folder = holdFolder(this.#root, partsOf(path), this.#confinement);
    try {
      // Windows has no handle of a folder to sync; its file system orders names with their contents.
      if (process.platform === "win32") return;
      const handle = openSync(folder.self, "r");
      try {
        folder.verify();
        await fsyncAsync(handle);
      } finally {
        closeSync(handle);
      }
    } finally {
      folder.close();
    }
  }

  /** Does something to a name in the folder that the path lies in; the name is empty for the root. */
  #in<Result>(path: string, work: (folder: HeldFolder, name: string) => Result): Result {
    const names = partsOf(path);
    const folder = this.#hold(names.slice(0, -1));
    try {
      const result = work(folder, names.at(-1) ?? "");
      folder.verify();
      return result;
    } finally {
      folder.close();
    }
  }

  /** Looks at a whole folder. */
  #within<Result>(path: string, look: (folder: HeldFolder) => Result): Result {
    const folder = this.#hold(partsOf(path));
    try {
      const result = look(folder);
      folder.verifyRead();
      return result;
    } finally {
      folder.close();
    }
  }

  /** For what ends within this turn. */
  #hold(names: readonly string[]): HeldFolder {
    return this.#confinement === "handles"
      ? this.#folders.hold(names)
      : holdFolder(this.#root, names, this.#confinement);
  }

  #between(from: string, to: string, work: (from: string, to: string) => void): void {
    this.#in(from, (source, name) =>
      this.#in(to, (target, newName) => work(source.at(name), target.at(newName))),
    );
  }

  /** Its name in the folder above is made durable at once: nothing below it could be. */
  #makeRoot(): void {
    if (lstatSync(this.#root, { throwIfNoEntry: false }) !== undefined) return;
    const first = mkdirSync(this.#root, { recursive: true, mode: FOLDER_MODE });
    if (first === undefined || process.platform === "win32") return;
    for (let folder = this.#root; folder.length >= first.length; folder = dirname(folder)) {
      const handle = openSync(dirname(folder), "r");
      try {
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
    }
  }
}

/** Tries again where something was exchanged meanwhile: most changes of a folder are a program at its own work. */
function settled<Result>(work: () => Result): Result {
  for (let attempt = 1; ; attempt++)
    try {
      return work();
    } catch (error) {
      if (!(error instanceof ExchangedError) || attempt === MOST_ATTEMPTS) throw error;
    }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: FOLDER_MODE });
  } catch (error) {
    // Another process made it just now.
    if ((error as { readonly code?: string }).code !== "EEXIST") throw error;
  }
}

function openUnlinked(path: string, flags: number, shown: string): number {
  try {
    return openSync(path, flags, FILE_MODE);
  } catch (error) {
    const { code } = error as { readonly code?: string };
    // What a link gives where it may not be followed, on Linux and on others.
    if (code === "ELOOP" || code === "EMLINK") throw new ConfinementError(`ECONFINED: '${shown}' is a link`);
    throw error;
  }
}

function assertPlain(stat: Stats | undefined, path: string): void {
  if (stat === undefined || stat.isFile()) return;
  const what = stat.isSymbolicLink() ? "a link" : stat.isDirectory() ? "a folder" : "not a plain file";
  throw new ConfinementError(`ECONFINED: '${path}' is ${what}`);
}

function statOf(stat: Stats, isRoot = false): FileStat {
  const { size, mtimeMs: modifiedMs, nlink: linkCount, ctimeMs: changedMs } = stat;
  const id = `${stat.dev}:${stat.ino}`;
  if (stat.isFile() && !isRoot) return { size, modifiedMs, isDirectory: false, id, linkCount, changedMs };
  const isDirectory = stat.isDirectory() || isRoot;
  const isLink = stat.isSymbolicLink() && !isRoot;
  return {
    ...{ size, modifiedMs, isDirectory, id, linkCount, changedMs },
    ...(isLink && { isLink }),
    ...(!isDirectory && !isLink && { isSpecial: true as const }),
  };
}
