/**
 * Files of a session's tasks: `<session>/tasks/journal.jsonl`, `inbox.jsonl` and one `<task>.log` per task.
 *
 * DESIGN. All of them only grow. One process writes the journal and the outputs; any process may add to the inbox. A
 * write that failed half-way leaves a torn line: the next append ends it with a line break, and readers skip it. So a
 * record that was acknowledged is never lost, and reading never writes. The folder is made with the first write.
 *
 * Programs of the tasks can write here, too. So the file system has to be a confined one, which follows no link, and
 * whatever is found is checked.
 */
import { dirname, join } from "node:path";
import { assert } from "../../../base/assert.ts";
import { isObject, parseJson } from "../../../base/json/json.ts";
import type { FileSystem, OpenFile } from "../../../ports/file-system.ts";
import type { TaskFiles, TaskOutput } from "../../../ports/tasks.ts";
import { isTaskId } from "../../../tasks/fold-tasks.ts";
import { readFailure, storeFailure } from "../../shared/store-failure.ts";
import { ifThere } from "../replace/file-steps.ts";
import { readBuffer, writeWhole } from "../replace/whole-file.ts";

interface TaskFolderOptions {
  /** Follows no link below its root. */
  readonly fs: FileSystem;
  /** The folder of the tasks, as a path of `fs`. */
  readonly folder: string;
  /** The same folder as a path of the machine. @defaultValue `folder` */
  readonly shownFolder?: string;
  /** Free space on the disk; left out where that is not known. */
  readonly freeBytes?: () => number | undefined;
}

const NEWLINE = 0x0a;
const OUTPUT_ENDING = ".log";
/** Most of the inbox that one call reads. A longer line is not a request. */
const INBOX_CHUNK_BYTES = 1_048_576;

/** The tasks of one session, on a file system. */
export class TaskFolder implements TaskFiles {
  readonly #fs: FileSystem;
  readonly #folder: string;
  readonly #shownFolder: string;
  readonly #freeBytes: () => number | undefined;
  /** Folders with new names that may not survive a power loss yet. */
  readonly #unsynced = new Set<string>();

  constructor({ fs, folder, shownFolder = folder, freeBytes = () => undefined }: TaskFolderOptions) {
    this.#fs = fs;
    this.#folder = folder;
    this.#shownFolder = shownFolder;
    this.#freeBytes = freeBytes;
  }

