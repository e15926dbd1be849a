/**
 * Memories in memory: for switched-off persistence and for tests. It keeps the promises of the store in files,
 * the refusals among them, as long as the object lives.
 */

import { checkOptions, having, type OptionRules } from "../../base/options/check-options.ts";
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

const RULES: OptionRules<InMemoryMemoryStoreOptions> = {
  hasher: having(["sha256"], "a hasher", "`nodeHasher`"),
  clock: having(["nowMs"], "a clock", "`systemClock`"),
};

/** Keeps memories as long as the object lives. @throws `OptionError` for an option that does not exist */
export function inMemoryMemoryStore(options: InMemoryMemoryStoreOptions = {}): MemoryStore {
  checkOptions("inMemoryMemoryStore", options, RULES);
  const { hasher = nodeHasher, clock = systemClock } = options;
  return new InMemoryMemoryStore(hasher, clock);
}

class InMemoryMemoryStore implements MemoryStore {
  readonly isVolatile = true;
  readonly #hasher: Hasher;
  readonly #clock: Clock;
  readonly #files = new Map<string, MemoryFile>();
  /** By folder and key: the names there that have it, each with the paths that go through it. */
  readonly #names = new Map<string, Map<string, Set<string>>>();
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
      this.#forgetNames(path);
      if (text === undefined) return;
      const id = `${this.#archive.length + 1}/${path}`;
      this.#archive.push({ id, path, archivedMs: this.#clock.nowMs(), text });
    } else {
      const text = next.bytes.toString("utf8");
      this.#files.set(path, { path, text, version: next.version, modifiedMs: this.#clock.nowMs() });
      for (const { key, name } of placesOf(path)) {
        const named = this.#names.get(key) ?? new Map<string, Set<string>>();
        this.#names.set(key, named.set(name, (named.get(name) ?? new Set<string>()).add(path)));
      }
    }
  }

  #forgetNames(path: string): void {
    for (const { key, name } of placesOf(path)) {
      const named = this.#names.get(key);
      const paths = named?.get(name);
      paths?.delete(path);
      if (paths?.size === 0) named?.delete(name);
      if (named?.size === 0) this.#names.delete(key);
    }
  }

  /** Refuses a name that some systems confuse with that of a file or folder on the path; also a file in a folder's place. */
  #refuseTwin({ path }: CheckedChange): void {
    for (const { key, name, place } of placesOf(path))
      for (const [theirs, paths] of this.#names.get(key) ?? []) {
        const [other] = paths;
        const isFolderOfBoth = theirs === name && place !== path && !paths.has(place);
        if (other !== undefined && !isFolderOfBoth) throw memoryTwin(path, other);
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

/** The folders on a path and the file: the name of each, its place, and the key of names that some systems confuse with it. */
function placesOf(
  path: string,
): readonly { readonly key: string; readonly name: string; readonly place: string }[] {
  const names = path.split("/");
  return names.map((name, depth) => ({
    key: [...names.slice(0, depth), memoryNameKey(name)].join("/"),
    name,
    place: names.slice(0, depth + 1).join("/"),
  }));
}

function headOf({ path, text, version, modifiedMs }: MemoryFile): MemoryFileHead {
  return { path, sizeBytes: Buffer.byteLength(text), modifiedMs, stamp: version };
}
