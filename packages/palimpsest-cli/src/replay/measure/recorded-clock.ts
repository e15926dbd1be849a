/**
 * The clock of a replay: the time at which things were said, so that what depends on time (a cold
 * cache, above all) happens as it would have.
 */

import type { Clock, Message } from "palimpsest";
import { METERING_DEFAULTS } from "palimpsest/internal";

export class RecordedClock implements Clock {
  #nowMs: number;

  /** `startMs`: of a recording that does not say when it began. */
  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  /** A message is said. Recorded times that go back are not followed. */
  observe({ at }: Pick<Message, "at">): void {
    this.#nowMs = Math.max(this.#nowMs, at ?? this.#nowMs + METERING_DEFAULTS.stepMs);
  }
}
