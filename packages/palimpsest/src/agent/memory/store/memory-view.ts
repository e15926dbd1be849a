/** The memories at one moment, each read when it is asked for. */
import type { KnownMemory, Memory } from "../../../memory/files/memory.ts";
import { parseMemoryFile } from "../../../memory/files/memory-file.ts";
import { fileNameKey } from "../../../memory/files/memory-file-name.ts";
import { indexPathOf } from "../../../memory/files/memory-index.ts";
import type { MemoryFile } from "../../../ports/memory-store.ts";

/** The part of each memory that is kept. */
export interface MemoryHead
  extends Pick<Memory, "path" | "supersededBy" | "isQuarantined" | "follows" | "revises" | "sessionId"> {
  readonly version: string;
  readonly modifiedMs: number;
}

export interface CachedMemory extends MemoryHead {
  readonly stamp: string;
  /** Absent until it is asked for. */
  known: KnownMemory | undefined;
}

/** Its iterators have other names in TypeScript before 5.6, so they are named by this. */
type Known = ReadonlyMap<string, KnownMemory>;

/** Memories given out before stay as they were; paths and number are current. */
export class MemoryView implements Known {
  readonly #cached: ReadonlyMap<string, CachedMemory>;
  readonly #load: (cached: CachedMemory) => KnownMemory | undefined;
  readonly #given = new Map<string, KnownMemory>();

  constructor(
    cached: ReadonlyMap<string, CachedMemory>,
    load: (cached: CachedMemory) => KnownMemory | undefined,
  ) {
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

  keys(): ReturnType<Known["keys"]> {
    return this.#cached.keys();
  }

  *entries(): ReturnType<Known["entries"]> {
    for (const path of this.#cached.keys()) {
      const known = this.get(path);
      if (known !== undefined) yield [path, known];
    }
  }

  *values(): ReturnType<Known["values"]> {
    for (const [, known] of this.entries()) yield known;
  }

  forEach(visit: (known: KnownMemory, path: string, map: ReadonlyMap<string, KnownMemory>) => void): void {
    for (const [path, known] of this.entries()) visit(known, path, this);
  }

  [Symbol.iterator](): ReturnType<Known["entries"]> {
    return this.entries();
  }
}

/** A memory as its file is read, and what was not understood. */
export function knownOf({ path, text, version }: MemoryFile): {
  readonly known: KnownMemory;
  readonly problems: readonly string[];
} {
  const { memory, problems } = parseMemoryFile(path, text);
  return { known: { memory, text, version }, problems };
}

/** The index files by the names that they should have. */
export function byOwnName(indexes: ReadonlyMap<string, MemoryFile>): ReadonlyMap<string, MemoryFile> {
  const named = [...indexes].map(([path, file]) => [indexPathOf(path), file] as const);
  // If two names differ only in case, the exact one counts.
  return new Map([...named, ...indexes].filter(([path]) => path === indexPathOf(path)));
}

/** The folder and the key of the name. */
export function nameOf(path: string): string {
  const from = path.lastIndexOf("/") + 1;
  return path.slice(0, from) + fileNameKey(path.slice(from));
}
