/**
 * Detects overflows that providers do not report as errors: a prompt larger than the window was accepted, filled the
 * window so that there was no room for an answer, or was cut. The reported usage reveals them.
 *
 * One odd figure proves nothing: gateways leave out cached tokens, hosts pass sums, estimates are imprecise. Each
 * verdict needs two independent signals.
 */
import type { StopReason } from "../../ports/model-client.ts";
import type { ModelFailure } from "../../ports/model-failure.ts";
import { promptTokens, type Usage } from "../../transcript/blocks.ts";

/** Least share of the window that the prompt of an empty answer fills if it left no room. Our choice, after reports of servers that fill the window to the last token. */
const FILLED_SHARE = 0.99;
/** A reported prompt below this share of its estimate was cut. Our choice; uncalibrated estimates stay above it in `packages/evaluation/bench/estimator`. */
const TRUNCATED_SHARE = 0.5;
/** Smallest estimate, in tokens, with which a reported prompt is compared. Our choice: in smaller prompts the wrappers of messages dominate. */
const TRUNCATION_MIN_TOKENS = 2_000;
/** Least growth of the estimated prompt, in tokens, for which its report is compared with the one before. Our choice, as for the calibration. */
const CEILING_MIN_GROWTH_TOKENS = 200;
/** Reports that must have grown with the prompt before a standstill counts. Our choice. */
const CEILING_FOLLOWED_COUNT = 3;
/** Reports in a row without growth after which the prompt counts as cut. Our choice: two may be chance. */
const CEILING_STILL_COUNT = 3;
/** Distance from the ceiling, as a share of it, within which a report counts as having reached it. Our choice: servers that cut whole messages report a little below their limit. */
const CEILING_SHARE = 0.1;

/** Figures of an answer without an error. */
interface AnswerSize {
  readonly usage: Usage;
  /** The window of the model. */
  readonly windowTokens: number;
  readonly stopReason?: StopReason;
  /** Estimate of the request, without padding; without it, cut prompts are not found. */
  readonly estimatedTokens?: number;
  /** Size at which the reports stopped growing ({@link PromptCeiling}); without it, cut prompts are not found. */
  readonly ceilingTokens?: number | undefined;
}

/**
 * Returns the overflow that an answer hides, or `undefined`:
 *
 * - The provider accepted a prompt above the window (z.ai). Second signal: the estimate is not far below the window.
 * - The prompt fills the window and left no room for an answer (MiMo). Second signal: the answer is empty.
 * - The provider cut the prompt far below the estimate (Ollama). Second signal: reports have stopped growing. The
 *   provider's limit is unknown then, so `limitTokens` is absent.
 */
export function findSilentOverflow({
  usage,
  windowTokens,
  stopReason,
  estimatedTokens,
  ceilingTokens,
}: AnswerSize): ModelFailure | undefined {
  const prompt = promptTokens(usage);
  const limit = { promptTokens: prompt, limitTokens: windowTokens };
  const isPlausible = estimatedTokens === undefined || estimatedTokens >= windowTokens * TRUNCATED_SHARE;
  if (prompt > windowTokens && isPlausible) {
    const message = `The provider took ${prompt} tokens, more than the window of ${windowTokens}.`;
    return { kind: "prompt-too-long", message, ...limit };
  }
  const isFilled = prompt >= windowTokens * FILLED_SHARE && prompt <= windowTokens;
  if (
    isFilled &&
    usage.outputTokens === 0 &&
    (stopReason === "output-limit" || stopReason === "window-full")
  ) {
    const message = `The prompt of ${prompt} tokens fills the window of ${windowTokens}: there was no room for an answer.`;
    return { kind: "prompt-too-long", message, ...limit };
  }
  const isComparable =
    ceilingTokens !== undefined && estimatedTokens !== undefined && estimatedTokens >= TRUNCATION_MIN_TOKENS;
  if (isComparable && prompt > 0 && prompt < estimatedTokens * TRUNCATED_SHARE) {
    const message = `The provider read ${prompt} tokens of about ${Math.round(estimatedTokens)}, as many as before the prompt grew: it cut the prompt.`;
    return { kind: "prompt-too-long", message, promptTokens: prompt };
  }
  return undefined;
}

/**
 * Detects that the reported prompt size stops growing while the prompt grows: the sign of a provider that cuts prompts. A
 * standstill counts only if the reports grew with the prompt before. Reports that never show the real size (without cached
 * tokens, always the same) prove nothing.
 */
export class PromptCeiling {
  #generation: number | undefined;
  #last: ReportedPrompt | undefined;
  #topTokens = 0;
  #followedCount = 0;
  #stillCount = 0;

  /**
   * Takes in a report; returns the ceiling once enough reports in a row reach it. A new `generation` (the window was
   * rewritten) starts the comparison again.
   */
  observe({ generation, ...report }: ReportedPrompt & { readonly generation: number }): number | undefined {
    if (generation !== this.#generation) this.#begin();
    this.#generation = generation;
    const last = this.#last;
    const grown = last === undefined ? 0 : report.estimatedTokens - last.estimatedTokens;
    if (last !== undefined && grown < CEILING_MIN_GROWTH_TOKENS) return undefined;
    this.#last = report;
    if (last === undefined) return undefined;
    const reportedShare = (report.reportedTokens - last.reportedTokens) / grown;
    const isAtTop = Math.abs(report.reportedTokens - this.#topTokens) <= this.#topTokens * CEILING_SHARE;
    if (reportedShare >= FOLLOWED.least && reportedShare <= FOLLOWED.most) {
      this.#followedCount++;
      this.#stillCount = 0;
      this.#topTokens = report.reportedTokens;
    } else if (this.#followedCount >= CEILING_FOLLOWED_COUNT && isAtTop) this.#stillCount++;
    else this.#begin(report);
    return this.#stillCount >= CEILING_STILL_COUNT ? this.#topTokens : undefined;
  }

  #begin(report?: ReportedPrompt): void {
    this.#last = report;
    this.#topTokens = 0;
    this.#followedCount = 0;
    this.#stillCount = 0;
  }
}

interface ReportedPrompt {
  /** Size of the request, by estimate alone. */
  readonly estimatedTokens: number;
  readonly reportedTokens: number;
}

/** A report grew with the prompt if its growth is within these multiples of the estimate's growth. */
const FOLLOWED = { least: 0.5, most: 2 } as const;
