/**
 * The division of the window: the parts kept free, and the sizes at which something happens.
 *
 * One continuous rule for every window: each constant is that of the reference window and shrinks
 * with a smaller one, so that the order of the thresholds is the same from 1K to 10M. A larger
 * window keeps the constants, because a summary does not grow with it.
 */
import { assert } from "../../base/assert.ts";
import { DEFAULTS } from "../../base/defaults/compaction/window.ts";
import { BUDGET_DEFAULTS } from "../../base/defaults/tokens/tokens.ts";

/** The constants of a budget; every one is a setting. */
export type BudgetPolicy = { readonly [Name in keyof typeof BUDGET_DEFAULTS]: number };

/** The window that {@link planBudget} divides, in tokens. */
export interface BudgetInput {
  /** The whole context window of the model. */
  readonly windowTokens: number;
  /** The model's output limit, if it is known: no summary is longer. */
  readonly maxOutputTokens?: number | undefined;
  /** Manage the session as if the window ended here, however large it is. */
  readonly ceilingTokens?: number | undefined;
  /** Auto-compact begins at this per cent of the effective window, if that is earlier than by the policy. */
  readonly autoCompactPercent?: number | undefined;
}

/** Sizes of a request, in the model's tokens. */
export interface ContextBudget {
  /** The window that was divided: the ceiling, where there is one below it. */
  readonly windowTokens: number;
  /** Kept free for a summary. */
  readonly summaryReserveTokens: number;
  /** The window less the summary reserve. */
  readonly effectiveTokens: number;
  /** From here on the user is warned. */
  readonly warningTokens: number;
  /** From here on the warning is an error. */
  readonly errorTokens: number;
  /** The size that warnings count down to. */
  readonly autoCompactTokens: number;
  /** Nothing is sent beyond it. */
  readonly blockingTokens: number;
  /** From here on each layer acts, so that the next request fits. */
  readonly offloadGateTokens: number;
  readonly microcompactGateTokens: number;
  readonly autoCompactGateTokens: number;
  /** Target size of a compaction. */
  readonly fullTargetTokens: number;
  /** The same, where notes of the session represent what is hidden. */
  readonly sessionMemoryTargetTokens: number;
}

/** Divides a window. @throws AssertionError if the window is not a positive number of tokens. */
export function planBudget(input: BudgetInput, policy: BudgetPolicy = BUDGET_DEFAULTS): ContextBudget {
  const windowTokens = Math.floor(Math.min(input.windowTokens, input.ceilingTokens ?? input.windowTokens));
  assert(windowTokens > 0, "a window has a positive number of tokens");
  const referenceTokens = DEFAULTS.referenceWindowTokens;
  const scaledTokens = Math.min(windowTokens, referenceTokens);

  // In fractions of a token, the denominator left out, so that nothing is rounded twice: thresholds would fall now
  // and then while the window grows.
  const reserve = Math.min(
    Math.max(policy.summaryReserveFloorTokens * referenceTokens, policy.summaryReserveTokens * scaledTokens),
    (input.maxOutputTokens ?? Number.POSITIVE_INFINITY) * referenceTokens,
    windowTokens * referenceTokens,
  );
  const effective = windowTokens * referenceTokens - reserve;
  const summaryReserveTokens = Math.ceil(reserve / referenceTokens);
  const effectiveTokens = windowTokens - summaryReserveTokens;
  const below = (marginTokens: number) =>
    Math.max(0, Math.floor((effective - marginTokens * scaledTokens) / referenceTokens));
  // In thousandths, so that 35 % of 180,000 is 63,000 and not a token less.
  const share = (part: number) => Math.floor((effectiveTokens * Math.round(part * 1_000)) / 1_000);
  const earliest =
    input.autoCompactPercent === undefined ? effectiveTokens : share(input.autoCompactPercent / 100);
  const autoCompactTokens = Math.min(below(policy.autoCompactMarginTokens), earliest);
  return {
    windowTokens,
    summaryReserveTokens,
    effectiveTokens,
    warningTokens: below(policy.warningMarginTokens),
    errorTokens: below(policy.errorMarginTokens),
    autoCompactTokens,
    blockingTokens: below(policy.blockingMarginTokens),
    offloadGateTokens: share(policy.offloadGateShare),
    microcompactGateTokens: share(policy.microcompactGateShare),
    autoCompactGateTokens: Math.min(
      Math.max(share(policy.autoCompactGateShare), autoCompactTokens),
      earliest,
    ),
    fullTargetTokens: share(policy.fullTargetShare),
    sessionMemoryTargetTokens: share(policy.sessionMemoryTargetShare),
  };
}
