/**
 * Files of what was derived from a session's log, in `derived/` beside its blobs.
 *
 * A file is packed, written beside its name and renamed, without a sync: its reader checks it.
 */
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { assert } from "../../../base/assert.ts";
import type { FileSystem } from "../../../ports/file-system.ts";
import type { IdSource } from "../../../ports/runtime.ts";
import type { DerivedFiles } from "../../../ports/session-store.ts";
import { discard, readBytes, withFile, writeWhole } from "../replace/whole-file.ts";
import { TEMPORARY_ENDING } from "./blob-folder.ts";
import { DERIVED_NAME_PATTERN, packDerived, unpackDerivedAside } from "./derived-bytes.ts";
import { packParts, readDerivedPart } from "./derived-parts.ts";

/** Pieces of a file that are written before others have a turn. Our choice: about a millisecond. */
const PIECES_AT_ONCE = 32;

interface DerivedFolderOptions {
  readonly fs: FileSystem;
  readonly ids: IdSource;
  readonly sessionFolder: string;
  /** Called before each change: makes sure that this is the writer of the session, and that its folder is there. */
  readonly begin: () => void;
}

export class DerivedFolder implements DerivedFiles {
  readonly #options: DerivedFolderOptions;
  readonly #folder: string;
  #isTidy = false;

  constructor(options: DerivedFolderOptions) {
    this.#options = options;
    this.#folder = join(options.sessionFolder, "derived");
  }

  async list(): Promise<readonly string[]> {
    return this.#names().filter((name) => DERIVED_NAME_PATTERN.test(name));
  }

  async read(name: string): Promise<string | undefined> {
    const path = this.#path(name);
    const stat = this.#options.fs.stat(path);
    if (stat === undefined || stat.isDirectory) return undefined;
    return unpackDerivedAside(readBytes(this.#options.fs, path));
  }

  async write(name: string, text: string): Promise<void> {
    return this.#replace(name, [await packDerived(text)]);
  }

  async writeParts(name: string, parts: readonly Uint8Array[]): Promise<void> {
    return this.#replace(name, await packParts(parts));
  }

  async readPart(name: string, index: number): Promise<Uint8Array | undefined> {
    const { fs } = this.#options;
    const path = this.#path(name);
    const stat = fs.stat(path);
    if (stat === undefined || stat.isDirectory) return undefined;
    return withFile(fs, path, "read", (file) => readDerivedPart(file, index));
  }

  async #replace(name: string, pieces: readonly Buffer[]): Promise<void> {
    const { fs, ids, begin } = this.#options;
    const path = this.#path(name);
    begin();
    fs.makeDirectory(this.#folder);
    this.#tidy();
    const temporaryPath = `${path}.${ids.entryId()}${TEMPORARY_ENDING}`;
    try {
      const file = fs.open(temporaryPath, "create");
      try {
        for (const [index, piece] of pieces.entries()) {
          writeWhole(file, piece);
          if (index % PIECES_AT_ONCE === PIECES_AT_ONCE - 1) await setImmediate();
        }
      } finally {
        file.close();
      }
      fs.rename(temporaryPath, path);
    } catch (error) {
      discard(fs, temporaryPath);
      throw error;
    }
  }

  async remove(name: string): Promise<void> {
    const { fs, begin } = this.#options;
    begin();
    if (fs.stat(this.#path(name)) !== undefined) fs.remove(this.#path(name));
  }

  /** Removes once what a crash left half written: this is the only writer. */
  #tidy(): void {
    if (this.#isTidy) return;
    this.#isTidy = true;
    for (const name of this.#names())
      if (name.endsWith(TEMPORARY_ENDING)) discard(this.#options.fs, join(this.#folder, name));
  }

  #names(): readonly string[] {
    const { fs } = this.#options;
    return fs.stat(this.#folder)?.isDirectory === true ? fs.list(this.#folder) : [];
  }

  #path(name: string): string {
    assert(DERIVED_NAME_PATTERN.test(name), "a derived file has a plain name");
    return join(this.#folder, name);
  }
}
