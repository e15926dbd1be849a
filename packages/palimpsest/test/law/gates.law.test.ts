/**
 * The gates of a budget: a layer that has something to do acts once the window reaches its gate, whatever the
 * window, the policy and the provider's figures; and planning costs what is new.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { costPolicy } from "#compaction/planner/cost-policy.ts";
import { planOldBlocks } from "#compaction/planner/escalation.ts";
import { WindowPlanner } from "#compaction/planner/window-planner.ts";
import { type Measure, measureMessages } from "#compaction/shared/measure.ts";
import {
  type PlannedEdits,
  situationOf,
  visibleAfter,
  type WindowState,
} from "#compaction/shared/window-state.ts";
import { aWindowState, PADDING } from "#test/compaction/layers/collapse/window-states.ts";
import { blockText, type ContentBlock, type Message } from "#transcript/blocks.ts";
import type { VisibleMessage } from "#transcript/window.ts";
import { asWindow } from "../../../../test/helpers/recorded.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";
import { assistant, call, measure, result, text, user } from "../../../../test/helpers/windows.ts";

/** Additions of one call to the window, in thousandths of it. */
interface Step {
  readonly tool: "Read" | "Bash" | "mcp__docs__get" | "none";
  readonly thousandths: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  tool: fc.constantFrom("Read", "Bash", "mcp__docs__get", "none"),
  thousandths: fc.integer({ min: 1, max: 40 }),
});
const WINDOWS = [1_000, 8_000, 64_000, 200_000, 1_000_000, 10_000_000] as const;

/** Characters of a window in these tests: the measure makes of them as many tokens as the window has. */
const CHARACTERS = 64_000;
const measureIn =
  (windowTokens: number): Measure =>
  (block) =>
    (blockText(block).length * windowTokens) / CHARACTERS;

let lines = 0;
/** Lines that take a share of the window. */
function words(share: number): string {
  lines++;
  return `row ${lines} of the ledger\n`.repeat(Math.max(1, Math.ceil((share * CHARACTERS) / 22)));
}

function messagesOf({ tool, thousandths }: Step, index: number): readonly Message[] {
  const size = words(thousandths / 1_000);
  if (tool === "none") return [user(`wish ${index}`), assistant(`r${index}`, text(size))];
  return [
    assistant(`r${index}`, text("Next."), call(`c${index}`, tool, { file_path: `/src/${index}.ts` })),
    result(`c${index}`, size),
  ];
}

/** The edits of the layers behind the gates, planned without state. */
function oldBlocks(state: WindowState): PlannedEdits {
  const { offloadGateTokens: offloadTokens, microcompactGateTokens: microcompactTokens } = state.budget;
  const gates = { offloadTokens, microcompactTokens };
  return planOldBlocks({ ...state, gates, situation: situationOf(state) });
}

