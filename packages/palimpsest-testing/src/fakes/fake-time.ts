/** Time under the control of a test: a clock that a test moves, and a timer that goes off when a test says so. */
import type { Clock } from "palimpsest";

/** Source: our choice, an hour that reads well in a failure: 2026-01-01T00:00:00Z. */
const START_MS = Date.UTC(2026, 0, 1);

/** Time under the control of a test. */
export class FakeClock implements Clock {
  #nowMs: number;

  constructor(nowMs: number = START_MS) {
    this.#nowMs = nowMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  /** Moves by `ms`, also backward. */
  advance(ms: number): void {
    this.#nowMs += ms;
  }

  /** Jumps to a time, in milliseconds since the epoch. */
  set(nowMs: number): void {
    this.#nowMs = nowMs;
  }
}

/** Repetition under the control of a test; it has the shape of the library's `Timer`. */
export class FakeTimer {
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
