/**
 * Whether compaction still helps: failures of the model that writes summaries, and compactions that came
 * about and were of no use.
 *
 * DESIGN. Two counts, each of things in a row. A failure is a summary that could not be had; after
 * `breakerFailuresCount` of them no model is asked any more, and summaries are made without one. A useless
 * compaction freed too little, missed its target, or was followed by the next one within a few calls; after
 * as many of them the session is thrashing, which is told, ends a turn that would go on, and keeps models from
 * being asked. A useful one clears the second count, a summary that was had clears the first, and a compaction
 * by hand clears both. Neither a new turn nor opening the session again clears any.
 */

import { FULL_COMPACT_DEFAULTS } from "../../base/defaults/compaction/full-compact.ts";
import { ENGINE_DEFAULTS } from "../../base/defaults/engine.ts";
import { Breakers } from "../append/breakers.ts";

/** One compaction, in tokens of the messages. */
interface WatchedCompaction {
  readonly beforeTokens: number;
  readonly afterTokens: number;
  readonly targetTokens: number;
}

/** What was wrong with one: how many there were in a row. */
interface UselessCompaction {
  readonly freedTokens: number;
  readonly targetTokens: number;
  readonly failures: number;
  readonly isThrashing: boolean;
  /** Which of its marks it missed. */
  readonly cause: "freed-little" | "missed-target" | "refilled";
}

export class CompactionWatch {
  readonly #breakers: Breakers;
  #limit: number = FULL_COMPACT_DEFAULTS.breakerFailuresCount;
  /** Useless compactions that a turn was ended for. */
  #reportedCount = 0;
  #count = 0;
  /** Calls that left since the last compaction. */
  #callsSince: number;

  /** @param callsSince of a session that goes on: calls since its last compaction, by the log */
  constructor(breakers = new Breakers(), callsSince = Number.POSITIVE_INFINITY) {
    this.#breakers = breakers;
    this.#callsSince = callsSince;
  }

  /** After how many failures in a row no model is asked any more. */
  limitFailures(count: number): void {
    this.#limit = count;
  }

  /** Whether a model may be asked for a summary. */
  get mayAsk(): boolean {
    return this.failures < this.#limit && !this.isThrashing;
  }

  get isThrashing(): boolean {
    return this.#useless >= ENGINE_DEFAULTS.uselessCompactions;
  }

  /** Whether as many compactions were of no use since a turn was last ended for that. */
  get endsTurn(): boolean {
    return this.#useless - this.#reportedCount >= ENGINE_DEFAULTS.uselessCompactions;
  }

  /** A turn was ended: the next one goes on. */
  endedTurn(): void {
    this.#reportedCount = this.#useless;
  }

  /** Failures of the model in a row. */
  get failures(): number {
    return this.#breakers.count("summaries");
  }

  /** Compactions since the session was opened. */
  get count(): number {
    return this.#count;
  }

  get #useless(): number {
    return this.#breakers.count("uselessCompactions");
  }

  called(): void {
    this.#callsSince++;
  }

  failed(): void {
    this.#breakers.failed("summaries");
  }

  /** A summary was had. */
  wrote(): void {
    this.#breakers.reset("summaries");
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
      this.#clearUseless();
      return undefined;
    }
    this.#breakers.failed("uselessCompactions");
    return { freedTokens, targetTokens, failures: this.#useless, isThrashing: this.isThrashing, cause };
  }

  /** Somebody is about to compact by hand: both counts start anew. */
  reset(): void {
    this.wrote();
    this.#clearUseless();
  }

  /** Somebody has compacted by hand: it is not held against what the session does by itself. */
  compactedByHand(): void {
    this.#clearUseless();
    this.#callsSince = Number.POSITIVE_INFINITY;
  }

  #clearUseless(): void {
    this.#breakers.reset("uselessCompactions");
    this.#reportedCount = 0;
  }
}
