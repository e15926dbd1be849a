/** Waits that pass when a test says so. */
import type { Deadline } from "#ports/runtime.ts";
import { until } from "../../runtime/processes/until.ts";

interface Due {
  readonly atMs: number;
  readonly ms: number;
  readonly work: () => void;
}

export class FakeDeadline implements Deadline {
  #nowMs = 0;
  readonly #due = new Set<Due>();

  after(ms: number, work: () => void): () => void {
    const due = { atMs: this.#nowMs + ms, ms, work };
    this.#due.add(due);
    return () => void this.#due.delete(due);
  }

  /** True if something waits this long. */
  hasWait(ms: number): boolean {
    return [...this.#due].some((due) => due.ms === ms);
  }

  advance(ms: number): void {
    this.#nowMs += ms;
    for (const due of [...this.#due])
      if (due.atMs <= this.#nowMs) {
        this.#due.delete(due);
        due.work();
      }
  }

  /** Lets what waits this long pass, as soon as something does. */
  async pass(ms: number): Promise<void> {
    await until(() => this.hasWait(ms));
    this.advance(ms);
  }
}