  hasJournal(): boolean {
    try {
      return this.#fs.stat(this.#at("journal.jsonl")) !== undefined;
    } catch (error) {
      throw readFailure(this.#at("journal.jsonl"), error);
    }
  }

  readJournal(): ReturnType<TaskFiles["readJournal"]> {
    const bytes = this.#read(this.#at("journal.jsonl"), 0, Number.MAX_SAFE_INTEGER);
    const { lines, damagedLines } = parseLines(bytes);
    return { lines, damagedLines };
  }

  appendJournal(line: string): void {
    this.#appendLine("journal.jsonl", line);
  }

  async syncJournal(): Promise<void> {
    const path = this.#at("journal.jsonl");
    try {
      const file = ifThere(() => this.#fs.open(path, "read"));
      if (file === undefined) return;
      try {
        await file.sync();
      } finally {
        file.close();
      }
      for (const folder of [...this.#unsynced]) {
        await this.#fs.syncDirectory(folder);
        this.#unsynced.delete(folder);
      }
    } catch (error) {
      throw storeFailure(`${path} may not survive a power loss`, error);
    }
  }

  openOutput(taskId: string): TaskOutput {
    const path = this.#output(taskId);
    const file = this.#openForAppend(path);
    return { write: (bytes) => writeWhole(file, bytes), close: () => file.close() };
  }

  readOutput(taskId: string, offset: number, length: number): Uint8Array {
    return this.#read(this.#output(taskId), offset, length);
  }

  outputBytes(taskId: string): number {
    return this.#size(this.#output(taskId));
  }

  outputPath(taskId: string): string {
    this.#output(taskId);
    return join(this.#shownFolder, `${taskId}${OUTPUT_ENDING}`);
  }

  totalBytes(): number {
    try {
      const names = ifThere(() => this.#fs.list(this.#folder)) ?? [];
      return names
        .filter((name) => name.endsWith(OUTPUT_ENDING) && isTaskId(name.slice(0, -OUTPUT_ENDING.length)))
        .reduce((sum, name) => sum + this.#size(this.#at(name)), 0);
    } catch (error) {
      throw readFailure(this.#folder, error);
    }
  }

  freeBytes(): number | undefined {
    return this.#freeBytes();
  }

  readInbox(from: number): ReturnType<TaskFiles["readInbox"]> {
    const bytes = this.#read(this.#at("inbox.jsonl"), from, INBOX_CHUNK_BYTES);
    const whole = bytes.lastIndexOf(NEWLINE) + 1;
    if (whole === 0 && bytes.length === INBOX_CHUNK_BYTES) return { lines: [], next: from + bytes.length };
    return { lines: parseLines(bytes.subarray(0, whole)).lines, next: from + whole };
  }

  appendInbox(line: string): void {
    this.#appendLine("inbox.jsonl", line);
  }

  #at(name: string): string {
    return join(this.#folder, name);
  }

  #output(taskId: string): string {
    assert(isTaskId(taskId), "an output belongs to the id of a task");
    return this.#at(`${taskId}${OUTPUT_ENDING}`);
  }

  #size(path: string): number {
    const stat = this.#fs.stat(path);
    return stat === undefined || stat.isDirectory || stat.isLink || stat.isSpecial ? 0 : stat.size;
  }

  /** Reads a part of a file; nothing if there is no file. */
  #read(path: string, offset: number, length: number): Uint8Array {
    assert(Number.isSafeInteger(offset) && offset >= 0 && length >= 0, "a range begins in the file");
    try {
      const file = ifThere(() => this.#fs.open(path, "read"));
      if (file === undefined) return new Uint8Array(0);
      try {
        const readable = Math.min(length, file.size() - offset);
        return readable <= 0 ? new Uint8Array(0) : readBuffer(file, offset, readable);
      } finally {
        file.close();
      }
    } catch (error) {
      throw readFailure(path, error);
    }
  }

  #appendLine(name: string, line: string): void {
    assert(!/[\r\n]/.test(line), "a record is one line");
    const path = this.#at(name);
    const file = this.#openForAppend(path);
    try {
      const size = file.size();
      const isTorn = size > 0 && file.read(size - 1, 1)[0] !== NEWLINE;
      writeWhole(file, Buffer.from(`${isTorn ? "\n" : ""}${line}\n`, "utf8"));
    } catch (error) {
      throw storeFailure(`A line could not be added to ${path}`, error);
    } finally {
      file.close();
    }
  }

  #openForAppend(path: string): OpenFile {
    try {
      const isNew = this.#fs.stat(path) === undefined;
      if (isNew) this.#makeFolder();
      const file = this.#fs.open(path, "append");
      if (isNew) this.#unsynced.add(this.#folder);
      return file;
    } catch (error) {
      throw storeFailure(`${path} could not be opened`, error);
    }
  }

  #makeFolder(): void {
    for (let folder = this.#folder; this.#fs.stat(folder) === undefined; folder = parentOf(folder)) {
      this.#unsynced.add(parentOf(folder));
      if (parentOf(folder) === folder) break;
    }
    this.#fs.makeDirectory(this.#folder);
  }
}

/** The root of a confined file system has an empty path. */
function parentOf(folder: string): string {
  const parent = dirname(folder);
  return parent === "." ? "" : parent;
}

/** Splits records, which are JSON objects; everything else is counted as damage. */
function parseLines(bytes: Uint8Array): {
  readonly lines: readonly string[];
  readonly damagedLines: number;
} {
  const texts = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8").split("\n");
  const found = texts.filter((text) => text !== "");
  const lines = found.filter((text) => {
    const parsed = parseJson(text);
    return parsed.ok && isObject(parsed.value);
  });
  return { lines, damagedLines: found.length - lines.length };
}
