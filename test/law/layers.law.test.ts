/**
 * Laws of the layers that need no model, over random histories of agents at work and of damaged logs:
 * what they leave is a request that providers take and that needs no mending, they find nothing the
 * second time, and undoing what they did gives back the exact window.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planMicrocompactByUsage } from "../../src/compaction/microcompact-by-usage.ts";
import { planMicrocompactWhenCold } from "../../src/compaction/microcompact-when-cold.ts";
import { microcompactPolicy, type WindowSituation } from "../../src/compaction/policies.ts";
import { toAnthropic } from "../../src/formats/to-anthropic.ts";
import { toOpenaiChat } from "../../src/formats/to-openai-chat.ts";
import { history } from "../../src/testing/arbitraries.ts";
import { judgeAnthropicRequest, judgeOpenAiChatRequest } from "../../src/testing/wire-oracle.ts";
import type { LayerEdit } from "../../src/transcript/edits.ts";
import { checkRequest } from "../../src/transcript/invariants.ts";
import { type Projection, previewEdit } from "../../src/transcript/projection.ts";
import { planRepair } from "../../src/transcript/repair.ts";
import { assembleRequest } from "../../src/transcript/request.ts";
import type { VisibleMessage } from "../../src/transcript/window.ts";
import { measure, tokensOf } from "../compaction/windows.ts";
import { type AgentStep, agentHistory, type FoldedLog, foldHistory } from "../helpers/agent-histories.ts";

const RUNS = process.env["PALIMPSEST_LONG"] === undefined ? 500 : 50_000;

const situation: WindowSituation = {
  windowTokens: 32_000,
  effectiveTokens: 28_000,
  editSafety: "permissive",
  pendingCallIds: [],
};

/** Histories of agents, and a few that are damaged in every way. */
const anyHistory: fc.Arbitrary<readonly AgentStep[]> = fc.oneof(
  { weight: 4, arbitrary: agentHistory() },
  {
    weight: 1,
    arbitrary: history().map((steps) =>
      steps.flatMap((step): readonly AgentStep[] =>
        step.do === "append" ? [step.message] : step.do === "call" ? ["call"] : [],
      ),
    ),
  },
);

type Planner = (visible: readonly VisibleMessage[]) => LayerEdit | undefined;

const microcompact: Planner = (visible) =>
  planMicrocompactByUsage(
    { visible, usedTokens: 1_000_000, measure },
    {
      ...microcompactPolicy(situation, 0),
      resultsKeptCount: 1,
      recentTailTokens: 0,
      minFreedTokens: 0,
      lowWaterTokens: 0,
    },
  );

const whenCold: Planner = (visible) =>
  planMicrocompactWhenCold(
    { visible, measure, nowMs: Number.MAX_SAFE_INTEGER },
    { ...microcompactPolicy(situation, 0), resultsKeptCount: 2, cacheTtlMs: 300_000 },
  );

const planners: readonly { readonly name: string; readonly plan: Planner }[] = [
  { name: "microcompact by usage", plan: microcompact },
  { name: "microcompact when cold", plan: whenCold },
];

describe.each(planners)("$name, over random histories", ({ plan }) => {
  const check = (law: (folded: FoldedLog, edit: LayerEdit) => void) =>
    fc.assert(
      fc.property(anyHistory, (steps) => {
        const folded = foldHistory(steps);
        const edit = plan(folded.projection.visible);
        if (edit !== undefined) law(folded, edit);
      }),
      { numRuns: RUNS },
    );

  it("leaves a request that needs no mending and that every wire takes", () => {
    check((folded, edit) => {
      const before = requestOf(folded.projection, folded.projection.visible);
      const visible = applied(folded, edit);
      expect(planRepair(visible, folded.projection.callSeqs)).toBeUndefined();
      const after = requestOf(folded.projection, visible);
      expect(checkRequest(after, "anthropic")).toEqual([]);
      expect(judgeAnthropicRequest({ messages: toAnthropic(after) })).toEqual([]);
      expect(judgeOpenAiChatRequest({ messages: toOpenaiChat(after) })).toEqual([]);
      const thinks = { thinking: true };
      if (judgeAnthropicRequest({ messages: toAnthropic(before) }, thinks).length === 0)
        expect(judgeAnthropicRequest({ messages: toAnthropic(after) }, thinks)).toEqual([]);
    });
  });

  it("frees what it says, and finds nothing the second time", () => {
    check((folded, edit) => {
      const visible = applied(folded, edit);
      expect(
        Math.abs(tokensOf(folded.projection.visible) - tokensOf(visible) - edit.freedTokens),
      ).toBeLessThan(1);
      expect(plan(visible)).toBeUndefined();
    });
  });

  it("gives back the exact window when it is undone", () => {
    check((folded, edit) => {
      const before = [...folded.projection.visible];
      const editSeq = folded.edit(edit);
      expect(folded.projection.visible).not.toEqual(before);
      folded.edit({ kind: "undo", editSeq });
      expect(folded.projection.visible).toEqual(before);
    });
  });
});

const applied = ({ projection, log }: FoldedLog, edit: LayerEdit): readonly VisibleMessage[] =>
  previewEdit(projection.visible, edit, { seq: log.entries.length + 1, at: 0 });

const requestOf = ({ callSeqs }: Projection, visible: readonly VisibleMessage[]) =>
  assembleRequest(visible, callSeqs);
