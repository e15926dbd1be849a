/**
 * Formulas for the cost of a window at a provider with a prompt cache, in input-token-equivalents.
 *
 * Two quantities matter. *Rent* is the cost of tokens in each call as long as they stay in the window. The *rewrite price* is
 * paid once when the window changes: the difference between writing and reading everything after the first changed byte.
 * A change pays if it saves more rent than the rewrite costs.
 */
import type { Usage } from "../../transcript/blocks.ts";
import type { Tariff } from "./tariff.ts";

/**
 * True if the provider still has the prompt of the last call in its cache. `idleMs` is the time since that call,
 * `undefined` if there was none. At exactly its lifetime an entry counts as cached.
 */
export function isCacheWarm(
  { idleMs, cachedTokens }: { readonly idleMs: number | undefined; readonly cachedTokens: number },
  tariff: Tariff,
): boolean {
  if (idleMs === undefined || cachedTokens < tariff.minimumCacheTokens) return false;
  return idleMs <= tariff.cacheLifetimeMs;
}

/** Cost of `tokens` in one call, read from a warm cache. */
export function rentPerCall(tokens: number, tariff: Tariff): number {
  return tokens * tariff.read;
}

/**
 * Extra cost of writing `suffixTokens` (everything after the first changed byte) to the cache again instead of reading them.
 * Zero on a cold cache, where they are written again in any case.
 */
export function rewritePrice(
  { suffixTokens, isWarm }: { readonly suffixTokens: number; readonly isWarm: boolean },
  tariff: Tariff,
): number {
  return isWarm ? suffixTokens * (tariff.write - tariff.read) : 0;
}

/**
 * Number of calls after which removing `freedTokens` has paid for rewriting `suffixTokens`. 0 on a cold cache; `Infinity`
 * if nothing is freed or reading is free.
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
  /** Size of the prompt: for a forked call the whole request, for a cold call the transcript that fits. */
  readonly promptTokens: number;
  /** The answer. */
  readonly summaryTokens: number;
  /** True if the call continues the last request byte for byte on a warm cache, so that it reads that from the cache. */
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
 * Total cost of a summary: the call, and that the next request writes the summary and the `keptTokens` after it to the
 * cache.
 */
export function summaryPrice(
  { keptTokens, ...call }: PricedSummaryCall & { readonly keptTokens: number },
  tariff: Tariff,
): number {
  return summaryCallPrice(call, tariff) + (call.summaryTokens + keptTokens) * tariff.write;
}

/** Price of a call, from the usage that the provider reported. */
export function usagePrice(usage: Usage, tariff: Tariff): number {
  return (
    usage.inputTokens +
    usage.cacheReadTokens * tariff.read +
    usage.cacheWriteTokens * tariff.write +
    usage.outputTokens * tariff.outputRatio
  );
}
