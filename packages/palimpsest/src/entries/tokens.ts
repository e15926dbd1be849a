/** `palimpsest/tokens`: counting before the call, budgets and warnings; what a failed call means. */
export { type BedrockCountingClient, bedrockCounter } from "../models/counters/bedrock-counter.ts";
export { type GeminiCountingClient, geminiCounter } from "../models/counters/gemini-counter.ts";
export type { TokenCounter } from "../ports/model-client.ts";
export type { ModelFailure, ModelFailureKind } from "../ports/model-failure.ts";
export {
  type BudgetInput,
  type BudgetPolicy,
  type ContextBudget,
  planBudget,
} from "../tokens/budget/budget.ts";
export { type TokenWarningState, tokenWarningState } from "../tokens/budget/warning-state.ts";
export { CountingChain } from "../tokens/count/counting-chain.ts";
export { estimateText } from "../tokens/estimate/character-automaton.ts";
export { estimateBlock, estimateFixed, estimateMessage } from "../tokens/estimate/estimate-block.ts";
export { bindsReasoning, type EditSafety, editSafety } from "../tokens/models/edit-safety.ts";
export {
  type CatalogueModel,
  findModel,
  type ModelLimits,
  type ModelPrices,
  resolveModelLimits,
} from "../tokens/models/model-catalogue.ts";
export { tokenizerRatio } from "../tokens/models/model-id.ts";
export { usagePrice } from "../tokens/price/cache-price.ts";
export { type ResolvedTariff, resolveTariff } from "../tokens/price/resolve-tariff.ts";
export { TARIFFS, type Tariff, type TariffName } from "../tokens/price/tariff.ts";
export { classifyModelError } from "../wire/errors/model-failure.ts";
export { findSilentOverflow } from "../wire/errors/silent-overflow.ts";
