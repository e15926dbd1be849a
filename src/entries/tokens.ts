/** `palimpsest/tokens`: counting before the call, budgets and warnings; what a failed call means. */
export { type BedrockCountingClient, bedrockCounter } from "../adapters/models/counters/bedrock-counter.ts";
export { type GeminiCountingClient, geminiCounter } from "../adapters/models/counters/gemini-counter.ts";
export type { ModelFailure, ModelFailureKind } from "../ports/model-failure.ts";
export { type BreakpointInput, planBreakpoints } from "../tokens/breakpoints.ts";
export { type BudgetInput, type BudgetPolicy, type ContextBudget, planBudget } from "../tokens/budget.ts";
export {
  breakEvenCalls,
  isCacheWarm,
  rentPerCall,
  rewritePrice,
  type SummaryCall,
  summaryCallPrice,
  summaryPrice,
  usagePrice,
} from "../tokens/cache-price.ts";
export { Calibration, type CalibrationSample } from "../tokens/calibration.ts";
export { CountingChain, type Deadline } from "../tokens/counting-chain.ts";
export { bindsReasoning, type EditSafety, editSafety } from "../tokens/edit-safety.ts";
export { estimateBlock } from "../tokens/estimate-block.ts";
export { estimateFixed, estimateMessage, estimateVisibleMessage } from "../tokens/estimate-message.ts";
export { estimateText } from "../tokens/estimate-text.ts";
export {
  type CatalogueModel,
  type FigureSource,
  findModel,
  type ModelKnowledge,
  type ModelLimits,
  type ModelPrices,
  resolveModelLimits,
} from "../tokens/model-catalogue.ts";
export { classifyModelError } from "../tokens/model-failure.ts";
export { tokenizerRatio } from "../tokens/model-family.ts";
export {
  type CacheMiss,
  type CacheMissCause,
  describeCacheMiss,
  PromptCacheMonitor,
  type SentPrompt,
} from "../tokens/prompt-cache-monitor.ts";
export type { Prompt, PromptChange } from "../tokens/prompt-fingerprint.ts";
export { type ResolvedTariff, resolveTariff, type TariffSource } from "../tokens/resolve-tariff.ts";
export { type AnswerSize, findSilentOverflow, PromptCeiling } from "../tokens/silent-overflow.ts";
export { TARIFFS, type Tariff, type TariffName, type TariffOption } from "../tokens/tariff.ts";
export type { DifferenceKind } from "../tokens/text-difference.ts";
export type { TokenFigure, TokenSource } from "../tokens/token-figure.ts";
export {
  type ReportJudgement,
  type SentRequest,
  UsageLedger,
  type UsageLedgerOptions,
  type UsageReport,
} from "../tokens/usage-ledger.ts";
export { type TokenWarningState, tokenWarningState, WarningMonitor } from "../tokens/warning-state.ts";
