/**
 * The effect of the prompt cache on a window's price: pure formulas, in input-token-equivalents.
 *
 * Two quantities decide everything. *Rent* is what tokens cost with each call because they are still
 * in the window. A *rewrite* costs the difference between writing and reading for everything
 * after the first changed byte, once. Changing the window pays when rent saved exceeds the rewrite.
 */
import type { Usage } from "../../transcript/blocks.ts";
import type { Tariff } from "./tariff.ts";

/**
 * True if the provider still holds the prompt of the last call: `idleMs` since it was sent or read,
 * `undefined` where there was none. At exactly its lifetime an entry counts as held.
 */
export function isCacheWarm(
  { idleMs, cachedTokens }: { readonly idleMs: number | undefined; readonly cachedTokens: number },
  tariff: Tariff,
): boolean {
  if (idleMs === undefined || cachedTokens < tariff.minimumCacheTokens) return false;
  return idleMs <= tariff.cacheLifetimeMs;
}

/** Cost of `tokens` with each call as long as they stay in the window, read from a warm cache. */
export function rentPerCall(tokens: number, tariff: Tariff): number {
  return tokens * tariff.read;
}

/**
 * Extra cost of sending `suffixTokens` (all that follows the first changed byte) again
 * instead of reading them. Nothing on a cold cache: then they are written again whatever is sent.
 */
export function rewritePrice(
  { suffixTokens, isWarm }: { readonly suffixTokens: number; readonly isWarm: boolean },
  tariff: Tariff,
): number {
  return isWarm ? suffixTokens * (tariff.write - tariff.read) : 0;
}

/**
 * Calls after which taking `freedTokens` out has paid for the rewrite of `suffixTokens`; 0 on a cold
 * cache, `Infinity` where nothing is freed or reading is free.
 */
export function breakEvenCalls(
  {
    freedTokens,
    ...rewrite
  }: { readonly freedTokens: number; readonly suffixTokens: number; readonly isWarm: boolean },
  tariff: Tariff,
): number {
  const price = rewritePrice(rewrite, tariff);
  if (price === 0) return 0;
  const rent = rentPerCall(freedTokens, tariff);
  return rent > 0 ? price / rent : Number.POSITIVE_INFINITY;
}

/** A model call that writes a summary. */
interface PricedSummaryCall {
  /** The prompt that is summarised: all of it for a forked call, what is left of it for a cold one. */
  readonly promptTokens: number;
  /** The answer. */
  readonly summaryTokens: number;
  /** True if the call shares the prefix of the last one byte for byte, on a warm cache: then it reads it. */
  readonly isForked: boolean;
}

/** Cost of the summary call itself: its prompt, read from the cache or paid in full, and its answer. */
export function summaryCallPrice(
  { promptTokens, summaryTokens, isForked }: PricedSummaryCall,
  tariff: Tariff,
): number {
  return promptTokens * (isForked ? tariff.read : 1) + summaryTokens * tariff.outputRatio;
}

/**
 * Cost of a summary until the session goes on: the call, and writing the summary with the
 * `keptTokens` behind it to the cache, which the next request does.
 */
export function summaryPrice(
  { keptTokens, ...call }: PricedSummaryCall & { readonly keptTokens: number },
  tariff: Tariff,
): number {
  return summaryCallPrice(call, tariff) + (call.summaryTokens + keptTokens) * tariff.write;
}

/** Bill of a call, from the provider's report. */
export function usagePrice(usage: Usage, tariff: Tariff): number {
  return (
    usage.inputTokens +
    usage.cacheReadTokens * tariff.read +
    usage.cacheWriteTokens * tariff.write +
    usage.outputTokens * tariff.outputRatio
  );
}
