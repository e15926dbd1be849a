/**
 * Rooms for tests of what the planner of a window decides.
 */
import type { WindowState } from "#compaction/shared/window-state.ts";
import { planBudget } from "#tokens/budget/budget.ts";
import { TARIFFS } from "#tokens/price/tariff.ts";
import type { VisibleMessage } from "#transcript/window.ts";
import { measure, tokensOf } from "../../../../../../test/helpers/windows.ts";

export const FIXED_TOKENS = 3_000;
export const PADDING = 1.1;

/** A warm window of 64K, sized by estimate; `over` says what is otherwise. */
export function aWindowState(
  visible: readonly VisibleMessage[],
  over: Partial<WindowState> & { readonly windowTokens?: number } = {},
): WindowState {
  const messagesTokens = tokensOf(visible);
  return {
    visible,
    usedTokens: Math.ceil(messagesTokens * PADDING + FIXED_TOKENS),
    fixedTokens: FIXED_TOKENS,
    messagesTokens,
    budget: planBudget({ windowTokens: over.windowTokens ?? 64_000 }),
    tariff: TARIFFS["anthropic-5m"],
    editSafety: "permissive",
    isWarm: true,
    measure,
    padding: PADDING,
    disabledLayers: new Set(),
    keptTools: [],
    lastCallSeq: visible.at(-1)?.seq ?? 0,
    pins: [],
    seq: 10_000,
    at: 0,
    ...over,
  };
}
