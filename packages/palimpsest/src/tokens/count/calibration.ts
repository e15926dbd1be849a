/**
 * The value of a reference token with this model in this session, learned from what was reported.
 *
 * Increments are dirty: hosts inject text that is not in the log, providers drop old thinking,
 * placeholders stand where a count belongs. So the ratio is the *median* of the newest increments, each
 * weighing as much as it is large (what is injected weighs less in a large one), drawn towards the
 * family's prior while there are few; an increment far off the prior teaches
 * nothing, unless so many in a row say the same that the prior itself must be wrong.
 */
import { TOKENS_DEFAULTS } from "../../base/defaults/tokens/tokens.ts";

/** One increment: what we estimated, in reference tokens, and what the provider said it was. */
export interface CalibrationSample {
  readonly estimatedTokens: number;
  readonly reportedTokens: number;
}

/** One observation: the ratio, and the estimated tokens it was seen on, up to a bound. */
export interface ObservedRatio {
  readonly ratio: number;
  readonly weight: number;
}

/**
 * Learns from reported usage how many tokens of a model one reference token is, and how far estimates
 * are padded until that is known. `UsageLedger` keeps one per model.
 */
export class Calibration {
  readonly #priorRatio: number;
  #observed: readonly ObservedRatio[];
  /** Worked out when first asked for after each observation: a window asks for them at every block. */
  #ratio: number | undefined;
  #padding: number | undefined;
  /** Refused ratios in a row, all on the same side of what is believed. */
  #refused: readonly ObservedRatio[] = [];

  /** `observed` is that of an earlier run of the session ({@link Calibration.observed}). */
  constructor({
    priorRatio,
    observed = [],
  }: {
    readonly priorRatio: number;
    readonly observed?: readonly ObservedRatio[];
  }) {
    this.#priorRatio = priorRatio;
    this.#observed = newest(observed.filter(({ ratio, weight }) => isRatio(ratio) && weight > 0));
  }

  /** The accepted observations, oldest first. */
  get observed(): readonly ObservedRatio[] {
    return this.#observed;
  }

  /** Learns from one increment; says whether it was believed. */
  observe({ estimatedTokens, reportedTokens }: CalibrationSample): boolean {
    if (!(estimatedTokens >= TOKENS_DEFAULTS.calibrationMinTokens) || !(reportedTokens > 0)) return false;
    const { calibrationDigits, calibrationWeightTokens } = TOKENS_DEFAULTS;
    // Rounded at once, so that the stored and the used values are the same.
    const ratio = Number((reportedTokens / estimatedTokens).toPrecision(calibrationDigits));
    if (!isRatio(ratio)) return false;
    const found = { ratio, weight: Math.round(Math.min(estimatedTokens, calibrationWeightTokens)) };
    if (this.#isOutlier(ratio)) return this.#refuse(found);
    this.#refused = [];
    this.#believe(newest([...this.#observed, found]));
    return true;
  }

  /** Tokens of the model per reference token. */
  ratio(): number {
    this.#ratio ??= this.#learnedRatio();
    return this.#ratio;
  }

  #learnedRatio(): number {
    const weight = weightOf(this.#observed);
    if (weight === 0) return this.#priorRatio;
    const prior = TOKENS_DEFAULTS.calibrationPriorTokens;
    return (this.#priorRatio * prior + quantile(this.#observed, 0.5) * weight) / (prior + weight);
  }

  /**
   * Factor for an estimate when the question is whether it fits: the most where nothing
   * was reported, then what covered most of the observed increments.
   */
  padding(): number {
    this.#padding ??= this.#learnedPadding();
    return this.#padding;
  }

  #learnedPadding(): number {
    const { paddingUnreported, paddingFloor, paddingQuantile, calibrationPriorTokens } = TOKENS_DEFAULTS;
    const weight = weightOf(this.#observed);
    if (weight === 0) return paddingUnreported;
    const spread = quantile(this.#observed, paddingQuantile) / this.ratio();
    const learned =
      (paddingUnreported * calibrationPriorTokens + spread * weight) / (calibrationPriorTokens + weight);
    return Math.min(paddingUnreported, Math.max(paddingFloor, learned));
  }

  #believe(observed: readonly ObservedRatio[]): void {
    this.#observed = observed;
    this.#ratio = undefined;
    this.#padding = undefined;
  }

  #isOutlier(ratio: number): boolean {
    const believed = this.ratio();
    const factor = TOKENS_DEFAULTS.calibrationOutlierFactor;
    return ratio > believed * factor || ratio < believed / factor;
  }

  #refuse(found: ObservedRatio): boolean {
    const believed = this.ratio();
    const isHigh = found.ratio > believed;
    const isSameSide = this.#refused.every((earlier) => earlier.ratio > believed === isHigh);
    this.#refused = isSameSide ? [...this.#refused, found] : [found];
    if (this.#refused.length < TOKENS_DEFAULTS.calibrationOutliersBelieved) return false;
    this.#believe(this.#refused);
    this.#refused = [];
    return true;
  }
}

function newest(observed: readonly ObservedRatio[]): readonly ObservedRatio[] {
  return observed.slice(-TOKENS_DEFAULTS.calibrationSamplesCount);
}

function weightOf(observed: readonly ObservedRatio[]): number {
  return observed.reduce((sum, one) => sum + one.weight, 0);
}

/** A ratio that a real tokenizer could have: anything else is damage. */
function isRatio(value: number): boolean {
  return (
    Number.isFinite(value) && value > TOKENS_DEFAULTS.smallestRatio && value < TOKENS_DEFAULTS.largestRatio
  );
}

/** The ratio below which `share` of the weight lies. */
function quantile(observed: readonly ObservedRatio[], share: number): number {
  const sorted = [...observed].sort((left, right) => left.ratio - right.ratio);
  const sought = weightOf(observed) * share;
  let below = 0;
  for (const { ratio, weight } of sorted) {
    below += weight;
    if (below >= sought) return ratio;
  }
  return sorted.at(-1)!.ratio;
}
