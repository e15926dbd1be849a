/**
 * The index of a folder of sessions on the disk: reading it, adding to it, making it anew.
 *
 * DESIGN. It is a cache: nothing here ever fails a caller, and without it a list costs more, that is all.
 * What it says is never behind a log by our doing: a writer adds its `open` before its first entry, and
 * has it on the disk before the first entry is durable; where it cannot, it removes the index.
 *
 * No lock is taken to add a line. Making the index anew replaces the file, so a line may be added to the
 * one that is just replaced: whoever adds looks afterwards whether its line is in the file of that name, and
 * whoever replaces looks afterwards whether the old file has grown. Whichever order these happen in, one of
 * the two sees it; a line that is there twice does no harm. Only one at a time makes it anew: it holds
 * the temporary file, and begins to read when it has it.
 */
import { join } from "node:path";
import { SESSION_LIST_DEFAULTS } from "../../../base/defaults/session-list.ts";
import { errorCode } from "../../../base/errors.ts";
import type { FileSystem, OpenFile } from "../../../ports/file-system.ts";
import type { Clock } from "../../../ports/runtime.ts";
import { storeFailure } from "../../shared/store-failure.ts";
import { readBuffer } from "../replace/whole-file.ts";
import {
  formatIndex,
  formatIndexNotes,
  type IndexLines,
  type IndexNote,
  parseSessionIndex,
} from "./index-lines.ts";
import type { IndexRow } from "./index-rows.ts";

const INDEX_NAME = ".index.jsonl";
const NEW_INDEX_NAME = ".index.jsonl.new";
/** Times that a line is added again because the file was replaced. */
const ADD_ATTEMPTS = 4;

/** What is made of an index as it was read; `undefined` where it is missing or damaged. */
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

  /** `undefined` where it is missing, damaged, or cannot be read. */
  read(): IndexLines | undefined {
    return this.#quietly(() => this.#with(this.#path, "read", (file) => readIndexFile(file)));
  }

  /** Adds lines. False where they are not in it: there is no index, or it does not hold what it should. */
  add(notes: readonly IndexNote[]): boolean {
    if (notes.length === 0) return true;
    const bytes = formatIndexNotes(notes);
    return this.#quietly(() => this.#tryToAdd(bytes)) ?? false;
  }

  /** Takes the index away, so that nobody believes it. */
  remove(): void {
    this.#quietly(() => this.#fs.remove(this.#path));
  }

  /** Resolves once what was added is durable, or cannot be made so. */
  async sync(): Promise<void> {
    try {
      if (this.#fs.stat(this.#path) === undefined) return;
      const file = this.#fs.open(this.#path, "append");
      try {
        await file.sync();
      } finally {
        file.close();
      }
    } catch {
      // A cache: the log itself is synced by whoever calls, and says so if that fails.
    }
  }

  /** Makes the index anew from what it is now; false where it could not, or somebody else is about it. */
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
      // Only who has looked at the whole folder begins an index: one line is not to pass for all of them.
      if (this.#fs.stat(this.#path) === undefined) return false;
      const from = this.#with(this.#path, "append", (file) => addLines(file, bytes));
      if (this.#with(this.#path, "read", (file) => holdsSince(file, from, bytes))) return true;
    }
    return false;
  }

  #lock(): OpenFile | undefined {
    return this.#quietly(() => {
      try {
        return this.#fs.open(this.#newPath, "create");
      } catch (error) {
        if (errorCode(error) === "EEXIST") this.#removeIfLeft();
        // Whoever comes next finds it gone.
        return undefined;
      }
    });
  }

  /** A crash may have left it there. */
  #removeIfLeft(): void {
    const stat = this.#fs.stat(this.#newPath);
    if (stat === undefined) return;
    const awayMs = Math.abs(this.#clock.nowMs() - stat.modifiedMs);
    if (awayMs > SESSION_LIST_DEFAULTS.indexLockMs) this.#fs.remove(this.#newPath);
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

  #with<Result>(path: string, mode: "read" | "append", use: (file: OpenFile) => Result): Result {
    const file = this.#fs.open(path, mode);
    try {
      return use(file);
    } finally {
      file.close();
    }
  }

  #quietly<Result>(work: () => Result): Result | undefined {
    try {
      return work();
    } catch {
      // A cache: whoever asks gets on without it.
      return undefined;
    }
  }
}

function readIndexFile(file: OpenFile, size = file.size()): IndexLines | undefined {
  return size === 0 ? undefined : parseSessionIndex(readBuffer(file, 0, size));
}

/** Returns where the file ended before. */
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
