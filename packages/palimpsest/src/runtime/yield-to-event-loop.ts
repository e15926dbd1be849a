/**
 * Lets the rest of the process have a turn during long work: signals, timers, output. The stores
 * work so fast that a whole replay could otherwise pass without Ctrl-C being heard.
 */
import { setImmediate } from "node:timers/promises";
import { SessionError } from "../base/errors.ts";

/** Longest stretch without a turn for the others, in milliseconds: not felt by anyone who presses a key. */
const STRETCH_MS = 20;

export class EventLoopYielder {
  readonly #signal: AbortSignal;
  #lastMs = performance.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Takes a breath if it is time. @throws `ABORTED` once the user has stopped the command. */
  async take(): Promise<void> {
    if (performance.now() - this.#lastMs >= STRETCH_MS) {
      await setImmediate();
      this.#lastMs = performance.now();
    }
    if (!this.#signal.aborted) return;
    throw new SessionError("ABORTED", {
      message: "Stopped before it was finished.",
      hint: "Run it again for the whole result.",
    });
  }
}
