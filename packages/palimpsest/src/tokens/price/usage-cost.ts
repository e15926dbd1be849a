/** What a call costs in $, at the list prices of the catalogue. */
import { promptTokens, type Usage } from "../../transcript/blocks.ts";
import { findModel, type ModelPrices } from "../models/model-catalogue.ts";

/** Cost of one call in $; `undefined` where the catalogue has no price of the model. */
export function usageCostUsd(usage: Usage, model: string): number | undefined {
  const known = findModel(model);
  const long = known?.longPromptPrices;
  const isLong = long !== undefined && promptTokens(usage) >= long.fromTokens;
  const prices: ModelPrices | undefined = isLong ? long : known?.prices;
  if (prices === undefined) return undefined;
  const { inputPerMillion: input, outputPerMillion: output } = prices;
  return (
    (usage.inputTokens * input +
      usage.cacheReadTokens * (prices.cacheReadPerMillion ?? input) +
      usage.cacheWriteTokens * (prices.cacheWritePerMillion ?? input) +
      usage.outputTokens * output) /
    1e6
  );
}
