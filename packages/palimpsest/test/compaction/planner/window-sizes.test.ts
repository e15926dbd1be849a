/** Checks of sizes that the planner decides by. */
import { describe, expect, it } from "vitest";
import { isFullByReportsAlone } from "#compaction/planner/window-sizes.ts";
import type { WindowState } from "#compaction/shared/window-state.ts";
import { planBudget } from "#tokens/budget/budget.ts";

/** The effective window is 180,000 tokens; old blocks give way from 108,000 on. */
const budget = planBudget({ windowTokens: 200_000 });

describe("a window of 200,000 tokens", () => {
  it.each([
    { used: 170_000, request: 2_000, messages: 900, is: true, why: "next to nothing was sent" },
    { used: 170_000, request: 20_000, messages: 8_999, is: true, why: "just below a twentieth of 180,000" },
    { used: 170_000, request: 20_000, messages: 9_000, is: false, why: "a twentieth" },
    { used: 108_000, request: 2_000, messages: 900, is: true, why: "at the first gate" },
    { used: 107_999, request: 2_000, messages: 900, is: false, why: "below every gate" },
    { used: 170_000, request: 108_000, messages: 900, is: false, why: "a known system prompt fills it" },
  ])("is full by reports alone: $is, because $why", ({ used, request, messages, is }) => {
    const estimated = { requestTokens: request, messagesTokens: messages };
    expect(isFullByReportsAlone({ usedTokens: used, budget, estimated } as WindowState)).toBe(is);
  });

  it("is full if nothing was estimated apart", () => {
    expect(isFullByReportsAlone({ usedTokens: 170_000, budget } as WindowState)).toBe(false);
  });
});
