import { describe, expect, it } from "vitest";
import { addToDigest, createDigest } from "#compaction/digest/digest.ts";
import type { SessionNotes } from "#compaction/layers/session-memory/session-memory-compact.ts";
import { costPolicy } from "#compaction/planner/cost-policy.ts";
import { planFromNotes } from "#compaction/planner/plan-from-notes.ts";
import type { SummarySources, WindowPlan } from "#compaction/planner/window-plan.ts";
import { WindowPlanner } from "#compaction/planner/window-planner.ts";
import { aWindowState, FIXED_TOKENS, PADDING } from "#test/compaction/layers/collapse/window-states.ts";
import { digestOf } from "#test/helpers/digests.ts";
import type { Message } from "#transcript/blocks.ts";
import type { VisibleMessage } from "#transcript/window.ts";
import { asWindow } from "../../../../../test/helpers/recorded.ts";
import {
  applyEdit,
  assistant,
  brokenPairs,
  call,
  result,
  text,
  tokensOf,
  user,
} from "../../../../../test/helpers/windows.ts";

/** Turns of three messages, by default of about 600 tokens. */
const turns = (count: number, lines = 100): readonly Message[] =>
  Array.from({ length: count }, (_, turn) => [
    user(`wish ${turn}: change module_${turn}`),
    assistant(`r${turn}`, text("I look."), call(`c${turn}`, "mcp__db__query", { id: `row_${turn}` })),
    result(`c${turn}`, "some line of code here\n".repeat(lines)),
  ]).flat();

const notesThrough = (throughSeq: number, over: Partial<SessionNotes> = {}): SessionNotes => ({
  text: `# Current State\n\nDone up to ${throughSeq}.`,
  throughSeq,
  isEmpty: false,
  isUpdateRunning: false,
  ...over,
});

const planner = () => new WindowPlanner(costPolicy("faithful")!);

const kindsOf = (plan: WindowPlan): readonly string[] =>
  "edits" in plan ? plan.edits.map(({ kind }) => kind) : [];

describe("the planner of the window, with notes of the session", () => {
  const messages = turns(100);
  const visible = asWindow(messages);
  const sources: SummarySources = { digest: digestOf(messages), pinned: [] };
  const notes = notesThrough(messages.length - 2);
  const span = { side: "up-to", pivotSeq: 200 } as const;

  it.each<{
    readonly why: string;
    readonly sources: SummarySources;
    readonly disabled?: string;
    readonly kind: string;
  }>([
    { why: "they stand for the messages", sources: { ...sources, notes }, kind: "session-memory" },
    { why: "there are none", sources, kind: "extractive" },
    {
      why: "they are empty",
      sources: { ...sources, notes: { ...notes, isEmpty: true } },
      kind: "extractive",
    },
    { why: "they are too old", sources: { ...sources, notes: notesThrough(3) }, kind: "extractive" },
    {
      why: "the layer is off",
      sources: { ...sources, notes },
      disabled: "session-memory",
      kind: "extractive",
    },
    { why: "one side of a pivot is asked for", sources: { ...sources, notes, span }, kind: "extractive" },
  ])("makes room by $kind: $why", ({ sources: given, disabled, kind }) => {
    const state = aWindowState(visible, {
      disabledLayers: new Set(disabled === undefined ? [] : [disabled]),
    });
    expect(kindsOf(planner().compact(state, "manual", given))).toEqual([kind]);
  });

  it("takes the notes before what a model wrote", () => {
    const text = ["1. Intent", "2. Concepts", "3. Files", "4. Errors", "5. Solving"].join("\n");
    const written = { text, throughSeq: messages.length, model: "m", leftOutRounds: 0 };
    const given = { ...sources, written };
    expect(kindsOf(planner().compact(aWindowState(visible), "manual", given))).toEqual(["full"]);
    expect(kindsOf(planner().compact(aWindowState(visible), "manual", { ...given, notes }))).toEqual([
      "session-memory",
    ]);
  });

  it("leaves a request within the budget's target, system prompt and padding counted", () => {
    for (const fixedTokens of [0, 3_000, 15_000]) {
      const state = aWindowState(visible, { fixedTokens });
      const plan = planner().compact(state, "manual", { ...sources, notes });
      expect(kindsOf(plan)).toEqual(["session-memory"]);
      expect("usedTokens" in plan && plan.usedTokens).toBeLessThanOrEqual(
        state.budget.sessionMemoryTargetTokens,
      );
    }
  });

  it("says why the notes do not suffice, to whoever asks beforehand", () => {
    const running = { ...sources, notes: { ...notes, isUpdateRunning: true } };
    expect(planFromNotes(aWindowState(visible), "threshold", running)).toEqual({
      ok: false,
      refusal: "update-running",
    });
  });
});

describe("a session of more than 500,000 tokens", () => {
  const messages = turns(230, 400);

  it.each([
    { windowTokens: 200_000, editSafety: "permissive", compactions: 3 },
    { windowTokens: 200_000, editSafety: "strict", compactions: 3 },
    { windowTokens: 64_000, editSafety: "permissive", compactions: 12 },
    { windowTokens: 64_000, editSafety: "strict", compactions: 12 },
  ] as const)("passes a window of $windowTokens by its notes alone, $editSafety", ({
    windowTokens,
    editSafety,
    compactions,
  }) => {
    const digest = createDigest();
    let window: readonly VisibleMessage[] = [];
    let notedTokens = 0;
    let conversationTokens = 0;
    let notes = notesThrough(0, { isEmpty: true });
    let count = 0;
    for (const [index, message] of messages.entries()) {
      addToDigest(digest, index + 1, message);
      const messages = asWindow([message], index + 1);
      window = [...window, ...messages];
      conversationTokens += tokensOf(messages);
      if (message.origin !== "tool") continue;
      const state = aWindowState(window, { windowTokens, editSafety, seq: 10_000 + count });
      if (state.usedTokens >= state.budget.autoCompactGateTokens) {
        const plan = planFromNotes(state, "threshold", { notes, digest, pinned: [] });
        if (!plan.ok) throw new Error(`refused at message ${index}: ${plan.refusal}`);
        window = applyEdit(window, plan.edit, 10_000 + count);
        count++;
        expect(brokenPairs(window)).toEqual([]);
        expect(tokensOf(window) * PADDING + FIXED_TOKENS).toBeLessThanOrEqual(
          state.budget.sessionMemoryTargetTokens,
        );
      }
      // The notes are updated each 5,000 tokens, and are always a little behind.
      if (conversationTokens - notedTokens < (5_000 * windowTokens) / 200_000) continue;
      notes = notesThrough(index);
      notedTokens = conversationTokens;
    }
    expect(conversationTokens).toBeGreaterThan(500_000);
    expect(count).toBeGreaterThanOrEqual(compactions);
  });
});
