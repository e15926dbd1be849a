/**
 * Keeps the handles of folders for the rest of a turn of the event loop: a change of a memory acts on the same few
 * folders dozens of times in one turn, and opening a folder each time is most of what that costs.
 *
 * A kept handle is used only if its folder is still at its path: the system tells the real path of a handle, also after
 * the folder was moved, removed or exchanged. So a kept handle gives what a new one would give.
 */
import { closeSync, readlinkSync } from "node:fs";
import { setImmediate as atEndOfTurn } from "node:timers";
import { type HeldFolder, heldBy, openByHandle } from "./confined-folder.ts";

/** Folders whose handles are kept at once; further ones are opened each time. Our choice: those of one change. */
const KEPT_COUNT = 8;

interface KeptFolder {
  readonly handle: number;
  readonly path: string;
  readonly held: HeldFolder;
}

export class HeldFolders {
  readonly #root: string;
  readonly #kept = new Map<string, KeptFolder>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Holds the folder that these names lead to, at the latest until the end of the turn. @throws as `holdFolder` */
  hold(names: readonly string[]): HeldFolder {
    const key = names.join("/");
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      if (realPathOf(kept.handle) === kept.path) return kept.held;
      this.#kept.delete(key);
      closeSync(kept.handle);
    }
    const handle = openByHandle(this.#root, names);
    const path = [this.#root, ...names].join("/");
    // A root that is reached through a link may lead elsewhere the next time.
    const isKept = this.#kept.size < KEPT_COUNT && realPathOf(handle) === path;
    if (!isKept) return heldBy(handle, () => closeSync(handle));
    if (this.#kept.size === 0) atEndOfTurn(() => this.#closeAll());
    const held = heldBy(handle, () => undefined);
    this.#kept.set(key, { handle, path, held });
    return held;
  }

  #closeAll(): void {
    for (const { handle } of this.#kept.values()) closeSync(handle);
    this.#kept.clear();
  }
}

function realPathOf(handle: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${handle}`);
  } catch {
    // `/proc` is gone.
    return undefined;
  }
}
