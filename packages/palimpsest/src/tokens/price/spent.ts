/**
 * Calls of models added up: how many, their usage, their cost.
 *
 * A sum keeps calls without a known price apart, so that the difference of two sums has a price again where all calls
 * between them have one.
 */
import { asNumber, isObject, type JsonObject } from "../../base/json/json.ts";
import { sumUsage, type Usage } from "../../transcript/blocks.ts";
import { usageCostUsd } from "./usage-cost.ts";

/** Calls of models, and what they cost. */
export interface Spent {
  readonly calls: number;
  /** Calls among them whose usage was not reported: where there are any, `usage` and `costUsd` are lower bounds. */
  readonly unmeteredCalls: number;
  readonly usage: Usage;
  /** In $, at list prices; `undefined` if the price of a model is not known. */
  readonly costUsd: number | undefined;
}

/** A sum of calls. */
export interface SpentSum extends Omit<Spent, "costUsd"> {
  /** Cost of those with a known price, in $. */
  readonly pricedUsd: number;
  /** Amounts in it that have no known price. */
  readonly unpriced: number;
}

const NO_USAGE: Usage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

export const NOTHING_SPENT: SpentSum = {
  calls: 0,
  unmeteredCalls: 0,
  usage: NO_USAGE,
  pricedUsd: 0,
  unpriced: 0,
};

/** One call of a model. A usage that was not reported counts as none; an unknown model has no price. */
export function spentOn(usage: Usage | undefined, model: string | undefined): SpentSum {
  const costUsd = model === undefined ? undefined : usageCostUsd(usage ?? NO_USAGE, model);
  const unmeteredCalls = usage === undefined ? 1 : 0;
  return { calls: 1, unmeteredCalls, usage: usage ?? NO_USAGE, ...priced(costUsd) };
}

function priced(costUsd: number | undefined): Pick<SpentSum, "pricedUsd" | "unpriced"> {
  return costUsd === undefined ? { pricedUsd: 0, unpriced: 1 } : { pricedUsd: costUsd, unpriced: 0 };
}

export function addSpent(one: SpentSum, other: SpentSum): SpentSum {
  return {
    calls: one.calls + other.calls,
    unmeteredCalls: one.unmeteredCalls + other.unmeteredCalls,
    usage: sumUsage([one.usage, other.usage]),
    pricedUsd: one.pricedUsd + other.pricedUsd,
    unpriced: one.unpriced + other.unpriced,
  };
}

/** Returns the calls that a sum has and an earlier one had not. */
export function spentSince(later: SpentSum, earlier: SpentSum): SpentSum {
  const less = (field: keyof Usage): number => later.usage[field] - earlier.usage[field];
  return {
    calls: later.calls - earlier.calls,
    unmeteredCalls: later.unmeteredCalls - earlier.unmeteredCalls,
    usage: {
      inputTokens: less("inputTokens"),
      cacheReadTokens: less("cacheReadTokens"),
      cacheWriteTokens: less("cacheWriteTokens"),
      outputTokens: less("outputTokens"),
    },
    pricedUsd: later.pricedUsd - earlier.pricedUsd,
    unpriced: later.unpriced - earlier.unpriced,
  };
}

/** A sum as callers see it. */
export function spentOf({ calls, unmeteredCalls, usage, pricedUsd, unpriced }: SpentSum): Spent {
  return { calls, unmeteredCalls, usage, costUsd: unpriced > 0 ? undefined : pricedUsd };
}

/** Calls as they are stored; see {@link parseSpent}. */
export function formatSpent({ calls, unmeteredCalls, usage, costUsd }: Spent): JsonObject {
  return {
    calls,
    ...(unmeteredCalls === 0 ? {} : { unmeteredCalls }),
    usage: { ...usage },
    costUsd: costUsd ?? null,
  };
}

/** The usage of calls, as far as it was reported; `undefined` if it was for none of them. */
export function reportedUsage({ calls, unmeteredCalls, usage }: Omit<Spent, "costUsd">): Usage | undefined {
  return calls > unmeteredCalls ? usage : undefined;
}

/** Reads a stored sum; `undefined` if it is not one. Damaged figures count as 0, a damaged cost as unknown. */
export function parseSpent(value: unknown): SpentSum | undefined {
  const usage = isObject(value) ? value["usage"] : undefined;
  if (!isObject(value) || !isObject(usage)) return undefined;
  const costUsd = asNumber(value["costUsd"]);
  return {
    calls: figureOf(value, "calls"),
    unmeteredCalls: figureOf(value, "unmeteredCalls"),
    usage: {
      inputTokens: figureOf(usage, "inputTokens"),
      cacheReadTokens: figureOf(usage, "cacheReadTokens"),
      cacheWriteTokens: figureOf(usage, "cacheWriteTokens"),
      outputTokens: figureOf(usage, "outputTokens"),
    },
    ...priced(costUsd === undefined || costUsd < 0 ? undefined : Math.min(costUsd, LARGEST_FIGURE)),
  };
}

/** Figures from storage are cut here, so that sums of damaged ones stay numbers. */
const LARGEST_FIGURE = 1e12;

function figureOf(from: Readonly<Record<string, unknown>>, name: string): number {
  return Math.min(Math.max(0, asNumber(from[name]) ?? 0), LARGEST_FIGURE);
}
