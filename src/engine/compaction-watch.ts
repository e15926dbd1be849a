/**
 * Whether compaction still helps: failures of the model that writes summaries, and compactions that came
 * about and were of no use.
 *
 * DESIGN. Two counts, each of things in a row. A failure is a summary that could not be had; after
 * `breakerFailuresCount` of them no model is asked any more, and summaries are made without one. A useless
 * compaction freed too little, missed its target, or was followed by the next one within a few calls; after
 * as many of them the session is thrashing, which is told, and ends a turn. A useful one clears the second
 * count, a summary that was had clears the first, and a compaction by hand clears both.
 */
import { ENGINE_DEFAULTS } from "../base/defaults/engine.ts";
import { FULL_COMPACT_DEFAULTS } from "../base/defaults/full-compact.ts";

/** One compaction, in tokens of the messages. */
export interface WatchedCompaction {
  readonly beforeTokens: number;
  readonly afterTokens: number;
  readonly targetTokens: number;
}

/** What was wrong with one: how many there were in a row. */
export interface UselessCompaction {
  readonly freedTokens: number;
  readonly targetTokens: number;
  readonly failures: number;
  readonly isThrashing: boolean;
  /** Which of its marks it missed. */
  readonly cause: "freed-little" | "missed-target" | "refilled";
}

export class CompactionWatch {
  #limit: number = FULL_COMPACT_DEFAULTS.breakerFailuresCount;
  #failures = 0;
  #useless = 0;
  #count = 0;
  /** Calls that left since the last compaction. */
  #callsSince = Number.POSITIVE_INFINITY;

  /** After how many failures in a row no model is asked any more. */
  limitFailures(count: number): void {
    this.#limit = count;
  }

  /** Whether a model may be asked for a summary. */
  get mayAsk(): boolean {
    return this.#failures < this.#limit && !this.isThrashing;
  }

  get isThrashing(): boolean {
    return this.#useless >= ENGINE_DEFAULTS.uselessCompactions;
  }

  /** Failures of the model in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** Compactions since the session was opened. */
  get count(): number {
    return this.#count;
  }

  called(): void {
    this.#callsSince++;
  }

  failed(): void {
    this.#failures++;
  }

  /** A summary was had. */
  wrote(): void {
    this.#failures = 0;
  }

  /** A compaction came about: what was wrong with it, if anything was. */
  compacted({ beforeTokens, afterTokens, targetTokens }: WatchedCompaction): UselessCompaction | undefined {
    const freedTokens = beforeTokens - afterTokens;
    const cause =
      freedTokens < beforeTokens * ENGINE_DEFAULTS.usefulFreedShare
        ? "freed-little"
        : this.#callsSince <= FULL_COMPACT_DEFAULTS.refillCallsCount
          ? "refilled"
          : afterTokens > targetTokens
            ? "missed-target"
            : undefined;
    this.#callsSince = 0;
    this.#count++;
    if (cause === undefined) {
      this.#useless = 0;
      return undefined;
    }
    this.#useless++;
    return { freedTokens, targetTokens, failures: this.#useless, isThrashing: this.isThrashing, cause };
  }

  /** Somebody has looked: by hand, or with a new message of the user. */
  reset(): void {
    this.#failures = 0;
    this.#useless = 0;
  }

  /** A new turn: what the last one did with the window is not held against it. */
  turnBegan(): void {
    this.#useless = 0;
    this.#callsSince = Number.POSITIVE_INFINITY;
  }
}
