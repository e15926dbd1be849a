/**
 * What tokens cost at a provider that caches prompts, in input-token-equivalents.
 *
 * Everything the layers decide for money's sake (is clearing worth a rewrite, does a summary pay)
 * depends on ratios only: reading against writing, output against input. A model's ratios come from
 * its prices in the catalogue, the rest (how long a cache lives, how it is matched, from which size
 * on) from what its family documents. Prices of long prompts are left out: they step all of a
 * model's prices up at once, so their ratios are about those of the base.
 */
import { PROMPT_CACHE_DEFAULTS, TARIFF_DEFAULTS } from "../base/defaults/prompt-cache.ts";
import { OptionError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { findModel, type ModelPrices } from "./model-catalogue.ts";
import { parseModelId } from "./model-id.ts";
import { findTariffRule, type TariffRule } from "./tariff-rules.ts";

/** Prices and limits of a provider's prompt cache. One plain input token costs 1. */
export interface Tariff {
  /** A token read from the cache. */
  readonly read: number;
  /** A token written to the cache, its input price included; 1 where the provider adds nothing. */
  readonly write: number;
  /** A token of the answer. */
  readonly outputRatio: number;
  /** How long an entry that nobody reads stays in the cache; each read starts it anew. */
  readonly cacheLifetimeMs: number;
  /** Prompts below this size are not cached. */
  readonly minimumCacheTokens: number;
  /**
   * Where entries exist: at the marks of a request and nowhere else (`breakpoints`), or at the longest
   * common beginning, without being asked (`prefix`).
   */
  readonly matching: "breakpoints" | "prefix";
  /** Marks that one request may carry, those of system prompt and tools included; by `breakpoints` only. */
  readonly maxMarks: number;
  /** How many blocks before a mark an entry is found; by `breakpoints` only. */
  readonly lookBackBlocks: number;
}

/** A tariff that can be named; `docs/reference/defaults.md` has the figures. */
export type TariffName = keyof typeof TARIFF_DEFAULTS;

/** Who says so: the caller, the model's row in the catalogue, a rule of its family, or nobody. */
export type TariffSource = "option" | "catalogue" | "family" | "generic";

/** A tariff with where it comes from. */
export interface ResolvedTariff extends Tariff {
  /** The name of the tariff, or of the model or family it was taken from. */
  readonly name: string;
  readonly source: TariffSource;
}

/** A named tariff, or figures that replace those of the model one by one. */
export type TariffOption = TariffName | Partial<Tariff>;

/** The tariff by its name. */
export const TARIFFS: Readonly<Record<TariffName, Tariff>> = TARIFF_DEFAULTS;

/**
 * The tariff of a model: what the caller says, else the model's own prices, else what its family is
 * known for, else a cautious guess. Unknown models are no error. `cacheTtl` is the lifetime that the
 * host asks the provider for where there is a choice.
 *
 * @defaultValue `cacheTtl`: `5m`
 * @throws `OptionError` `OPTION_INVALID` where `option` is no tariff.
 */
export function resolveTariff({
  model,
  option,
  cacheTtl = "5m",
}: {
  readonly model: string;
  readonly option?: TariffOption | undefined;
  readonly cacheTtl?: "5m" | "1h" | undefined;
}): ResolvedTariff {
  const checked = checkTariffOption(option);
  if (typeof checked === "string") return { ...TARIFFS[checked], name: checked, source: "option" };
  const own = tariffOfModel(model, cacheTtl);
  if (checked === undefined) return own;
  return checkOrder({ ...own, ...checked, source: "option" });
}

function tariffOfModel(model: string, cacheTtl: "5m" | "1h"): ResolvedTariff {
  const { name } = parseModelId(model);
  const rule = findTariffRule(name);
  const base = rule === undefined ? TARIFFS.generic : tariffOfRule(rule, cacheTtl);
  const known = findModel(model);
  const prices = known?.prices;
  const outputRatio = ratio(prices?.outputPerMillion, prices?.inputPerMillion) ?? base.outputRatio;
  const cache = prices === undefined ? undefined : cachePrices(prices, rule, cacheTtl, base);
  if (cache !== undefined) return { ...base, ...cache, outputRatio, name: known!.name, source: "catalogue" };
  if (rule !== undefined) return { ...base, outputRatio, name: rule.family, source: "family" };
  return { ...base, outputRatio, name: "generic", source: "generic" };
}

function tariffOfRule({ tariff, hourTariff, limits }: TariffRule, cacheTtl: "5m" | "1h"): Tariff {
  const named = cacheTtl === "1h" && hourTariff !== undefined ? hourTariff : tariff;
  return { ...TARIFFS[named], ...limits };
}

/** What the price list says of the cache; `undefined` where it says nothing one could build on. */
function cachePrices(
  prices: ModelPrices,
  rule: TariffRule | undefined,
  cacheTtl: "5m" | "1h",
  base: Tariff,
): Pick<Tariff, "read" | "write"> | undefined {
  const { inputPerMillion, cacheReadPerMillion, cacheWritePerMillion, cacheWriteHourPerMillion } = prices;
  const read = ratio(cacheReadPerMillion, inputPerMillion);
  // A vendor that lists every discount and lists none here gives none.
  if (read === undefined) return rule?.listsDiscounts === true ? { read: 1, write: 1 } : undefined;
  const isHour = cacheTtl === "1h" && rule?.hourTariff !== undefined;
  const listed = ratio(isHour ? cacheWriteHourPerMillion : cacheWritePerMillion, inputPerMillion);
  const write = listed ?? (base.matching === "breakpoints" ? base.write : 1);
  return read <= write ? { read, write } : undefined;
}

/** A ratio of two prices, without the noise of their division. */
function ratio(price: number | undefined, input: number | undefined): number | undefined {
  if (price === undefined || input === undefined || !(price > 0) || !(input > 0)) return undefined;
  return Number((price / input).toFixed(PROMPT_CACHE_DEFAULTS.ratioDigits));
}

const POSITIVE = (value: unknown): boolean =>
  typeof value === "number" && Number.isFinite(value) && value > 0;
const NOT_NEGATIVE = (value: unknown): boolean =>
  typeof value === "number" && Number.isFinite(value) && value >= 0;

/** What each figure may be, and how that is said. */
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
 * A tariff as a caller without types may hand it over.
 * @throws `OptionError` where it is neither a known name nor an object of known figures.
 * @internal
 */
export function checkTariffOption(option: unknown): TariffName | Partial<Tariff> | undefined {
  if (option === undefined) return undefined;
  if (typeof option === "string") {
    if (Object.hasOwn(TARIFFS, option)) return option as TariffName;
    throw invalid(`There is no tariff ${JSON.stringify(option.slice(0, 80))}.`);
  }
  if (!isObject(option)) throw invalid("A tariff is a name or an object of figures.");
  const given = Object.entries(option).filter(([, value]) => value !== undefined);
  for (const [figure, value] of given) {
    if (!Object.hasOwn(FIGURES, figure))
      throw invalid(`A tariff has no figure ${JSON.stringify(figure.slice(0, 80))}.`);
    const [isAllowed, words] = FIGURES[figure as keyof Tariff];
    if (!isAllowed(value)) throw invalid(`The tariff's \`${figure}\` is ${words}.`);
  }
  return Object.fromEntries(given) as Partial<Tariff>;
}

/** A cache that is dearer to read than to write would make every rewrite a gain. */
function checkOrder(tariff: ResolvedTariff): ResolvedTariff {
  if (tariff.read <= tariff.write) return tariff;
  throw invalid(`The tariff reads a token for ${tariff.read} and writes it for ${tariff.write}.`);
}

function invalid(message: string): OptionError {
  return new OptionError({
    message,
    hint: `Pass one of ${Object.keys(TARIFFS).join(", ")}, or figures such as \`{ read: 0.1, write: 1.25, cacheLifetimeMs: 300_000 }\`; one plain input token is 1.`,
  });
}
