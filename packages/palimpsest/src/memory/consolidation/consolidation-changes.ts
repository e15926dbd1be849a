/**
 * Memories as a dream would leave them: changed on paper, and in the end told as the changes from what is there.
 */
import type { MemoryChange } from "../../ports/memory-store.ts";
import type { KnownMemory } from "../files/memory.ts";
import { parseMemoryFile } from "../files/memory-file.ts";

/** A change with what was there before, so that it can be shown and taken back. */
export interface PlannedChange extends MemoryChange {
  readonly before: string | undefined;
}

interface Original {
  readonly text: string;
  readonly version: string;
}

export class ConsolidationChanges {
  readonly #originals = new Map<string, Original>();
  readonly #known = new Map<string, KnownMemory>();
  readonly #other = new Map<string, string>();

  /** @param files - other files that may be changed: an index */
  constructor(known: readonly KnownMemory[], files: readonly (Original & { readonly path: string })[]) {
    for (const one of known) {
      this.#originals.set(one.memory.path, one);
      this.#known.set(one.memory.path, one);
    }
    for (const { path, text, version } of files) {
      this.#originals.set(path, { text, version });
      this.#other.set(path, text);
    }
  }

  /** The memories as they are by now, by path. */
  get known(): ReadonlyMap<string, KnownMemory> {
    return this.#known;
  }

  textOf(path: string): string | undefined {
    return this.#known.get(path)?.text ?? this.#other.get(path);
  }

  /** `undefined` puts it into the archive. */
  setMemory(path: string, text: string | undefined): void {
    if (text === undefined) this.#known.delete(path);
    else {
      const { memory } = parseMemoryFile(path, text);
      this.#known.set(path, { memory, text, version: this.#originals.get(path)?.version ?? "" });
    }
  }

  setFile(path: string, text: string): void {
    this.#other.set(path, text);
  }

  /** Changed files, by path. */
  changes(): readonly PlannedChange[] {
    const paths = new Set([...this.#originals.keys(), ...this.#known.keys(), ...this.#other.keys()]);
    return [...paths].sort().flatMap((path) => {
      const original = this.#originals.get(path);
      const text = this.textOf(path);
      if (text === original?.text) return [];
      return [{ path, base: original?.version, text, before: original?.text }];
    });
  }
}
