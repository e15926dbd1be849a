/**
 * Numbers of counting: what wrappers cost, how the estimate learns, and when a counter is asked.
 *
 * Tokens here are reference tokens (those of the Claude 4 tokenizer) unless the name says otherwise.
 */
import { assert } from "../../assert.ts";

export const TOKENS_DEFAULTS = {
  /** An image or a document of unknown size, in tokens. Source: where-the-numbers-come-from.md, "Token estimates"; above the most of Anthropic's standard models (1,568 an image). */
  mediaTokens: 2_000,
  /** Padding of an estimate for fit decisions where nothing was reported yet. Source: our choice; where-the-numbers-come-from.md, "Token estimates". */
  paddingUnreported: 4 / 3,

  /** Distance from a threshold, as a share of it, within which an exact count is worth a request. Source: our choice; where-the-numbers-come-from.md, "Token estimates". */
  counterNearShare: 0.1,
} as const;

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

/** Constants of a window of `referenceWindowTokens`; they scale down with the window (`tokens/budget/budget.ts`). */
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
