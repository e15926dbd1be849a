import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ContextBudget, planBudget } from "#tokens/budget/budget.ts";
import { bySize } from "../../../../../test/helpers/size-of-run.ts";

const aWindow = fc.oneof(
  fc.integer({ min: 1_000, max: 300_000 }),
  fc.integer({ min: 1_000, max: 10_000_000 }),
);

describe("planBudget", () => {
  it.each([
    {
      windowTokens: 200_000,
      budget: [180_000, 160_000, 160_000, 167_000, 177_000, 108_000, 144_000, 167_000, 63_000, 90_000],
      why: "the reference window",
    },
    {
      windowTokens: 64_000,
      budget: [57_600, 51_200, 51_200, 53_440, 56_640, 34_560, 46_080, 53_440, 20_160, 28_800],
      why: "everything scales with a smaller window",
    },
    {
      windowTokens: 1_000_000,
      budget: [980_000, 960_000, 960_000, 967_000, 977_000, 588_000, 784_000, 967_000, 343_000, 490_000],
      why: "a larger window keeps the constants",
    },
    {
      windowTokens: 1_000,
      budget: [744, 644, 644, 679, 729, 446, 595, 679, 260, 372],
      why: "the smallest window keeps room for a paragraph of summary",
    },
  ])("divides $windowTokens tokens: $why", ({ windowTokens, budget }) => {
    const plan = planBudget({ windowTokens });
    expect([
      plan.effectiveTokens,
      plan.warningTokens,
      plan.errorTokens,
      plan.autoCompactTokens,
      plan.blockingTokens,
      plan.offloadGateTokens,
      plan.microcompactGateTokens,
      plan.autoCompactGateTokens,
      plan.fullTargetTokens,
      plan.sessionMemoryTargetTokens,
    ]).toEqual(budget);
  });

  it("keeps its order in every window from 1K to 10M, whatever the model's output limit", () => {
    fc.assert(
      fc.property(
        aWindow,
        fc.option(fc.integer({ min: 1, max: 200_000 }), { nil: undefined }),
        (windowTokens, out) => {
          const plan = planBudget({ windowTokens, maxOutputTokens: out });
          const inOrder = [
            0,
            plan.fullTargetTokens,
            plan.sessionMemoryTargetTokens,
            plan.offloadGateTokens,
            plan.microcompactGateTokens,
            plan.autoCompactGateTokens,
            plan.blockingTokens,
            plan.effectiveTokens,
            plan.windowTokens,
          ];
          for (let at = 1; at < inOrder.length; at++) expect(inOrder[at]).toBeGreaterThan(inOrder[at - 1]!);
          expect(plan.warningTokens).toBeLessThanOrEqual(plan.autoCompactTokens);
          expect(plan.autoCompactTokens).toBeLessThan(plan.blockingTokens);
          expect(plan.summaryReserveTokens + plan.effectiveTokens).toBe(plan.windowTokens);
        },
      ),
      { numRuns: bySize({ usual: 150, long: 2_000 }) },
    );
  });

  it("never jumps and never falls as the window grows", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 9_999_000 }),
        fc.integer({ min: 1, max: 1_000 }),
        (from, step) => {
          const smaller = planBudget({ windowTokens: from });
          const larger = planBudget({ windowTokens: from + step });
          for (const name of Object.keys(smaller) as (keyof ContextBudget)[]) {
            expect(larger[name], name).toBeGreaterThanOrEqual(smaller[name]);
            expect(larger[name] - smaller[name], name).toBeLessThanOrEqual(step + 2);
          }
        },
      ),
      { numRuns: bySize({ usual: 150, long: 2_000 }) },
    );
  });

  it("lets no threshold fall by a token from one window to the next", () => {
    const falls: string[] = [];
    let before = planBudget({ windowTokens: 1_000 });
    for (let windowTokens = 1_001; windowTokens <= 201_000; windowTokens++) {
      const plan = planBudget({ windowTokens });
      for (const name in plan) {
        const field = name as keyof ContextBudget;
        if (plan[field] < before[field]) falls.push(`${field} at ${windowTokens}`);
      }
      before = plan;
    }
    expect(falls).toEqual([]);
  });

  it("manages a large window as a smaller one under a ceiling", () => {
    expect(planBudget({ windowTokens: 1_000_000, ceilingTokens: 200_000 })).toEqual(
      planBudget({ windowTokens: 200_000 }),
    );
    expect(planBudget({ windowTokens: 64_000, ceilingTokens: 200_000 })).toEqual(
      planBudget({ windowTokens: 64_000 }),
    );
  });

  it("reserves no more for a summary than the model can write", () => {
    expect(planBudget({ windowTokens: 200_000, maxOutputTokens: 4_096 }).effectiveTokens).toBe(195_904);
  });

  it("refuses a window without tokens as a bug", () => {
    expect(() => planBudget({ windowTokens: 0 })).toThrow(/positive/);
    expect(() => planBudget({ windowTokens: Number.NaN })).toThrow(/positive/);
  });
});
