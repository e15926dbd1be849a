/** A timer that goes off when a test says so. */
import type { Timer } from "palimpsest/internal";

/** Repetition under the control of a test. */
export class FakeTimer implements Timer {
  readonly #running = new Set<() => void>();

  every(_ms: number, work: () => void): () => void {
    const entry = () => work();
    this.#running.add(entry);
    return () => {
      this.#running.delete(entry);
    };
  }

  /** Does everything that is to be repeated, once. */
  tick(): void {
    for (const work of [...this.#running]) work();
  }

  /** Things that are repeated at present. */
  get runningCount(): number {
    return this.#running.size;
  }
}
