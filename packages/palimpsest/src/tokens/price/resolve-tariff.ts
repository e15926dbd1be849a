/**
 * The tariff of a model.
 *
 * Its ratios come from its prices in the catalogue, the rest (how long a cache lives, how it is matched,
 * from which size on) from what its family documents. Prices of long prompts are left out: they step all
 * of a model's prices up at once, so their ratios are about those of the base.
 */
import { findModel, type ModelPrices } from "../models/model-catalogue.ts";
import { parseModelId } from "../models/model-id.ts";
import { checkTariffOption, invalidTariff, TARIFFS, type Tariff, type TariffOption } from "./tariff.ts";
import { findTariffRule, type TariffRule } from "./tariff-rules.ts";

/** Digits that are kept of a ratio of two prices: more is the noise of the division. Our choice: prices have up to four digits. */
const RATIO_DIGITS = 4;

/** Its source: the caller, the model's row in the catalogue, a rule of its family, or no one. */
type TariffSource = "option" | "catalogue" | "family" | "generic";

/** A tariff with where it comes from. */
export interface ResolvedTariff extends Tariff {
  /** The name of the tariff, or of the model or family it was taken from. */
  readonly name: string;
  readonly source: TariffSource;
}

/**
 * The tariff of a model: what the caller says, else the model's own prices, else what its family is
 * known for, else a cautious guess. Unknown models are not an error. `cacheTtl` is the lifetime that the
 * host asks the provider for where there is a choice.
 *
 * @defaultValue `cacheTtl`: `5m`
 * @throws `OptionError` `OPTION_INVALID` where `option` is not a tariff.
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

/** The cache's prices in the price list; `undefined` where it has too little. */
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
  return Number((price / input).toFixed(RATIO_DIGITS));
}

/** A cache that is dearer to read than to write would make every rewrite a gain. */
function checkOrder(tariff: ResolvedTariff): ResolvedTariff {
  if (tariff.read <= tariff.write) return tariff;
  throw invalidTariff(`The tariff reads a token for ${tariff.read} and writes it for ${tariff.write}.`);
}
