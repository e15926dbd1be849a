/** Lines that are written ahead of need: what they cost, and that they are the ones that are shown. */
import { expect, it } from "vitest";
import { prepareCollapse } from "#compaction/layers/collapse/collapse.ts";
import { CollapseAhead, collapsePolicy } from "#compaction/layers/collapse/collapse-policy.ts";
import { situationOf, type WindowState } from "#compaction/shared/window-state.ts";
import type { VisibleMessage } from "#transcript/window.ts";
import { asWindow } from "../../../../../../test/helpers/recorded.ts";
import { assistant, call, measure, result, text, user } from "../../../../../../test/helpers/windows.ts";
import { aWindowState } from "./window-states.ts";

const rounds = (count: number): readonly VisibleMessage[] =>
  asWindow(
    Array.from({ length: count }, (_, index) => [
      user(`wish ${index}`),
      assistant(`r${index}`, text("Reading."), call(`c${index}`, "Bash", { command: `cat ${index}` })),
      result(`c${index}`, `exit code 1\nError: no file ${index}`, true),
    ]).flat(),
  );

/** Prepares a growing window call by call, and returns how often a block was measured, for each message. */
function measuredEach(all: readonly VisibleMessage[], ahead = new CollapseAhead()): number {
  let measured = 0;
  const visible: VisibleMessage[] = [];
  const whole = aWindowState(all);
  const state: WindowState = {
    ...whole,
    visible,
    usedTokens: whole.budget.microcompactGateTokens,
    measure: (block) => {
      measured++;
      return measure(block);
    },
  };
  for (let index = 0; index < all.length; index += 3) {
    visible.push(...all.slice(index, index + 3));
    ahead.called(state);
  }
  return measured / all.length;
}

it("costs each message the same, however many there are", () => {
  const few = measuredEach(rounds(50));
  expect(few).toBeGreaterThan(0);
  expect(measuredEach(rounds(800))).toBeLessThan(few * 1.2);
});

it("writes every round but the newest, which may still grow, and writes none of them again", () => {
  const all = rounds(50);
  const ahead = new CollapseAhead();
  measuredEach(all, ahead);
  let measured = 0;
  const state = aWindowState(all, {
    measure: (block) => {
      measured++;
      return measure(block);
    },
  });
  const known = ahead.prepare(state, all);
  expect(measured).toBe(0);
  const afresh = prepareCollapse(
    { visible: all, headSeq: state.seq - 1, measure },
    collapsePolicy(situationOf(state)),
  );
  expect([...known.rounds.values()].map((one) => one.text)).toEqual(
    [...afresh.rounds.values()].map((one) => one.text),
  );
  expect(known.rounds.size).toBe(49);
});
