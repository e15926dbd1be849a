/**
 * Numbers of counting: what wrappers cost, how the estimate learns, and when a counter is asked.
 *
 * Tokens here are reference tokens (those of the Claude 4 tokenizer) unless the name says otherwise.
 */
import { assert } from "../../assert.ts";

export const TOKENS_DEFAULTS = {
  /** An image or a document of unknown size, in tokens. Source: where-the-numbers-come-from.md, "Token estimates"; above the most of Anthropic's standard models (1,568 an image). */
  mediaTokens: 2_000,
  /** One page of a PDF, in tokens: its text and its picture. Source: Anthropic docs, "PDF support": 1,500–3,000 a page. */
  pdfPageTokens: 2_250,
  /** Wrapper of a call: its name, id and envelope. Source: `packages/evaluation/bench/estimator`, billed replies that are one call. */
  toolUseTokens: 30,
  /** Each named argument of a call, whose tags the JSON text does not show. Source: `packages/evaluation/bench/estimator`, billed replies. */
  toolArgumentTokens: 12,
  /** Wrapper of a tool result. Source: `packages/evaluation/bench/estimator`, billed increments with one and with several results. */
  toolResultTokens: 14,
  /** Wrapper of any other block. Source: `packages/evaluation/bench/estimator`, billed increments. */
  blockTokens: 3,
  /** Wrapper of a message: its role and its end. Source: OpenAI cookbook, "How to count tokens": 3 a message, plus its role. */
  messageTokens: 3,

  /** An increment that teaches the ratio is at least this large; below it, wrappers dominate. Source: our choice, the bound of the bench. */
  calibrationMinTokens: 200,
  /** Newest increments whose median is the ratio. Source: our choice, not yet measured against others. */
  calibrationSamplesCount: 25,
  /** An increment weighs no more than this, in reference tokens, so that one huge result does not decide alone. Source: our choice; beside equal weights in `packages/evaluation/bench/estimator`. */
  calibrationWeightTokens: 4_000,
  /** Digits that are kept of what an increment taught: more say nothing, and every checkpoint holds them. Source: our choice; a ratio is right to a few in a hundred at best (`paddingFloor`). */
  calibrationDigits: 4,
  /** The prior of the model family weighs as much as this many observed reference tokens. Source: our choice: one large increment. */
  calibrationPriorTokens: 4_000,
  /** A smaller ratio is damage, whatever the model: a token is not a book. Source: our choice. */
  smallestRatio: 0.05,
  /** A larger ratio is damage, whatever the model: a token is not a pixel. Source: our choice. */
  largestRatio: 50,
  /** An increment this many times off the prior is damaged or holds unlogged content, and teaches nothing. Source: our choice. */
  calibrationOutlierFactor: 2.5,
  /** After so many refused increments in a row, all on one side, the prior itself is wrong and they are believed. Source: our choice. */
  calibrationOutliersBelieved: 8,
  /** Padding of an estimate for fit decisions where nothing was reported yet. Source: our choice; where-the-numbers-come-from.md, "Token estimates". */
  paddingUnreported: 4 / 3,
  /** Padding that remains however well calibrated the estimate is. Source: `packages/evaluation/bench/estimator`, p50 of the increments' error. */
  paddingFloor: 1.05,
  /** The share of increments that padding covers. Source: our choice. */
  paddingQuantile: 0.9,
  /** A reported output below this share of the reply's estimate is a placeholder. Source: older Claude Code logs, which report a few tokens for replies of hundreds. */
  placeholderOutputShare: 0.5,
  /** A report that differs from the expected figure by more than this share, in either direction, is in doubt until the next one confirms it. Source: our choice; in recorded sessions reports stay above it but where the tool replaced its context. */
  doubtfulShare: 0.5,
  /** Smallest size, in tokens of the model, at which a report is doubted. Source: our choice: below it wrappers dominate. */
  doubtfulMinTokens: 2_000,
  /** A second report confirms the first within this share of itself. Source: our choice; the error of one increment is far below. */
  confirmedShare: 0.25,

  /** Distance from a threshold, as a share of it, within which an exact count is worth a request. Source: our choice; where-the-numbers-come-from.md, "Token estimates". */
  counterNearShare: 0.1,
  /** Consecutive failures after which a counter is left alone for the session. Source: our choice. */
  counterFailuresCount: 3,
} as const;

assert(TOKENS_DEFAULTS.paddingFloor >= 1, "padding never shrinks an estimate");
assert(TOKENS_DEFAULTS.paddingFloor < TOKENS_DEFAULTS.paddingUnreported, "learning tightens the padding");
assert(TOKENS_DEFAULTS.calibrationOutlierFactor > 1, "an outlier lies outside the ratio itself");

