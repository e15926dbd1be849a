/**
 * Prices of tokens at a provider that caches prompts, in input-token-equivalents.
 *
 * Decisions about cost (does clearing pay for a rewrite, does a summary pay) depend only on ratios of prices: cache reads to
 * cache writes, output to input. So one plain input token costs 1, and no currency is needed.
 */
import { TARIFF_DEFAULTS } from "../../base/defaults/tokens/prompt-cache.ts";
import { OptionError } from "../../base/errors.ts";
import { isObject } from "../../base/json/json.ts";

/** Prices and limits of a provider's prompt cache. One plain input token costs 1. */
export interface Tariff {
  /** A token read from the cache. */
  readonly read: number;
  /** A token written to the cache, its input price included; 1 where the provider adds nothing. */
  readonly write: number;
  /** A token of the answer. */
  readonly outputRatio: number;
  /** Lifetime of an entry that is not read; each read starts it again. */
  readonly cacheLifetimeMs: number;
  /** Prompts below this size are not cached. */
  readonly minimumCacheTokens: number;
  /**
   * How the provider finds cached text: only at the cache marks of a request (`breakpoints`), or automatically by the
   * longest common beginning (`prefix`).
   */
  readonly matching: "breakpoints" | "prefix";
  /** Most marks of one request, those on system prompt and tools included; for `breakpoints` only. */
  readonly maxMarks: number;
  /** Number of blocks before a mark in which the provider looks for an entry; for `breakpoints` only. */
  readonly lookBackBlocks: number;
}

/** A tariff that can be named; `docs/reference/defaults.md` has the figures. */
export type TariffName = keyof typeof TARIFF_DEFAULTS;

/** A named tariff, or figures that replace those of the model one by one. */
export type TariffOption = TariffName | Partial<Tariff>;

/** The tariffs by name. */
export const TARIFFS: Readonly<Record<TariffName, Tariff>> = TARIFF_DEFAULTS;

const POSITIVE = (value: unknown): boolean =>
  typeof value === "number" && Number.isFinite(value) && value > 0;
const NOT_NEGATIVE = (value: unknown): boolean =>
  typeof value === "number" && Number.isFinite(value) && value >= 0;

/** Range of each figure, and its wording. */
const FIGURES: { readonly [Figure in keyof Tariff]: readonly [(value: unknown) => boolean, string] } = {
  read: [NOT_NEGATIVE, "a number from 0 on"],
  write: [POSITIVE, "a number above 0"],
  outputRatio: [POSITIVE, "a number above 0"],
  cacheLifetimeMs: [NOT_NEGATIVE, "milliseconds, from 0 on"],
  minimumCacheTokens: [NOT_NEGATIVE, "a number of tokens, from 0 on"],
  maxMarks: [NOT_NEGATIVE, "a number of marks, from 0 on"],
  lookBackBlocks: [NOT_NEGATIVE, "a number of blocks, from 0 on"],
  matching: [(value) => value === "breakpoints" || value === "prefix", '"breakpoints" or "prefix"'],
};

/**
 * Checks a tariff from a caller that may not use TypeScript.
 * @throws `OptionError` if it is neither a known name nor an object of known figures.
 * @internal
 */
export function checkTariffOption(option: unknown): TariffName | Partial<Tariff> | undefined {
  if (option === undefined) return undefined;
  if (typeof option === "string") {
    if (Object.hasOwn(TARIFFS, option)) return option as TariffName;
    throw invalidTariff(`There is no tariff ${JSON.stringify(option.slice(0, 80))}.`);
  }
  if (!isObject(option)) throw invalidTariff("A tariff is a name or an object of figures.");
  const given = Object.entries(option).filter(([, value]) => value !== undefined);
  for (const [figure, value] of given) {
    if (!Object.hasOwn(FIGURES, figure))
      throw invalidTariff(`A tariff has no figure ${JSON.stringify(figure.slice(0, 80))}.`);
    const [isAllowed, words] = FIGURES[figure as keyof Tariff];
    if (!isAllowed(value)) throw invalidTariff(`The tariff's \`${figure}\` is ${words}.`);
  }
  return Object.fromEntries(given) as Partial<Tariff>;
}

/** @internal */
export function invalidTariff(message: string): OptionError {
  return new OptionError({
    message,
    hint: `Pass one of ${Object.keys(TARIFFS).join(", ")}, or figures such as \`{ read: 0.1, write: 1.25, cacheLifetimeMs: 300_000 }\`; one plain input token is 1.`,
  });
}
