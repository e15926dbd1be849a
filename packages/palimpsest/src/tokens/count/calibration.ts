/**
 * The value of a reference token with this model in this session, learned from what was reported.
 *
 * Increments are dirty: hosts inject text that is not in the log, providers drop old thinking,
 * placeholders stand where a count belongs. So the ratio is the *median* of the newest increments, each
 * weighing as much as it is large (what is injected weighs less in a large one), drawn towards the
 * family's prior while there are few; an increment far off the prior teaches
 * nothing, unless so many in a row say the same that the prior itself must be wrong.
 */
import { assert } from "../../base/assert.ts";
import { TOKENS_DEFAULTS } from "../../base/defaults/tokens/tokens.ts";

/** An increment that teaches the ratio is at least this large; below it, wrappers dominate. Our choice, the bound of the bench. */
const CALIBRATION_MIN_TOKENS = 200;
/** Newest increments whose median is the ratio. Our choice, not yet measured against others. */
const CALIBRATION_SAMPLES_COUNT = 25;
/** An increment weighs no more than this, in reference tokens, so that one huge result does not decide alone. Our choice; beside equal weights in `packages/evaluation/bench/estimator`. */
const CALIBRATION_WEIGHT_TOKENS = 4_000;
/** Digits that are kept of what an increment taught: more say nothing, and every checkpoint holds them. Our choice; a ratio is right to a few in a hundred at best (`PADDING_FLOOR`). */
const CALIBRATION_DIGITS = 4;
/** The prior of the model family weighs as much as this many observed reference tokens. Our choice: one large increment. */
const CALIBRATION_PRIOR_TOKENS = 4_000;
/** A smaller ratio is damage, whatever the model: a token is not a book. Our choice. */
const SMALLEST_RATIO = 0.05;
/** A larger ratio is damage, whatever the model: a token is not a pixel. Our choice. */
const LARGEST_RATIO = 50;
/** An increment this many times off the prior is damaged or holds unlogged content, and teaches nothing. Our choice. */
const CALIBRATION_OUTLIER_FACTOR = 2.5;
/** After so many refused increments in a row, all on one side, the prior itself is wrong and they are believed. Our choice. */
const CALIBRATION_OUTLIERS_BELIEVED = 8;
/** Padding that remains however well calibrated the estimate is. Source: `packages/evaluation/bench/estimator`, p50 of the increments' error. */
const PADDING_FLOOR = 1.05;
/** The share of increments that padding covers. Our choice. */
const PADDING_QUANTILE = 0.9;

assert(
  PADDING_FLOOR >= 1 && PADDING_FLOOR < TOKENS_DEFAULTS.paddingUnreported,
  "padding never shrinks an estimate, and learning tightens it",
);

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
    if (!(estimatedTokens >= CALIBRATION_MIN_TOKENS) || !(reportedTokens > 0)) return false;
    // Rounded at once, so that the stored and the used values are the same.
    const ratio = Number((reportedTokens / estimatedTokens).toPrecision(CALIBRATION_DIGITS));
    if (!isRatio(ratio)) return false;
    const found = { ratio, weight: Math.round(Math.min(estimatedTokens, CALIBRATION_WEIGHT_TOKENS)) };
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
    const prior = CALIBRATION_PRIOR_TOKENS;
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
    const { paddingUnreported } = TOKENS_DEFAULTS;
    const weight = weightOf(this.#observed);
    if (weight === 0) return paddingUnreported;
    const spread = quantile(this.#observed, PADDING_QUANTILE) / this.ratio();
    const learned =
      (paddingUnreported * CALIBRATION_PRIOR_TOKENS + spread * weight) / (CALIBRATION_PRIOR_TOKENS + weight);
    return Math.min(paddingUnreported, Math.max(PADDING_FLOOR, learned));
  }

  #believe(observed: readonly ObservedRatio[]): void {
    this.#observed = observed;
    this.#ratio = undefined;
    this.#padding = undefined;
  }

  #isOutlier(ratio: number): boolean {
    const believed = this.ratio();
    const factor = CALIBRATION_OUTLIER_FACTOR;
    return ratio > believed * factor || ratio < believed / factor;
  }

  #refuse(found: ObservedRatio): boolean {
    const believed = this.ratio();
    const isHigh = found.ratio > believed;
    const isSameSide = this.#refused.every((earlier) => earlier.ratio > believed === isHigh);
    this.#refused = isSameSide ? [...this.#refused, found] : [found];
    if (this.#refused.length < CALIBRATION_OUTLIERS_BELIEVED) return false;
    this.#believe(this.#refused);
    this.#refused = [];
    return true;
  }
}

function newest(observed: readonly ObservedRatio[]): readonly ObservedRatio[] {
  return observed.slice(-CALIBRATION_SAMPLES_COUNT);
}

function weightOf(observed: readonly ObservedRatio[]): number {
  return observed.reduce((sum, one) => sum + one.weight, 0);
}

/** A ratio that a real tokenizer could have: anything else is damage. */
function isRatio(value: number): boolean {
  return Number.isFinite(value) && value > SMALLEST_RATIO && value < LARGEST_RATIO;
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
