/**
 * Readers of the outputs of a session's tasks: each has its own offset, and may follow an output as it grows.
 */

import { TASK_DEFAULTS } from "../../base/defaults/tasks.ts";
import { checkOptions, number, signal as signalRule } from "../../base/options/check-options.ts";
import type { Deadline } from "../../ports/runtime.ts";
import type { TaskFiles } from "../../ports/tasks.ts";
import { LINE_LIMIT_BYTES, readIncrement } from "../../tasks/output-text.ts";
import type { TaskText } from "./task-options.ts";

/** An output is followed by looking this often. Source: our choice: below what a person notices. */
const FOLLOW_MS = 200;

interface ReadersSetup {
  readonly files: TaskFiles;
  readonly deadline: Deadline;
  /** True once nothing writes the output any longer. @throws `TaskError` where there is no such task */
  readonly hasEnded: (id: string) => boolean;
}

export class TaskReaders {
  readonly #setup: ReadersSetup;
  readonly #waiters = new Set<() => void>();

  constructor(setup: ReadersSetup) {
    this.#setup = setup;
  }

  read(id: string, options: { readonly offset?: number; readonly maxBytes?: number } = {}): TaskText {
    checkOptions("read", options, { offset: number, maxBytes: number });
    const { offset = 0, maxBytes = TASK_DEFAULTS.readBytes } = options;
    const { files } = this.#setup;
    const hasEnded = this.#setup.hasEnded(id);
    const bytes = files.readOutput(id, offset, Math.max(maxBytes, LINE_LIMIT_BYTES));
    const isEnd = hasEnded && offset + bytes.length >= files.outputBytes(id);
    return { ...readIncrement(bytes, { offset, isEnd }), isEnd };
  }

  async *follow(
    id: string,
    options: { readonly offset?: number; readonly signal?: AbortSignal } = {},
  ): AsyncIterable<TaskText> {
    checkOptions("follow", options, { offset: number, signal: signalRule });
    const { offset = 0, signal } = options;
    let last: TaskText | undefined;
    for (let at = offset; signal?.aborted !== true; at = last.nextOffset) {
      const piece = this.read(id, { offset: at });
      const isNew = piece.text !== "" || piece.pending !== last?.pending || piece.isEnd;
      last = piece;
      if (isNew) yield piece;
      if (piece.isEnd) return;
      if (piece.nextOffset === at) await this.#sleep(signal);
    }
  }

  /** Resolves at the next {@link wake}. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiters.add(resolve));
  }

  /** Something happened to a task: all who wait look again. */
  wake(): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const wake of waiters) wake();
  }

  #sleep(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#setup.deadline.after(FOLLOW_MS, () => wake());
      const wake = (): void => {
        cancel();
        signal?.removeEventListener("abort", wake);
        this.#waiters.delete(wake);
        resolve();
      };
      signal?.addEventListener("abort", wake, { once: true });
      this.#waiters.add(wake);
    });
  }
}
