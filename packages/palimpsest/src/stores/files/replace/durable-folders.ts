/**
 * Makes folders, and remembers which ones need a sync.
 *
 * After a power loss, a synced file is lost if the folder with its name was not synced.
 */
import { dirname } from "node:path";
import type { FileSystem } from "../../../ports/file-system.ts";

/** The folders of one session. */
export class DurableFolders {
  readonly #fs: FileSystem;
  #changed = new Set<string>();

  constructor(fs: FileSystem) {
    this.#fs = fs;
  }

  /** Makes a folder and its missing parents, one by one, so that each parent is remembered. */
  ensure(folder: string): void {
    const parent = dirname(folder);
    if (parent === folder || this.#fs.stat(folder) !== undefined) return;
    this.ensure(parent);
    this.#fs.makeDirectory(folder);
    this.#changed.add(parent);
  }

  /** Remembers that a name in the folder is new or different. */
  markChanged(folder: string): void {
    this.#changed.add(folder);
  }

  /** Resolves once every change so far survives a power loss; a folder that failed is tried again next time. */
  async sync(): Promise<void> {
    const changed = this.#changed;
    this.#changed = new Set();
    try {
      for (const folder of changed) {
        if (this.#fs.stat(folder) !== undefined) await this.#fs.syncDirectory(folder);
        changed.delete(folder);
      }
    } finally {
      for (const folder of changed) this.#changed.add(folder);
    }
  }
}
