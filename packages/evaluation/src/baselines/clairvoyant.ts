/**
 * Compares two ways to choose when to clear old tool results: the best moments with hindsight, and the library's rule
 * (rent or buy), which does not know the future.
 *
 * A result is *dead* after its last use. Both ways keep every result until it is dead, and both learn at that moment
 * that it is. Clearing rewrites only the messages after the first cleared one. The window has no limit here. So the
 * ways differ in timing, with one exception: the optimum always clears everything that is dead, and the rule may
 * leave older results for later. If that pays, the rule is a little cheaper than the optimum of this file.
 */
import { type Clearable, countToClear } from "palimpsest/internal";
import type { ClearingProblem, DeadWeight } from "./clearing-problem.ts";

/** The cost of a session, in input-token-equivalents, by the moments of clearing. */
interface ClearingCosts {
  /** Nothing is ever cleared. */
  readonly never: number;
  /** With the best moments. */
  readonly optimum: number;
  /** With the moments that the library's rule chooses. */
  readonly online: number;
  readonly onlineClears: number;
}

/** Computes the costs of a session. The rule clears at least `leastFreedTokens` at once. */
export function clearingCosts(
  problem: ClearingProblem,
  { leastFreedTokens = 0 }: { readonly leastFreedTokens?: number } = {},
): ClearingCosts {
  return { ...clairvoyantCosts(problem), ...onlineCost(problem, leastFreedTokens) };
}

/**
 * Finds the best moments by dynamic programming over the last request that cleared. Each clearing removes everything
 * that is dead. Prefix sums make each step constant, so the time is quadratic in the number of requests.
 */
function clairvoyantCosts(problem: ClearingProblem): Pick<ClearingCosts, "never" | "optimum"> {
  const { requests, weights } = problem;
  const sums = new PlainCosts(problem);
  const dying = byRequest(weights, requests.length);
  const never = sums.between(0, requests.length, 0);
  let optimum = never;
  /** By request, if it clears: the least cost of all requests up to and including it; and the tokens freed by then. */
  const best: number[] = [];
  const freedAt: number[] = [];
  const cleared = new SumsByMessage(problem.startTokens.length);
  for (const [request, dead] of dying.entries()) {
    for (const { source, freedTokens } of dead) cleared.add(source, freedTokens);
    freedAt.push((freedAt.at(-1) ?? 0) + dead.reduce((sum, { freedTokens }) => sum + freedTokens, 0));
    let least = Number.POSITIVE_INFINITY;
    let first = Number.POSITIVE_INFINITY;
    for (let before = request - 1; before >= -1; before--) {
      // This clearing removes what died since the clearing at `before`.
      for (const { source } of dying[before + 1]!) first = Math.min(first, source);
      if (first === Number.POSITIVE_INFINITY) continue;
      const freedBefore = before < 0 ? 0 : freedAt[before]!;
      const until = before < 0 ? 0 : best[before]!;
      const startTokens = problem.startTokens[first]! - cleared.before(first);
      const here = clearingRequest(problem, request, {
        startTokens,
        freedBefore,
        freedTokens: freedAt[request]!,
      });
      least = Math.min(least, until + sums.between(before + 1, request, freedBefore) + here);
    }
    best.push(least);
    optimum = Math.min(optimum, least + sums.between(request + 1, requests.length, freedAt[request]!));
  }
  return { never, optimum };
}

