/**
 * Overflows that no error tells: providers that take more than their window, fill it to the last token
 * and answer nothing, or cut the prompt without a word. What they report of it gives them away.
 *
 * One odd figure proves nothing: gateways leave out cached tokens, hosts pass sums, estimates err. Each
 * verdict needs two signals that do not follow from each other.
 */
import type { StopReason } from "../../ports/model-client.ts";
import type { ModelFailure } from "../../ports/model-failure.ts";
import { promptTokens, type Usage } from "../../transcript/blocks.ts";

/** An answer without a word whose prompt fills this share of the window was cut to it. Our choice; reports of servers that fill the window to the last token. */
const FILLED_SHARE = 0.99;
/** A reported prompt below this share of its estimate was cut. Our choice; uncalibrated estimates stay above it in `packages/evaluation/bench/estimator`. */
const TRUNCATED_SHARE = 0.5;
/** Smallest estimate, in tokens, that a reported prompt is held against. Our choice: below it wrappers dominate. */
const TRUNCATION_MIN_TOKENS = 2_000;
/** Growth of the prompt, in tokens by estimate, after which a report is compared with the one before. Our choice, as for the calibration. */
const CEILING_MIN_GROWTH_TOKENS = 200;
/** Reports that followed the prompt's growth before a standstill means anything. Our choice. */
const CEILING_FOLLOWED_COUNT = 3;
/** Reports in a row that stand still before the prompt counts as cut. Our choice: two may be chance. */
const CEILING_STILL_COUNT = 3;
/** Distance from the ceiling, as a share of it, within which a report counts as having reached it. Our choice: servers that cut whole messages report a little below their limit. */
const CEILING_SHARE = 0.1;

/** An answer that came without an error. */
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
 * The failure that an answer hides, or `undefined`: a prompt above the window that was taken (z.ai), one
 * that fills it and left no room for a word (MiMo), one that was cut far below what was sent (Ollama).
 * Each takes two signals: a report above the window counts if the estimate is not far below it, a report
 * below the estimate if reports have stopped growing. How much a cut prompt could have had is not known;
 * its `limitTokens` is absent.
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
  const isHeldAgainst =
    ceilingTokens !== undefined && estimatedTokens !== undefined && estimatedTokens >= TRUNCATION_MIN_TOKENS;
  if (isHeldAgainst && prompt > 0 && prompt < estimatedTokens * TRUNCATED_SHARE) {
    const message = `The provider read ${prompt} tokens of about ${Math.round(estimatedTokens)}, as many as before the prompt grew: it cut the prompt.`;
    return { kind: "prompt-too-long", message, promptTokens: prompt };
  }
  return undefined;
}

/**
 * Watches whether reports stop growing while the prompt does not: the mark of a provider that cuts. Only
 * reports that followed the prompt's growth before are held to it, so that figures that never
 * told the size (without cached tokens, always the same) prove nothing.
 */
export class PromptCeiling {
  #generation: number | undefined;
  #last: ReportedPrompt | undefined;
  #topTokens = 0;
  #followedCount = 0;
  #stillCount = 0;

  /** Takes in a report; returns the ceiling once enough reports in a row reach it. */
  observe({ generation, ...report }: ReportedPrompt & { readonly generation: number }): number | undefined {
    if (generation !== this.#generation) this.#begin();
    this.#generation = generation;
    const last = this.#last;
    const grown = last === undefined ? 0 : report.estimatedTokens - last.estimatedTokens;
    if (last !== undefined && grown < CEILING_MIN_GROWTH_TOKENS) return undefined;
    this.#last = report;
    if (last === undefined) return undefined;
    const share = (report.reportedTokens - last.reportedTokens) / grown;
    const isAtTop = Math.abs(report.reportedTokens - this.#topTokens) <= this.#topTokens * CEILING_SHARE;
    if (share >= FOLLOWED.least && share <= FOLLOWED.most) {
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

/** A report followed the prompt if it grew by about as much as the estimate did. */
const FOLLOWED = { least: 0.5, most: 2 } as const;
