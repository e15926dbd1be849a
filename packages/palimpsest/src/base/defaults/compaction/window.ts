/**
 * The window that all absolute token numbers of the defaults are written for.
 *
 * They scale down with the window (`tokens/budget/budget.ts`); where a number must not go below something, its `…Floor` says so.
 */
import { assert } from "../../assert.ts";

export const DEFAULTS = {
  /** The window whose constants are written here, in tokens. Source: where-the-numbers-come-from.md, "Window and thresholds": the window of most recorded sessions. */
  referenceWindowTokens: 200_000,
} as const;

assert(DEFAULTS.referenceWindowTokens > 0, "the reference window is a positive number");
