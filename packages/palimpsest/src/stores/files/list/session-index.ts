/**
 * Reads, extends and rebuilds the index of a folder of sessions.
 *
 * DESIGN. The index is a cache: its failures never reach a caller, and without it a list only costs more. It is never
 * behind a log: a writer adds its `open` line before its first entry, and syncs it before that entry is durable. If that
 * fails, it removes the index.
 *
 * Adding a line takes no lock. A rebuild replaces the file, so a line may go into the file that is just being replaced.
 * Therefore a writer checks afterwards that its line is in the file of that name, and a rebuild checks afterwards that
 * the old file has not grown. In every order, one of the two notices; a duplicate line is harmless. One rebuild runs at a
 * time: it creates the temporary file and then starts to read.
 */
import { join } from "node:path";
import { errorCode } from "../../../base/errors.ts";
import type { FileSystem, OpenFile } from "../../../ports/file-system.ts";
import type { Clock } from "../../../ports/runtime.ts";
import { storeFailure } from "../../shared/store-failure.ts";
import { readBuffer, withFile, writeDurably } from "../replace/whole-file.ts";
import {
  formatIndex,
  formatIndexNotes,
  type IndexLines,
  type IndexNote,
  parseSessionIndex,
} from "./index-lines.ts";
import type { IndexRow } from "./index-rows.ts";

/**
 * Age at which a half-made index was left by a crash, in milliseconds. Source: our choice; making one of 100,000
 * sessions takes under two seconds.
 */
const INDEX_LOCK_MS = 60_000;

const INDEX_NAME = ".index.jsonl";
const NEW_INDEX_NAME = ".index.jsonl.new";
/** Attempts to add a line to a file that is being replaced. */
const ADD_ATTEMPTS = 4;

/** Makes the new content from the current index; `undefined` if that is missing or damaged. */
type MakeIndex = (index: IndexLines | undefined) => {
  readonly rows: readonly IndexRow[];
  readonly notes: readonly IndexNote[];
};

export class SessionIndex {
  readonly #folder: string;
  readonly #path: string;
  readonly #newPath: string;
  readonly #fs: FileSystem;
  readonly #clock: Clock;

  constructor({
    folder,
    fs,
    clock,
  }: { readonly folder: string; readonly fs: FileSystem; readonly clock: Clock }) {
    this.#folder = folder;
    this.#path = join(folder, INDEX_NAME);
    this.#newPath = join(folder, NEW_INDEX_NAME);
    this.#fs = fs;
    this.#clock = clock;
  }

  /** Returns `undefined` if the index is missing, damaged, or unreadable. */
  read(): IndexLines | undefined {
    return this.#quietly(() => withFile(this.#fs, this.#path, "read", (file) => readIndexFile(file)));
  }

  /** Adds lines. Returns false if they are not in the index, for example because there is none. */
  add(notes: readonly IndexNote[]): boolean {
    if (notes.length === 0) return true;
    const bytes = formatIndexNotes(notes);
    return this.#quietly(() => this.#tryToAdd(bytes)) ?? false;
  }

  /** Removes the index, so that no list trusts it. */
  remove(): void {
    this.#quietly(() => this.#fs.remove(this.#path));
  }

