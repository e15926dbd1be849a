/**
 * Chooses how long the provider keeps system prompt and tools cached, from the pauses of a session.
 *
 * An entry of five minutes is lost in a longer pause, and system prompt and tools are written again. An entry of an
 * hour outlives most pauses and costs more to write. So after the first pause that it would have outlived it is bought,
 * as long as such pauses have saved more than longer ones have cost. The choice only changes when the short entry has
 * expired: then system prompt and tools are written again in any case, and no warm cache is touched.
 */
import type { Tariff } from "../price/tariff.ts";

/** Prices and lifetimes of the two kinds of entries. */
interface EntryTariffs {
  readonly short: Pick<Tariff, "read" | "write" | "cacheLifetimeMs">;
  readonly long: Pick<Tariff, "write" | "cacheLifetimeMs">;
}

export class HeadLifetime {
  #lastMs: number | undefined;
  /** Pauses that only the long entry outlives. */
  #pausesCount = 0;
  /** Pauses that no entry outlives. */
  #longPausesCount = 0;
  #isLong = false;

  /** A request leaves that reads or writes the entry. Returns true if the entry is to live long. */
  sent(atMs: number, { short, long }: EntryTariffs): boolean {
    const pauseMs = this.#lastMs === undefined ? 0 : atMs - this.#lastMs;
    this.#lastMs = atMs;
    if (pauseMs <= short.cacheLifetimeMs) return this.#isLong;
    const isOutlived = pauseMs <= long.cacheLifetimeMs;
    if (isOutlived) this.#pausesCount++;
    else this.#longPausesCount++;
    if (this.#isLong && isOutlived) return true;
    const savedPrice = this.#pausesCount * (short.write - short.read);
    const addedPrice = this.#longPausesCount * (long.write - short.write);
    this.#isLong = this.#pausesCount > 0 && savedPrice > addedPrice;
    return this.#isLong;
  }
}
