/**
 * The provider's prompt cache, emulated: what of a request is read from it and what is written.
 *
 * Anthropic-like (`breakpoints`): an entry exists only where an earlier request had a mark, matches
 * by whole prefix, is looked for a limited number of blocks back from each mark, and lives on while
 * it is used. OpenAI-like (`prefix`): the longest prefix that was sent before. Costs are in
 * input-token-equivalents.
 */
import { assert, HeadLifetime } from "palimpsest/internal";
import type { Tariff } from "palimpsest/tokens";

/** A piece of a request that is cached as one: `id` says what it is, byte for byte. */
export interface CachedUnit {
  readonly id: number;
  readonly tokens: number;
  /** Content blocks in it: the look-back of a mark counts these. */
  readonly blocks: number;
}

/** The cost of one request. */
export interface PricedRequest {
  readonly readTokens: number;
  /** All that was not read. */
  readonly writtenTokens: number;
  readonly cost: number;
}

const FIXED_ID = 1;

export class CacheModel {
  readonly #tariff: Tariff;
  /** Until when a prefix is cached, in milliseconds, by its hash. */
  readonly #entries = new Map<number, number>();
  readonly #fixed: CachedUnit;
  readonly #headTariff: Tariff | undefined;
  readonly #head = new HeadLifetime();
  /** True if the entry of the fixed part was written to live long. */
  #isHeadLong = false;

  /** `headTariff`: prices of the fixed part's entry if it lives long. @defaultValue it lives as long as the others */
  constructor(tariff: Tariff, fixedTokens: number, headTariff?: Tariff) {
    this.#tariff = tariff;
    this.#fixed = { id: FIXED_ID, tokens: fixedTokens, blocks: 1 };
    this.#headTariff = tariff.matching === "breakpoints" ? headTariff : undefined;
  }

  /**
   * Prices a request and remembers it. `marks`: indexes of `units` behind which the caller sets a mark,
   * beside those behind the fixed part and at the end, which every request has.
   */
  request(units: readonly CachedUnit[], nowMs: number, marks: readonly number[] = []): PricedRequest {
    const { matching, maxMarks, lookBackBlocks, minimumCacheTokens, read, write } = this.#tariff;
    const prefix = new Prefix([this.#fixed, ...units]);
    const places = [...new Set([prefix.last, ...marks.map((mark) => mark + 1), 0])];
    assert(
      places.every((place) => Number.isInteger(place) && place >= 0 && place <= prefix.last),
      "a mark follows a unit of the request",
    );
    assert(
      matching === "prefix" || places.length <= maxMarks,
      "a request has no more marks than its provider takes",
    );
    const sentTokens = prefix.tokens[prefix.last]!;
    // Nothing of it is cached, so nothing is charged for caching it.
    if (sentTokens < minimumCacheTokens)
      return { readTokens: 0, writtenTokens: sentTokens, cost: sentTokens };
    const hit =
      matching === "prefix"
        ? this.#longest(prefix, prefix.last, Number.POSITIVE_INFINITY, nowMs)
        : Math.max(...places.map((place) => this.#longest(prefix, place, lookBackBlocks, nowMs)));
    const addedPrice = this.#headPrice(hit, nowMs);
    this.#remember(prefix, places, hit, nowMs);
    const readTokens = hit < 0 ? 0 : prefix.tokens[hit]!;
    const writtenTokens = sentTokens - readTokens;
    const cost = readTokens * read + writtenTokens * write + this.#fixed.tokens * addedPrice;
    return { readTokens, writtenTokens, cost };
  }

  /** Extra price of one token of the fixed part where it is written to live long. */
  #headPrice(hit: number, nowMs: number): number {
    if (this.#headTariff === undefined) return 0;
    const isLong = this.#head.sent(nowMs, { short: this.#tariff, long: this.#headTariff });
    if (hit >= 0) return 0;
    this.#isHeadLong = isLong;
    return isLong ? this.#headTariff.write - this.#tariff.write : 0;
  }

  #longest(prefix: Prefix, place: number, lookBackBlocks: number, nowMs: number): number {
    for (let index = place; index >= 0; index--) {
      if (prefix.blocks[place]! - prefix.blocks[index]! > lookBackBlocks) return -1;
      if (this.#isHeld(prefix.hashes[index]!, nowMs)) return index;
    }
    return -1;
  }

  #isHeld(hash: number, nowMs: number): boolean {
    const untilMs = this.#entries.get(hash);
    return untilMs !== undefined && untilMs >= nowMs;
  }

  #remember(prefix: Prefix, places: readonly number[], hit: number, nowMs: number): void {
    const { matching, minimumCacheTokens, cacheLifetimeMs } = this.#tariff;
    const headLifetimeMs = this.#isHeadLong ? this.#headTariff!.cacheLifetimeMs : cacheLifetimeMs;
    const untilOf = (index: number): number => nowMs + (index === 0 ? headLifetimeMs : cacheLifetimeMs);
    for (const index of matching === "prefix" ? prefix.hashes.keys() : places)
      if (prefix.tokens[index]! >= minimumCacheTokens)
        this.#entries.set(prefix.hashes[index]!, untilOf(index));
    if (matching === "prefix") return;
    // What is read lives on, and all that it begins with; an expired entry stays expired.
    for (let index = 0; index <= hit; index++)
      if (this.#isHeld(prefix.hashes[index]!, nowMs))
        this.#entries.set(prefix.hashes[index]!, untilOf(index));
  }
}

/** Hash, tokens and blocks of a request up to each of its units. */
class Prefix {
  readonly hashes: number[] = [];
  readonly tokens: number[] = [];
  readonly blocks: number[] = [];
  readonly last: number;

  constructor(units: readonly CachedUnit[]) {
    let one = 0x811c9dc5;
    let other = 0x01234567;
    let tokens = 0;
    let blocks = 0;
    for (const unit of units) {
      one = Math.imul(one ^ unit.id, 16_777_619) ^ (unit.id >>> 15);
      other = (Math.imul(other ^ unit.id, 2_246_822_519) + 7) ^ (other >>> 13);
      tokens += unit.tokens;
      blocks += unit.blocks;
      this.hashes.push((one >>> 0) * 2 ** 20 + (other >>> 12));
      this.tokens.push(tokens);
      this.blocks.push(blocks);
    }
    this.last = units.length - 1;
  }
}
