/** The numbers of compaction as options: each moves what it names, and one that cannot be used is refused. */
import { describe, expect, it } from "vitest";
import type { WindowOptions } from "#session/options/session-options.ts";
import { resolveLimits, type WindowLimits } from "#session/options/window-limits.ts";
import { internalsOf } from "#session/session.ts";
import { aSession } from "#test/helpers/sessions.ts";
import type { planBudget } from "#tokens/budget/budget.ts";

describe("limits of a window", () => {
  it.each<{ limits: unknown; message: RegExp }>([
    { limits: 5, message: /options of `window\.limits` are 5, not an object/ },
    { limits: { autoCompactMarginToken: 5 }, message: /has no option `autoCompactMarginToken`/ },
    { limits: { summaryReserveFloorTokens: 5 }, message: /has no option `summaryReserveFloorTokens`/ },
    { limits: { autoCompactMarginTokens: -1 }, message: /is -1; it is a whole number of tokens from 0 on/ },
    { limits: { offloadGateShare: 60 }, message: /is 60; it is a share from 0 to 1/ },
    { limits: { autoCompactPercent: 0 }, message: /is 0; it is a number from 1 to 100/ },
    { limits: { resultsKeptCount: 0 }, message: /is 0; it is a whole number from 1 on/ },
    { limits: { coldGapMs: "5m" }, message: /is "5m"; it is a number of milliseconds above 0/ },
    {
      limits: { autoCompactMarginTokens: 2_000 },
      message: /`blockingMarginTokens` is 3000; compaction begins/,
    },
    { limits: { oldBlockTokens: 500 }, message: /`previewTokens` is 1000; a preview is smaller/ },
    { limits: { offloadGateShare: 0.9 }, message: /`offloadGateShare` is 0.9; cheaper layers act earlier/ },
  ])("refuse $limits", async ({ limits, message }) => {
    const refused = aSession({ limits } as WindowOptions);
    await expect(refused).rejects.toMatchObject({ code: "OPTION_INVALID" });
    await expect(refused).rejects.toThrow(message);
  });

  it.each<{ limits: WindowLimits; name: keyof ReturnType<typeof planBudget>; tokens: number }>([
    { limits: {}, name: "autoCompactGateTokens", tokens: 167_000 },
    { limits: { summaryReserveTokens: 10_000 }, name: "effectiveTokens", tokens: 190_000 },
    { limits: { autoCompactMarginTokens: 10_000 }, name: "autoCompactGateTokens", tokens: 170_000 },
    { limits: { autoCompactMarginTokens: 60_000 }, name: "autoCompactGateTokens", tokens: 162_000 },
    {
      limits: { autoCompactMarginTokens: 60_000, autoCompactGateShare: 0.5 },
      name: "autoCompactGateTokens",
      tokens: 120_000,
    },
    { limits: { autoCompactPercent: 50 }, name: "autoCompactGateTokens", tokens: 90_000 },
    { limits: { autoCompactPercent: 50 }, name: "autoCompactTokens", tokens: 90_000 },
    { limits: { autoCompactPercent: 99 }, name: "autoCompactGateTokens", tokens: 167_000 },
    { limits: { warningMarginTokens: 50_000 }, name: "warningTokens", tokens: 130_000 },
    { limits: { errorMarginTokens: 15_000 }, name: "errorTokens", tokens: 165_000 },
    { limits: { blockingMarginTokens: 0 }, name: "blockingTokens", tokens: 180_000 },
    { limits: { offloadGateShare: 0.5 }, name: "offloadGateTokens", tokens: 90_000 },
    { limits: { microcompactGateShare: 0.7 }, name: "microcompactGateTokens", tokens: 126_000 },
    { limits: { fullTargetShare: 0.2 }, name: "fullTargetTokens", tokens: 36_000 },
    { limits: { sessionMemoryTargetShare: 0.4 }, name: "sessionMemoryTargetTokens", tokens: 72_000 },
  ])("move $name to $tokens with $limits", async ({ limits, name, tokens }) => {
    const { session } = await aSession({ windowTokens: 200_000, limits });
    expect(internalsOf(session).budgets.budget[name]).toBe(tokens);
  });

  it("let a program's own number stand before the one of its policy", async () => {
    const limits = { arrivalBlockTokens: 9_000, restoredFilesCount: undefined } as unknown as WindowLimits;
    const { session } = await aSession({ windowTokens: 200_000, policy: "classic", limits });
    const { budgets } = internalsOf(session);
    expect(budgets.arrivalPolicy.blockTokens).toBe(9_000);
    expect(budgets.limits).toMatchObject({
      arrivalPreviewTokens: { tokens: 1_000, floor: 1_000 },
      restoredFilesCount: 5,
      restoredFileTokens: { tokens: 5_000, floor: 5_000 },
      notesCostShareCap: 1,
    });
  });

  it("set numbers that no default names", () => {
    expect(resolveLimits({ coldGapMs: 3_600_000 }).layers.coldGapMs).toBe(3_600_000);
    expect(resolveLimits().layers.coldGapMs).toBeUndefined();
  });
});
