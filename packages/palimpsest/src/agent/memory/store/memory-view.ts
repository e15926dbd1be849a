/** The memories at one moment, each read when it is asked for. */
import type { KnownMemory } from "../../../memory/files/memory.ts";

/** What was given out stays the same; paths and number are the current ones. */
export class MemoryView<Cached> implements ReadonlyMap<string, KnownMemory> {
  readonly #cached: ReadonlyMap<string, Cached>;
  readonly #load: (cached: Cached) => KnownMemory | undefined;
  readonly #given = new Map<string, KnownMemory>();

  constructor(cached: ReadonlyMap<string, Cached>, load: (cached: Cached) => KnownMemory | undefined) {
    this.#cached = cached;
    this.#load = load;
  }

  get size(): number {
    return this.#cached.size;
  }

  has(path: string): boolean {
    return this.#given.has(path) || this.#cached.has(path);
  }

  get(path: string): KnownMemory | undefined {
    const given = this.#given.get(path);
    if (given !== undefined) return given;
    const cached = this.#cached.get(path);
    const known = cached && this.#load(cached);
    if (known !== undefined) this.#given.set(path, known);
    return known;
  }

  keys(): MapIterator<string> {
    return this.#cached.keys();
  }

  *entries(): MapIterator<[string, KnownMemory]> {
    for (const path of this.#cached.keys()) {
      const known = this.get(path);
      if (known !== undefined) yield [path, known];
    }
  }

  *values(): MapIterator<KnownMemory> {
    for (const [, known] of this.entries()) yield known;
  }

  forEach(visit: (known: KnownMemory, path: string, map: ReadonlyMap<string, KnownMemory>) => void): void {
    for (const [path, known] of this.entries()) visit(known, path, this);
  }

  [Symbol.iterator](): MapIterator<[string, KnownMemory]> {
    return this.entries();
  }
}
