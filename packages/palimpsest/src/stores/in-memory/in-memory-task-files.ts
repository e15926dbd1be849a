/** Tasks of a session that is kept in memory: the same promises as on a disk, as long as the process lives. */
import { assert } from "../../base/assert.ts";
import type { TaskFiles, TaskOutput } from "../../ports/tasks.ts";
import { isTaskId } from "../../tasks/fold-tasks.ts";

/** Outputs of one session in memory, in bytes. Source: our choice: one task at its limit, and many small ones. */
const MOST_BYTES = 134_217_728;

/** Bytes that only grow. */
class GrowingBytes {
  #bytes = new Uint8Array(1_024);
  size = 0;

  append(more: Uint8Array): void {
    const size = this.size + more.length;
    if (size > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(size, this.#bytes.length * 2));
      larger.set(this.#bytes.subarray(0, this.size));
      this.#bytes = larger;
    }
    this.#bytes.set(more, this.size);
    this.size = size;
  }

  read(offset: number, length: number): Uint8Array {
    return this.#bytes.slice(offset, Math.min(this.size, offset + length));
  }
}

/** Keeps the journal, the outputs and the inbox in memory. */
export class InMemoryTaskFiles implements TaskFiles {
  readonly mostBytes = MOST_BYTES;
  readonly #journal: string[] = [];
  readonly #inbox: string[] = [];
  readonly #outputs = new Map<string, GrowingBytes>();

  hasJournal(): boolean {
    return this.#journal.length > 0;
  }

  readJournal(): ReturnType<TaskFiles["readJournal"]> {
    return { lines: [...this.#journal], damagedLines: 0 };
  }

  appendJournal(line: string): void {
    assert(!/[\r\n]/.test(line), "a record is one line");
    this.#journal.push(line);
  }

  async syncJournal(): Promise<void> {
    // Memory does not survive a power loss.
  }

  openOutput(taskId: string): TaskOutput {
    assert(isTaskId(taskId), "an output belongs to the id of a task");
    const output = this.#outputs.get(taskId) ?? new GrowingBytes();
    this.#outputs.set(taskId, output);
    return { write: (bytes) => output.append(bytes), close: () => undefined };
  }

  readOutput(taskId: string, offset: number, length: number): Uint8Array {
    assert(Number.isSafeInteger(offset) && offset >= 0 && length >= 0, "a range begins in the file");
    return this.#of(taskId)?.read(offset, length) ?? new Uint8Array(0);
  }

  outputBytes(taskId: string): number {
    return this.#of(taskId)?.size ?? 0;
  }

  outputPath(): undefined {
    return undefined;
  }

  totalBytes(): number {
    return [...this.#outputs.values()].reduce((sum, { size }) => sum + size, 0);
  }

  freeBytes(): undefined {
    return undefined;
  }

  readInbox(from: number): ReturnType<TaskFiles["readInbox"]> {
    return { lines: this.#inbox.slice(from), next: Math.max(from, this.#inbox.length) };
  }

  appendInbox(line: string): void {
    assert(!/[\r\n]/.test(line), "a record is one line");
    this.#inbox.push(line);
  }

  #of(taskId: string): GrowingBytes | undefined {
    assert(isTaskId(taskId), "an output belongs to the id of a task");
    return this.#outputs.get(taskId);
  }
}