/** Tokenizers by family, as a ratio to the reference unit; see `tokens/models/model-id.ts`. */
export const TOKENIZER_RATIOS = {
  /** Claude up to 4.6: the unit. */
  claude: 1,
  /** Claude from Opus 4.7 and the 5-series on. Source: where-the-numbers-come-from.md, "Token estimates": × 1.34 over the 4-series. */
  claudeNew: 1.34,
  /** OpenAI's o200k. Source: `packages/evaluation/bench/estimator`: o200k over recorded agent texts against this estimator. */
  o200k: 0.87,
  /** Gemini. Source: our estimate: 262K vocabulary, close to o200k on code and prose. */
  gemini: 0.87,
  /** DeepSeek. Source: our estimate: 129K vocabulary. */
  deepseek: 0.92,
  /** Qwen, GLM, Kimi. Source: our estimate: 150K vocabularies on the same base as cl100k. */
  qwen: 0.92,
  /** Llama 3 and 4. Source: our estimate: 128K vocabulary on the same base as cl100k. */
  llama: 0.92,
  /** Mistral. Source: our estimate: 131K vocabulary (Tekken), 32K in older models. */
  mistral: 0.97,
  /** xAI. Source: our estimate: 131K vocabulary. */
  grok: 0.92,
  /** Unknown models: denser than any published tokenizer but the newest of Claude's, to be on the safe side. Source: our choice. */
  unknown: 1.1,
} as const;

/** Constants of a window of `referenceWindowTokens`; they scale down with the window (`tokens/budget.ts`). */
export const BUDGET_DEFAULTS = {
  /** Kept free for a summary. Source: where-the-numbers-come-from.md, "Window and thresholds": p99.99 of real compaction summaries was 17,387 tokens. */
  summaryReserveTokens: 20_000,
  /** The least that is kept free for a summary, in the smallest windows. Source: our choice: a paragraph. */
  summaryReserveFloorTokens: 256,
  /** Auto-compact begins this far below the effective window. Source: where-the-numbers-come-from.md, "Window and thresholds": recorded tools compact at 167,091 tokens of 200,000. */
  autoCompactMarginTokens: 13_000,
  /** The user is warned this far below the effective window. Source: our choice; where-the-numbers-come-from.md, "Window and thresholds". */
  warningMarginTokens: 20_000,
  /** The error state begins this far below the effective window. Source: our choice; where-the-numbers-come-from.md, "Window and thresholds". A separate setting. */
  errorMarginTokens: 20_000,
  /** Nothing is sent beyond this far below the effective window. Source: our choice; where-the-numbers-come-from.md, "Window and thresholds". */
  blockingMarginTokens: 3_000,
  /** Offload by usage acts from this share of the effective window on. Source: our choice; where-the-numbers-come-from.md, "Window and thresholds". */
  offloadGateShare: 0.6,
  /** Microcompact acts from this share of the effective window on. Source: our choice; where-the-numbers-come-from.md, "Window and thresholds". */
  microcompactGateShare: 0.8,
  /** Auto-compact acts from this share of the effective window, or its threshold if that is later. Source: our choice; where-the-numbers-come-from.md, "Window and thresholds". */
  autoCompactGateShare: 0.9,
  /** Size aimed at after a full or extractive compact, as a share of the effective window. Source: where-the-numbers-come-from.md, "Compaction targets". */
  fullTargetShare: 0.35,
  /** Size aimed at after a session-memory compact, as a share of the effective window. Source: our choice; where-the-numbers-come-from.md, "Compaction targets". */
  sessionMemoryTargetShare: 0.5,
} as const;

assert(
  BUDGET_DEFAULTS.blockingMarginTokens < BUDGET_DEFAULTS.autoCompactMarginTokens &&
    BUDGET_DEFAULTS.autoCompactMarginTokens <= BUDGET_DEFAULTS.warningMarginTokens,
  "warning comes before auto-compact, and auto-compact before blocking",
);
assert(
  BUDGET_DEFAULTS.offloadGateShare < BUDGET_DEFAULTS.microcompactGateShare &&
    BUDGET_DEFAULTS.microcompactGateShare < BUDGET_DEFAULTS.autoCompactGateShare,
  "cheaper layers act earlier",
);

export const CATALOGUE_DEFAULTS = {
  /** Window of a model no one knows, in tokens. Source: our choice: the smallest of the models that agents are run on today. */
  unknownWindowTokens: 128_000,
  /** Window that the suffix `[1m]` of a model id asks for, in tokens. Source: Claude Code's model names. */
  millionWindowTokens: 1_000_000,
  /** Smallest window that is believed of a learned or reported figure, in tokens. Source: our choice: no model has less. */
  smallestWindowTokens: 1_000,
  /** Largest window that is believed of a learned or reported figure, in tokens. Source: our choice: ten times today's largest. */
  largestWindowTokens: 10_000_000,
} as const;