/** Applies the library's rule, request by request. It knows which results are dead by then, and the rent paid for them. */
function onlineCost(
  problem: ClearingProblem,
  leastFreedTokens: number,
): Pick<ClearingCosts, "online" | "onlineClears"> {
  const { tariff, requests, weights, startTokens } = problem;
  const sums = new PlainCosts(problem);
  const dying = byRequest(weights, requests.length);
  let waiting: Waiting[] = [];
  let freedTokens = 0;
  let online = 0;
  let onlineClears = 0;
  const cleared = new SumsByMessage(startTokens.length);
  for (const [request, { tokens, isWarm }] of requests.entries()) {
    waiting.push(...dying[request]!.map((weight) => ({ weight, paid: 0 })));
    waiting.sort((one, other) => other.weight.source - one.weight.source);
    for (const dead of waiting) dead.paid += dead.weight.freedTokens * (isWarm ? tariff.read : tariff.write);
    const clearables = waiting.map(({ weight, paid }): Clearable => {
      const start = startTokens[weight.source]! - cleared.before(weight.source);
      return { freedTokens: weight.freedTokens, paid, suffixTokens: tokens - freedTokens - start };
    });
    const count = countToClear(clearables, { tariff, isWarm, leastFreedTokens });
    if (count === 0) {
      online += sums.between(request, request + 1, freedTokens);
      continue;
    }
    const freedBefore = freedTokens;
    const first = waiting[count - 1]!.weight.source;
    for (const { weight } of waiting.slice(0, count)) {
      cleared.add(weight.source, weight.freedTokens);
      freedTokens += weight.freedTokens;
    }
    waiting = waiting.slice(count);
    const start = startTokens[first]! - cleared.before(first);
    online += clearingRequest(problem, request, { startTokens: start, freedBefore, freedTokens });
    onlineClears++;
  }
  return { online, onlineClears };
}

/** A dead result that is still in the window, and the cost of sending it since it died. */
interface Waiting {
  readonly weight: DeadWeight;
  paid: number;
}

/**
 * The cost of a request that clears: messages before the first cleared one are read from the cache, the rest is
 * written.
 */
function clearingRequest(
  { tariff, requests }: ClearingProblem,
  request: number,
  clear: { readonly startTokens: number; readonly freedBefore: number; readonly freedTokens: number },
): number {
  const { tokens, isWarm } = requests[request]!;
  const sent = tokens - clear.freedTokens;
  // Messages that were never sent before cannot be read from the cache.
  const cached = isWarm ? requests[request - 1]!.tokens - clear.freedBefore : 0;
  const read = Math.min(clear.startTokens, cached);
  return read * tariff.read + (sent - read) * tariff.write;
}

/** Costs of consecutive requests that clear nothing, if a given number of tokens was freed before. */
class PlainCosts {
  readonly #costs = [0];
  /** Sums of what one token less would save. */
  readonly #savings = [0];

  constructor({ tariff, requests }: ClearingProblem) {
    for (const [index, { tokens, isWarm }] of requests.entries()) {
      const cached = isWarm ? requests[index - 1]!.tokens : 0;
      const cost = cached * tariff.read + (tokens - cached) * tariff.write;
      this.#costs.push(this.#costs.at(-1)! + cost);
      this.#savings.push(this.#savings.at(-1)! + (isWarm ? tariff.read : tariff.write));
    }
  }

  /** From request `from` up to, and without, `to`. */
  between(from: number, to: number, freedTokens: number): number {
    const saved = (this.#savings[to]! - this.#savings[from]!) * freedTokens;
    return this.#costs[to]! - this.#costs[from]! - saved;
  }
}

/** Tokens cleared before each message: prefix sums that can change (a Fenwick tree). */
class SumsByMessage {
  readonly #sums: number[];

  constructor(count: number) {
    this.#sums = Array.from({ length: count + 1 }, () => 0);
  }

  add(source: number, freedTokens: number): void {
    for (let node = source + 1; node < this.#sums.length; node += node & -node)
      this.#sums[node]! += freedTokens;
  }

  /** Freed in the messages before `source`. */
  before(source: number): number {
    let sum = 0;
    for (let node = source; node > 0; node -= node & -node) sum += this.#sums[node]!;
    return sum;
  }
}

function byRequest(weights: readonly DeadWeight[], count: number): readonly (readonly DeadWeight[])[] {
  const groups: DeadWeight[][] = Array.from({ length: count }, () => []);
  for (const weight of weights) groups[weight.fromRequest]!.push(weight);
  return groups;
}
