/**
 * Writes changes of memories together with the lines of their index.
 *
 * DESIGN. A change is planned on the current files, and the store applies it only while they are unchanged. If
 * another writer was faster, it is planned again, so nothing is lost and no lock is held during a model call.
 * Memories and index change together or not at all.
 */

import { MEMORY_WRITE_DEFAULTS } from "../../../base/defaults/memory/write.ts";
import { MemoryError } from "../../../base/errors.ts";
import { addAll } from "../../../base/lists.ts";
import { fitIndex } from "../../../memory/files/fit-index.ts";
import { INDEX_NAME, removeIndexLine, setIndexLine } from "../../../memory/files/memory-index.ts";
import { relevanceScoreOf } from "../../../memory/recall/recall-plan.ts";
import type { PlannedLine } from "../../../memory/write/plan-remember.ts";
import type { MemoryChange, MemoryStore } from "../../../ports/memory-store.ts";
import type { MemoryCache, MemorySnapshot } from "./memory-cache.ts";
import { mountOf } from "./mounted-store.ts";

/** Planned changes of memories; the writer changes the index to match. */
export interface PlannedWrite {
  readonly changes: readonly MemoryChange[];
  /** Lines to set in the index. */
  readonly lines: readonly PlannedLine[];
  /** Paths of memories whose lines to remove from the index. */
  readonly unlisted: readonly string[];
}

export interface Written<Plan> {
  readonly plan: Plan;
  /** Warnings about the index, for people. */
  readonly warnings: readonly string[];
}

export class MemoryWriter {
  readonly #store: MemoryStore;
  readonly #cache: MemoryCache;
  readonly #now: () => number;
  readonly #usedCounts: () => Promise<ReadonlyMap<string, number>>;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(options: {
    readonly store: MemoryStore;
    readonly cache: MemoryCache;
    readonly now: () => number;
    /** Returns the number of sessions in which each memory was of use, by path. */
    readonly usedCounts: () => Promise<ReadonlyMap<string, number>>;
  }) {
    this.#store = options.store;
    this.#cache = options.cache;
    this.#now = options.now;
    this.#usedCounts = options.usedCounts;
  }

  /**
   * Plans changes on the current memories, and applies them.
   * @param plan - may be called several times; `taken` are paths that turned out to be in use
   * @throws `MEMORY_REFUSED` where others change the same files without end; `STORE_FAILED`
   */
  write<Plan extends PlannedWrite>(
    plan: (view: MemorySnapshot, taken: readonly string[]) => Plan,
  ): Promise<Written<Plan>> {
    // Writes run one after another: concurrent ones would be planned again for each that finished before.
    const written = this.#writing.then(() => this.#write(plan));
    this.#writing = written.catch(() => undefined);
    return written;
  }

  /** Resolves when every write that was begun has ended. Never rejects. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #write<Plan extends PlannedWrite>(
    plan: (view: MemorySnapshot, taken: readonly string[]) => Plan,
  ): Promise<Written<Plan>> {
    const taken: string[] = [];
    for (let tries = 1; ; tries++) {
      const view = await this.#cache.look();
      const planned = plan(view, taken);
      if (planned.changes.length === 0 && planned.lines.length === 0 && planned.unlisted.length === 0)
        return { plan: planned, warnings: [] };
      const { changes, warnings } = this.#withIndexes(view, planned, await this.#usedCounts());
      const applied = await this.#store.apply(changes);
      const limits = view.problems.flatMap(({ isOverLimit, detail }) =>
        isOverLimit === true ? [detail] : [],
      );
      if (applied.isApplied) return { plan: planned, warnings: [...warnings, ...limits] };
      if (tries >= MEMORY_WRITE_DEFAULTS.triesCount) throw stillChanging(applied.conflicts, tries);
      // A path in use by a file that could not be read: the next plan chooses another.
      addAll(
        taken,
        applied.conflicts.filter((path) => !view.memories.has(path)),
      );
    }
  }

  /** Adds the changes of the index files to those of memories. */
  #withIndexes(
    view: MemorySnapshot,
    { changes, lines, unlisted }: PlannedWrite,
    usedCounts: ReadonlyMap<string, number>,
  ): { readonly changes: readonly MemoryChange[]; readonly warnings: readonly string[] } {
    const changedMounts = new Set([...lines.map(({ path }) => path), ...unlisted].map(mountOf));
    const fresh = new Set(lines.map(({ path }) => path));
    const otherFiles = new Set([...view.indexes.keys(), ...view.problems.map(({ path }) => path)]);
    const warnings: string[] = [];
    const indexes = [...changedMounts].flatMap((mount): readonly MemoryChange[] => {
      const path = mount + INDEX_NAME;
      const before = view.indexes.get(path);
      const inMount = (other: string): boolean => mountOf(other) === mount;
      let text = before?.text ?? "";
      const own = lines.filter((one) => inMount(one.path));
      for (const { path: of, ...line } of own)
        text = setIndexLine(text, { ...line, file: of.slice(mount.length) });
      // Lines are removed after new ones are set, because a new line takes the place of an old one.
      for (const gone of unlisted.filter(inMount)) text = removeIndexLine(text, gone.slice(mount.length));
      const scoreOfLine = (file: string): number => {
        const known = view.memories.get(mount + file);
        if (known !== undefined)
          return relevanceScoreOf(known.memory, this.#now(), usedCounts.get(mount + file));
        // Files being written now, and unreadable ones, exist; other missing files make a broken line.
        return fresh.has(mount + file) || otherFiles.has(mount + file) ? 1 : 0;
      };
      // Removing a line needs no space, and a foreign index is not shortened for it.
      const fitted = own.length === 0 ? undefined : fitIndex(text, ({ file }) => scoreOfLine(file));
      if (fitted?.warning !== undefined) warnings.push(fitted.warning);
      const after = fitted?.text ?? text;
      if (after === (before?.text ?? "")) return [];
      return [{ path: before?.path ?? path, base: before?.version, text: after }];
    });
    return { changes: [...changes, ...indexes], warnings };
  }
}

function stillChanging(paths: readonly string[], tries: number): MemoryError {
  return new MemoryError("MEMORY_REFUSED", {
    message: `${paths.join(", ")} changed each of ${tries} times while it was being written.`,
    hint: "Nothing was changed. Try again when fewer programs write to this memory directory.",
  });
}