describe("a window that fills up", () => {
  it.each(["faithful", "balanced", "economy"] as const)("is acted on at each gate under %s", (name) => {
    const run = fc.record({
      windowTokens: fc.constantFrom(...WINDOWS),
      steps: fc.array(step, { minLength: 40, maxLength: 60 }),
      /** The reported size, as a share of the padded estimate. */
      reported: fc.constantFrom(0.7, 0.9, 1),
    });
    fc.assert(
      fc.property(run, ({ windowTokens, steps, reported }) => {
        // The same run again, by its seed and path, has the same words.
        lines = 0;
        const planner = new WindowPlanner(costPolicy(name)!);
        const measure = measureIn(windowTokens);
        let visible: readonly VisibleMessage[] = asWindow([user("Read the ledgers.")]);
        const { budget, fixedTokens } = aWindowState(visible, { windowTokens });
        const scaledFixed = Math.min(fixedTokens, Math.floor(windowTokens / 50));
        let isRewritten = false;
        let before = 0;
        let dueSince: number | undefined;
        steps.forEach((one, index) => {
          const from = (visible.at(-1)?.seq ?? 0) + 1;
          const added = asWindow(messagesOf(one, index));
          visible = [...visible, ...added.map((message, place) => ({ ...message, seq: from + place }))];
          const estimated = measureMessages(visible, measure) * PADDING;
          const state = aWindowState(visible, {
            windowTokens,
            measure,
            messagesTokens: estimated / PADDING,
            fixedTokens: scaledFixed,
            usedTokens: Math.ceil(estimated * (isRewritten ? 1 : reported)) + scaledFixed,
            disabledLayers: new Set(["extractive", "collapse"]),
            seq: 1_000_000 + index * 10,
          });
          const plan = planner.plan(state);
          if (!("edits" in plan)) throw new RangeError("nobody writes summaries here");
          const { usedTokens } = state;
          const isWork = oldBlocks(state).edits.length > 0;
          const hasPassed = [budget.offloadGateTokens, budget.microcompactGateTokens].some(
            (gate) => before < gate && usedTokens >= gate,
          );
          if (isWork) {
            dueSince ??= usedTokens;
            const isLate = usedTokens >= dueSince + budget.effectiveTokens / 100;
            if (hasPassed || isLate) expect(plan.edits.length).toBeGreaterThan(0);
          }
          before = plan.usedTokens;
          isRewritten = plan.edits.length > 0;
          if (isRewritten) {
            visible = visibleAfter(state, plan.edits);
            dueSince = undefined;
          }
          planner.called(state, plan, measureMessages(visible, measure));
        });
      }),
      { numRuns: bySize({ usual: 3, long: 40, soak: 3_000 }) },
    );
  });

  it("costs its planner what is new, where nothing can be done", () => {
    const looks = [500, 2_000].map((count) => {
      let measured = 0;
      const planner = new WindowPlanner(costPolicy("faithful")!);
      const all = asWindow(
        Array.from({ length: count }, (_, index) => [
          user(`wish ${index} ${"word ".repeat(20)}`),
          assistant(`r${index}`, text(`answer ${index} ${"word ".repeat(20)}`)),
        ]).flat(),
      );
      const whole = aWindowState(all);
      // It ends between two gates, three quarters full.
      const windowTokens = Math.ceil(whole.usedTokens / 0.75);
      const { budget } = aWindowState([], { windowTokens });
      const visible: VisibleMessage[] = [];
      for (const [index, message] of all.entries()) {
        visible.push(message);
        if (index % 2 === 1) continue;
        const state: WindowState = {
          ...whole,
          budget,
          visible,
          usedTokens: Math.ceil(((index + 1) / all.length) * whole.usedTokens),
          measure: (block) => {
            measured++;
            return measure(block);
          },
        };
        const plan = planner.plan(state);
        expect(plan).toMatchObject({ edits: [] });
        planner.called(state, plan as PlannedEdits, 0);
      }
      return measured / all.length;
    });
    // A message is looked at a number of times that does not depend on how many there are.
    expect(looks[0]).toBeGreaterThan(1);
    expect(looks[1]).toBeLessThan(looks[0]! * 1.25);
  });
});

describe("where nobody summarises, old rounds become lines at the auto-compact gate", () => {
  it.each(
    [16_000, 200_000, 1_000_000].flatMap((windowTokens) =>
      [0.7, 0.9, 1, 1.2].map((reported) => ({ windowTokens, reported })),
    ),
  )("of $windowTokens, where $reported of the estimate is reported", ({ windowTokens, reported }) => {
    const { budget } = aWindowState([], { windowTokens });
    const inWindow = (block: ContentBlock): number => (measure(block) * windowTokens) / 16_000;
    const estimatedTokens = budget.autoCompactGateTokens / reported;
    const charactersCount = ((estimatedTokens / PADDING) * 16_000 * 4) / windowTokens / 40;
    const visible = asWindow(
      Array.from({ length: 40 }, (_, index) => [
        user(`wish ${index}`),
        assistant(`r${index}`, text("word ".repeat(charactersCount / 5))),
      ]).flat(),
    );
    const plan = new WindowPlanner(costPolicy("faithful")!).plan(
      aWindowState(visible, {
        windowTokens,
        measure: inWindow,
        fixedTokens: 0,
        usedTokens: budget.autoCompactGateTokens,
        disabledLayers: new Set(["offload", "microcompact", "extractive"]),
      }),
    );
    expect(plan).toMatchObject({ edits: [{ kind: "collapse", reason: "threshold" }] });
    expect((plan as PlannedEdits).usedTokens).toBeLessThanOrEqual(budget.microcompactGateTokens);
  });
});
