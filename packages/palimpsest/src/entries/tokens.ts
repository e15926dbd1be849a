/** `palimpsest/tokens`: counting before the call, budgets and warnings; what a failed call means. */
export { type BedrockCountingClient, bedrockCounter } from "../models/counters/bedrock-counter.ts";
export { type GeminiCountingClient, geminiCounter } from "../models/counters/gemini-counter.ts";
export type { ModelFailure, ModelFailureKind } from "../ports/model-failure.ts";
export {
  type BudgetInput,
  type BudgetPolicy,
  type ContextBudget,
  planBudget,
} from "../tokens/budget/budget.ts";
export { type TokenWarningState, tokenWarningState, WarningMonitor } from "../tokens/budget/warning-state.ts";
export { Calibration, type CalibrationSample } from "../tokens/count/calibration.ts";
export { type CountDeadline, CountingChain } from "../tokens/count/counting-chain.ts";
export type { TokenFigure, TokenSource } from "../tokens/count/token-figure.ts";
export {
  type ReportJudgement,
  type SentRequest,
  UsageLedger,
  type UsageLedgerOptions,
  type UsageReport,
} from "../tokens/count/usage-ledger.ts";
export { estimateBlock } from "../tokens/estimate/estimate-block.ts";
export {
  estimateFixed,
  estimateMessage,
  estimateVisibleMessage,
} from "../tokens/estimate/estimate-message.ts";
export { estimateText } from "../tokens/estimate/estimate-text.ts";
export { bindsReasoning, type EditSafety, editSafety } from "../tokens/models/edit-safety.ts";
export {
  type CatalogueModel,
  type FigureSource,
  findModel,
  type ModelKnowledge,
  type ModelLimits,
  type ModelPrices,
  resolveModelLimits,
} from "../tokens/models/model-catalogue.ts";
export { tokenizerRatio } from "../tokens/models/model-family.ts";
export {
  breakEvenCalls,
  isCacheWarm,
  type PricedSummaryCall,
  rentPerCall,
  rewritePrice,
  summaryCallPrice,
  summaryPrice,
  usagePrice,
} from "../tokens/price/cache-price.ts";
export { type ResolvedTariff, resolveTariff, type TariffSource } from "../tokens/price/resolve-tariff.ts";
export { TARIFFS, type Tariff, type TariffName, type TariffOption } from "../tokens/price/tariff.ts";
export { type BreakpointInput, planBreakpoints } from "../tokens/prompt-cache/breakpoints.ts";
export {
  type CacheMiss,
  type CacheMissCause,
  describeCacheMiss,
  PromptCacheMonitor,
  type SentPrompt,
} from "../tokens/prompt-cache/prompt-cache-monitor.ts";
export type { Prompt, PromptChange } from "../tokens/prompt-cache/prompt-fingerprint.ts";
export type { DifferenceKind } from "../tokens/prompt-cache/text-difference.ts";
export { classifyModelError } from "../wire/errors/model-failure.ts";
export { type AnswerSize, findSilentOverflow, PromptCeiling } from "../wire/errors/silent-overflow.ts";