  /** Resolves once added lines are durable, or cannot be made so. */
  async sync(): Promise<void> {
    try {
      if (this.#fs.stat(this.#path) === undefined) return;
      await writeDurably(this.#fs, this.#path, "append", Buffer.alloc(0));
    } catch {
      // Only a cache: the caller syncs the log itself and reports failures.
    }
  }

  /** Rebuilds the index from its current content. Returns false if it failed or another rebuild is running. */
  async remake(make: MakeIndex): Promise<boolean> {
    const lock = this.#lock();
    if (lock === undefined) return false;
    try {
      await this.#replace(lock, make);
      return true;
    } catch {
      // A full disk, a folder that may not be written: the old index stays.
      this.#quietly(() => this.#fs.remove(this.#newPath));
      return false;
    }
  }

  #tryToAdd(bytes: Buffer): boolean {
    for (let attempt = 0; attempt < ADD_ATTEMPTS; attempt++) {
      // Only a rebuild, which reads the whole folder, creates an index: one line must not pass for all sessions.
      if (this.#fs.stat(this.#path) === undefined) return false;
      const from = withFile(this.#fs, this.#path, "append", (file) => addLines(file, bytes));
      if (withFile(this.#fs, this.#path, "read", (file) => holdsSince(file, from, bytes))) return true;
    }
    return false;
  }

  #lock(): OpenFile | undefined {
    return this.#quietly(() => {
      try {
        return this.#fs.open(this.#newPath, "create");
      } catch (error) {
        if (errorCode(error) === "EEXIST") this.#removeIfLeft();
        // The next rebuild finds it gone.
        return undefined;
      }
    });
  }

  /** Removes the temporary file of a crashed rebuild. */
  #removeIfLeft(): void {
    const stat = this.#fs.stat(this.#newPath);
    if (stat === undefined) return;
    const awayMs = Math.abs(this.#clock.nowMs() - stat.modifiedMs);
    if (awayMs > INDEX_LOCK_MS) this.#fs.remove(this.#newPath);
  }

  async #replace(lock: OpenFile, make: MakeIndex): Promise<void> {
    const old = this.#quietly(() => this.#fs.open(this.#path, "read"));
    try {
      const oldSize = old?.size() ?? 0;
      await writeWhole(lock, () => {
        const { rows, notes } = make(old === undefined ? undefined : readIndexFile(old, oldSize));
        return formatIndex(rows, notes);
      });
      this.#fs.rename(this.#newPath, this.#path);
      if (old !== undefined && old.size() > oldSize)
        this.#tryToAdd(readBuffer(old, oldSize, old.size() - oldSize));
    } finally {
      old?.close();
    }
    await this.#fs.syncDirectory(this.#folder);
  }

  #quietly<Result>(work: () => Result): Result | undefined {
    try {
      return work();
    } catch {
      // Only a cache: callers work without it.
      return undefined;
    }
  }
}

/** Keeps the index up to date for the writer of one session: `open` before its first entry, `close` at its end. */
export class IndexedWriter {
  readonly #options: IndexedWriterOptions;
  #isOpened = false;
  #isUnsynced = false;

  constructor(options: IndexedWriterOptions) {
    this.#options = options;
  }

  beforeAppend(): void {
    if (this.#isOpened) return;
    this.#isOpened = true;
    this.#isUnsynced = true;
    const { index, sessionId, writerId, isNew } = this.#options;
    const isAdded = index.add([{ on: "open", sessionId, by: writerId, isNew }]);
    // Without its line the index would be behind this session.
    if (!isAdded) index.remove();
  }

  async beforeSync(): Promise<void> {
    if (!this.#isUnsynced) return;
    this.#isUnsynced = false;
    await this.#options.index.sync();
  }

  afterClose(): void {
    if (!this.#isOpened) return;
    this.#isOpened = false;
    const { index, writerId, rowOf } = this.#options;
    try {
      const row = rowOf();
      if (row !== undefined) index.add([{ on: "close", by: writerId, row }]);
    } catch {
      // The session stays open in the index, so each list reads it again.
    }
  }
}

interface IndexedWriterOptions {
  readonly index: SessionIndex;
  readonly sessionId: string;
  /** Identifies this writer in the index. */
  readonly writerId: string;
  /** True if the session is not in the folder yet. */
  readonly isNew: boolean;
  /** The current row of the session. */
  readonly rowOf: () => IndexRow | undefined;
}

function readIndexFile(file: OpenFile, size = file.size()): IndexLines | undefined {
  return size === 0 ? undefined : parseSessionIndex(readBuffer(file, 0, size));
}

/** Returns the size of the file before. */
function addLines(file: OpenFile, lines: Buffer): number {
  const size = file.size();
  file.write(lines);
  return size;
}

function holdsSince(file: OpenFile, from: number, bytes: Buffer): boolean {
  return readBuffer(file, from, Math.max(0, file.size() - from)).includes(bytes);
}

async function writeWhole(file: OpenFile, makeBytes: () => Buffer): Promise<void> {
  try {
    const bytes = makeBytes();
    const written = file.write(bytes);
    if (written !== bytes.length) throw storeFailure("an index", `only ${written} bytes of it were taken`);
    await file.sync();
  } finally {
    file.close();
  }
}
