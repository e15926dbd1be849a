/**
 * A simulated window: its content, its size and the strings that can be read there.
 *
 * Baselines change it directly; the library's own policies are projected into it from real edits.
 * Both are measured by its content when a request leaves.
 */
import type { CachedUnit } from "./cache-model.ts";

/** One piece of a window. */
export interface WindowUnit extends CachedUnit {
  /** The trajectory's message that it shows; absent for summaries. */
  readonly source?: number;
  /** The strings that can be read in it. */
  readonly strings: ReadonlySet<string>;
}

let newestId = 1;

/** An id that no other form of any unit has. */
export function nextUnitId(): number {
  newestId++;
  return newestId;
}

/** Counts how often each string occurs in a window. */
export class VisibleStrings {
  readonly #counts = new Map<string, number>();

  has(text: string): boolean {
    return this.#counts.has(text);
  }

  /** True if `text` occurs in one unit only. */
  isOnlyOnce(text: string): boolean {
    return this.#counts.get(text) === 1;
  }

  add(strings: ReadonlySet<string>): void {
    for (const text of strings) this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
  }

  remove(strings: ReadonlySet<string>): void {
    for (const text of strings) {
      const left = (this.#counts.get(text) ?? 0) - 1;
      if (left > 0) this.#counts.set(text, left);
      else this.#counts.delete(text);
    }
  }
}
