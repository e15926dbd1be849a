/**
 * Verifies that compaction helps: counts summaries that failed, and compactions that were of no use.
 *
 * DESIGN. Both are counts in a row. After `breakerFailuresCount` failed summaries no model is asked, and summaries are
 * made from the log. A compaction is useless if it freed too little, missed its target, or was followed by the next
 * one within a few calls. After as many useless ones the session is thrashing: the observer learns it, a turn that
 * would go on ends, and models are not asked. A useful compaction clears the second count, a written summary the
 * first, and a compaction by hand both. A new turn, or opening the session again, clears neither.
 */
import { FULL_COMPACT_DEFAULTS } from "../../base/defaults/compaction/full-compact.ts";
import { ENGINE_DEFAULTS } from "../../base/defaults/engine.ts";
import { isBoundary } from "../../transcript/edits.ts";
import type { Projection } from "../../transcript/projection.ts";
import { Breakers } from "../append/breakers.ts";

/** One compaction, in tokens of the messages. */
interface WatchedCompaction {
  readonly beforeTokens: number;
  readonly afterTokens: number;
  readonly targetTokens: number;
}

/** A compaction that was of no use, with the count of them in a row. */
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

  /** Sets the number of failures in a row after which no model is asked. */
  limitFailures(count: number): void {
    this.#limit = count;
  }

  /** True if a model may be asked for a summary. */
  get mayAsk(): boolean {
    return this.failures < this.#limit && !this.isThrashing;
  }

  get isThrashing(): boolean {
    return this.#useless >= ENGINE_DEFAULTS.uselessCompactions;
  }

  /** True if enough compactions were of no use since the last turn that ended for it: a turn that would go on ends. */
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

  /** A request left. */
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

  /** Judges a compaction. Returns its fault, or `undefined` if it was of use. */
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

  /** A person is about to compact by hand: both counts start again at 0. */
  reset(): void {
    this.#breakers.resetLayers();
    this.wrote();
    this.#clearUseless();
  }

  /** A person has compacted by hand: it does not count against the session's own compactions. */
  compactedByHand(): void {
    this.#clearUseless();
    this.#callsSince = Number.POSITIVE_INFINITY;
  }

  #clearUseless(): void {
    this.#breakers.reset("uselessCompactions");
    this.#reportedCount = 0;
  }
}

/** Calls since the last compaction, by the log; one by hand does not count against the next. */
export function callsSinceCompaction(projection: Projection): number {
  const last = projection.activeEdits.findLast(({ edit }) => isBoundary(edit));
  if (last === undefined || ("reason" in last.edit && last.edit.reason === "manual"))
    return Number.POSITIVE_INFINITY;
  return callsSinceBoundary(projection);
}

/** Calls since the last compaction before entry `beforeSeq`, by the log; all of them if there was none. */
export function callsSinceBoundary(
  { callSeqs, activeEdits }: Projection,
  beforeSeq = Number.POSITIVE_INFINITY,
): number {
  const boundarySeq = activeEdits.findLast((one) => one.seq < beforeSeq && isBoundary(one.edit))?.seq ?? 0;
  return callSeqs.filter((seq) => seq > boundarySeq).length;
}
