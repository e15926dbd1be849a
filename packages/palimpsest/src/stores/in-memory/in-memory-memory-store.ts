/**
 * Memories in memory: for switched-off persistence and for tests. It keeps the promises of the store in files,
 * the refusals among them, as long as the object lives.
 */

import type {
  ArchivedFile,
  MemoryApplied,
  MemoryChange,
  MemoryFile,
  MemoryFileHead,
  MemoryFollower,
  MemoryListing,
  MemoryLock,
  MemoryStore,
} from "../../ports/memory-store.ts";
import type { Clock, Hasher } from "../../ports/runtime.ts";
import { nodeHasher, systemClock } from "../platform/node-ports.ts";
import {
  type CheckedChange,
  checkMemoryChanges,
  checkRecordName,
  memoryTwin,
  recordLine,
} from "../shared/memory-change-rules.ts";
import { checkMemoryPath, memoryNameKey } from "../shared/memory-path.ts";
import { memoryStoreClosed } from "../shared/store-failure.ts";

interface InMemoryMemoryStoreOptions {
  readonly hasher?: Hasher;
  readonly clock?: Clock;
}

/** Keeps memories as long as the object lives. */
export function inMemoryMemoryStore({
  hasher = nodeHasher,
  clock = systemClock,
}: InMemoryMemoryStoreOptions = {}): MemoryStore {
  return new InMemoryMemoryStore(hasher, clock);
}

class InMemoryMemoryStore implements MemoryStore {
  readonly isVolatile = true;
  readonly #hasher: Hasher;
  readonly #clock: Clock;
  readonly #files = new Map<string, MemoryFile>();
  /** The parts of each path, and their keys, by path. */
  readonly #names = new Map<
    string,
    { readonly names: readonly string[]; readonly keys: readonly string[] }
  >();
  readonly #archive: (ArchivedFile & { readonly text: string })[] = [];
  readonly #records = new Map<string, string>();
  readonly #locks = new Map<string, object>();
  /** The paths that each follower has not seen yet. */
  readonly #followers = new Set<Set<string>>();
  #isClosed = false;

  constructor(hasher: Hasher, clock: Clock) {
    this.#hasher = hasher;
    this.#clock = clock;
  }

  async list(): Promise<MemoryListing> {
    this.#assertOpen();
    const files = [...this.#files.values()].map(headOf);
    return { files: files.sort((one, other) => (one.path < other.path ? -1 : 1)), problems: [] };
  }

  follow(): MemoryFollower {
    const unseen = new Set(this.#files.keys());
    this.#followers.add(unseen);
    return {
      next: async () => {
        this.#assertOpen();
        const paths = [...unseen];
        unseen.clear();
        return {
          changed: paths.flatMap((path) => this.#files.get(path) ?? []).map(headOf),
          removed: paths.filter((path) => !this.#files.has(path)),
          problems: [],
        };
      },
      isLasting: () => false,
      close: () => this.#followers.delete(unseen),
    };
  }

  async read(path: string): Promise<MemoryFile | undefined> {
    this.#assertOpen();
    checkMemoryPath(path);
    return this.#files.get(path);
  }

  async apply(changes: readonly MemoryChange[]): Promise<MemoryApplied> {
    this.#assertOpen();
    const checked = checkMemoryChanges(changes, this.#hasher);
    const conflicts = checked.filter(({ path, base }) => this.#files.get(path)?.version !== base);
    if (conflicts.length > 0) return { isApplied: false, conflicts: conflicts.map(({ path }) => path) };
    for (const change of checked) if (change.base === undefined) this.#refuseTwin(change);
    for (const change of checked) {
      this.#carryOut(change);
      for (const unseen of this.#followers) unseen.add(change.path);
    }
    return { isApplied: true, versions: new Map(checked.map(({ path, next }) => [path, next?.version])) };
  }

  async archived(): Promise<readonly ArchivedFile[]> {
    this.#assertOpen();
    return this.#archive.map(({ text: _, ...file }) => file).reverse();
  }

  async readArchived(id: string): Promise<string | undefined> {
    this.#assertOpen();
    return this.#archive.find((file) => file.id === id)?.text;
  }

  #carryOut({ path, next }: CheckedChange): void {
    if (next === undefined) {
      const text = this.#files.get(path)?.text;
      this.#files.delete(path);
      this.#names.delete(path);
      if (text === undefined) return;
      const id = `${this.#archive.length + 1}/${path}`;
      this.#archive.push({ id, path, archivedMs: this.#clock.nowMs(), text });
    } else {
      const text = next.bytes.toString("utf8");
      const names = path.split("/");
      this.#files.set(path, { path, text, version: next.version, modifiedMs: this.#clock.nowMs() });
      this.#names.set(path, { names, keys: names.map(memoryNameKey) });
    }
  }

  /** Refuses a name that some systems confuse with that of a file or folder on the path; also a file in a folder's place. */
  #refuseTwin({ path, names }: CheckedChange): void {
    const keys = names.map(memoryNameKey);
    for (const [other, { names: theirs, keys: theirKeys }] of this.#names) {
      const shared = Math.min(names.length, theirs.length);
      for (let depth = 0; depth < shared; depth++) {
        const [mine, their] = [names[depth]!, theirs[depth]!];
        const isEnd = depth === names.length - 1 || depth === theirs.length - 1;
        if (mine === their && !isEnd) continue;
        if (keys[depth] === theirKeys[depth]) throw memoryTwin(path, other);
        break;
      }
    }
  }

  async readRecord(name: string): Promise<string | undefined> {
    this.#assertOpen();
    checkRecordName(name);
    return this.#records.get(name);
  }

  async writeRecord(name: string, text: string): Promise<void> {
    this.#assertOpen();
    checkRecordName(name);
    this.#records.set(name, Buffer.from(text, "utf8").toString("utf8"));
  }

  async appendRecord(name: string, line: string): Promise<void> {
    this.#assertOpen();
    checkRecordName(name);
    const before = this.#records.get(name) ?? "";
    const separator = before === "" || before.endsWith("\n") ? "" : "\n";
    this.#records.set(name, before + separator + recordLine(line).toString("utf8"));
  }

  async listRecords(prefix: string): Promise<readonly string[]> {
    this.#assertOpen();
    return [...this.#records.keys()].filter((name) => name.startsWith(prefix)).sort();
  }

  async tryLock(name: string): Promise<MemoryLock | undefined> {
    this.#assertOpen();
    checkRecordName(name);
    if (this.#locks.has(name)) return undefined;
    const mark = {};
    this.#locks.set(name, mark);
    const isHeld = () => this.#locks.get(name) === mark;
    return {
      isHeld,
      release: async () => {
        if (isHeld()) this.#locks.delete(name);
      },
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  #assertOpen(): void {
    if (this.#isClosed) throw memoryStoreClosed();
  }
}

function headOf({ path, text, version, modifiedMs }: MemoryFile): MemoryFileHead {
  return { path, sizeBytes: Buffer.byteLength(text), modifiedMs, stamp: version };
}
