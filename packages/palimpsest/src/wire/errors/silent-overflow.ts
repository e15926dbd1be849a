/**
 * Overflows that no error tells: providers that take more than their window, fill it to the last token
 * and answer nothing, or cut the prompt without a word. What they report of it gives them away.
 *
 * One odd figure proves nothing: gateways leave out cached tokens, hosts pass sums, estimates err. Each
 * verdict needs two signals that do not follow from each other.
 */
import { MODEL_FAILURE_DEFAULTS } from "../../base/defaults/model-failures.ts";
import type { StopReason } from "../../ports/model-client.ts";
import type { ModelFailure } from "../../ports/model-failure.ts";
import { promptTokens, type Usage } from "../../transcript/blocks.ts";

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
  const { truncatedShare, truncationMinTokens, filledShare } = MODEL_FAILURE_DEFAULTS;
  const isPlausible = estimatedTokens === undefined || estimatedTokens >= windowTokens * truncatedShare;
  if (prompt > windowTokens && isPlausible) {
    const message = `The provider took ${prompt} tokens, more than the window of ${windowTokens}.`;
    return { kind: "prompt-too-long", message, ...limit };
  }
  const isFilled = prompt >= windowTokens * filledShare && prompt <= windowTokens;
  if (
    isFilled &&
    usage.outputTokens === 0 &&
    (stopReason === "output-limit" || stopReason === "window-full")
  ) {
    const message = `The prompt of ${prompt} tokens fills the window of ${windowTokens}: there was no room for an answer.`;
    return { kind: "prompt-too-long", message, ...limit };
  }
  const isHeldAgainst =
    ceilingTokens !== undefined && estimatedTokens !== undefined && estimatedTokens >= truncationMinTokens;
  if (isHeldAgainst && prompt > 0 && prompt < estimatedTokens * truncatedShare) {
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
    const { ceilingMinGrowthTokens, ceilingFollowedCount, ceilingShare, ceilingStillCount } =
      MODEL_FAILURE_DEFAULTS;
    const last = this.#last;
    const grown = last === undefined ? 0 : report.estimatedTokens - last.estimatedTokens;
    if (last !== undefined && grown < ceilingMinGrowthTokens) return undefined;
    this.#last = report;
    if (last === undefined) return undefined;
    const share = (report.reportedTokens - last.reportedTokens) / grown;
    const isAtTop = Math.abs(report.reportedTokens - this.#topTokens) <= this.#topTokens * ceilingShare;
    if (share >= FOLLOWED.least && share <= FOLLOWED.most) {
      this.#followedCount++;
      this.#stillCount = 0;
      this.#topTokens = report.reportedTokens;
    } else if (this.#followedCount >= ceilingFollowedCount && isAtTop) this.#stillCount++;
    else this.#begin(report);
    return this.#stillCount >= ceilingStillCount ? this.#topTokens : undefined;
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
