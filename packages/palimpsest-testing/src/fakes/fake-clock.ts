/** A clock that only moves when a test moves it. */
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
