/**
 * Warnings to the user about the space that is left.
 *
 * After a compaction the last report still speaks of the window as it was: showing it would warn of
 * something that has just been solved. So warnings are silent until the next report. The blocking
 * limit is never silent: it decides whether a request may leave.
 */
import { resolveModelLimits } from "../models/model-catalogue.ts";
import { type BudgetInput, type ContextBudget, planBudget } from "./budget.ts";

/** Warnings of a window that fills. Each flag is true from the threshold itself on. */
export interface TokenWarningState {
  /** Room left before auto-compact, in per cent, 0–100. */
  readonly percentLeft: number;
  readonly isAboveWarningThreshold: boolean;
  readonly isAboveErrorThreshold: boolean;
  readonly isAboveAutoCompactThreshold: boolean;
  readonly isAtBlockingLimit: boolean;
}

/**
 * The state at `usageTokens` (the size of the next request, unpadded) for a model: its id, its window or its budget.
 *
 * @example
 * ```ts
 * tokenWarningState(171_000, "claude-opus-4-5").isAboveAutoCompactThreshold; // true
 * ```
 */
export function tokenWarningState(
  usageTokens: number,
  model: string | BudgetInput | ContextBudget,
): TokenWarningState {
  const known = typeof model === "string" ? resolveModelLimits({ model }) : model;
  const budget = "autoCompactTokens" in known ? known : planBudget(known);
  const limit = Math.max(1, budget.autoCompactTokens);
  const left = Math.round(((limit - usageTokens) / limit) * 100);
  return {
    percentLeft: Math.min(100, Math.max(0, left)),
    isAboveWarningThreshold: usageTokens >= budget.warningTokens,
    isAboveErrorThreshold: usageTokens >= budget.errorTokens,
    isAboveAutoCompactThreshold: usageTokens >= budget.autoCompactTokens,
    isAtBlockingLimit: usageTokens >= budget.blockingTokens,
  };
}

/** The state of a session over time, silent between a compaction and the report that follows it. */
export class WarningMonitor {
  #isSuppressed = false;

  /** True if warnings are silent until the next report. */
  get isSuppressed(): boolean {
    return this.#isSuppressed;
  }

  /** A compaction or microcompact succeeded. */
  compacted(): void {
    this.#isSuppressed = true;
  }

  /** The provider reported usage of the window as it is now. */
  reported(): void {
    this.#isSuppressed = false;
  }

  /** The state at `usageTokens`, with its warnings silenced where they speak of a window that is gone. */
  state(usageTokens: number, model: BudgetInput | ContextBudget): TokenWarningState {
    const state = tokenWarningState(usageTokens, model);
    if (!this.#isSuppressed) return state;
    return {
      ...state,
      isAboveWarningThreshold: false,
      isAboveErrorThreshold: false,
      isAboveAutoCompactThreshold: false,
    };
  }
}
