/** When an update of the notes is due, and that its cap on cost holds over a whole session. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  judgeNotesGate,
  leastWindowForNotes,
  NOTES_GATE_POLICY,
  type NotesGateState,
} from "#notes/update-gate.ts";

const READY: NotesGateState = {
  conversationTokens: 10_000,
  windowTokens: 40_000,
  toolCallsSinceUpdate: 3,
  didLastTurnCallTools: true,
  sessionCost: 100,
  notesCost: 0,
  updateCost: 5,
};

const verdict = (state: Partial<NotesGateState>, policy = {}) => {
  const judged = judgeNotesGate({ ...READY, ...state }, { ...NOTES_GATE_POLICY, ...policy });
  return judged.isDue ? "due" : judged.reason;
};

describe("judgeNotesGate", () => {
  it.each<{ state: Partial<NotesGateState>; is: string; why: string }>([
    { state: {}, is: "due", why: "at exactly the start, after three calls" },
    { state: { conversationTokens: 9_999 }, is: "too-early", why: "one token short" },
    {
      state: { conversationTokens: 14_999, updatedAtTokens: 10_000 },
      is: "too-little-new",
      why: "grown one token too little",
    },
    { state: { conversationTokens: 15_000, updatedAtTokens: 10_000 }, is: "due", why: "grown enough" },
    { state: { toolCallsSinceUpdate: 2 }, is: "in-the-middle", why: "two calls, and more to come" },
    { state: { toolCallsSinceUpdate: 0, didLastTurnCallTools: false }, is: "due", why: "a natural pause" },
    { state: { toolCallsSinceUpdate: 9, didLastTurnCallTools: false }, is: "due", why: "both" },
    { state: { sessionCost: 94 }, is: "over-cost-cap", why: "5 of 99 is more than the cap" },
    { state: { sessionCost: 95 }, is: "due", why: "5 of 100 is the cap" },
    { state: { notesCost: 1 }, is: "over-cost-cap", why: "earlier updates count" },
    { state: { sessionCost: 0, updateCost: 0 }, is: "due", why: "what costs nothing may always be" },
    { state: { sessionCost: Number.NaN }, is: "cost-unknown", why: "damaged usage" },
    { state: { updateCost: Number.POSITIVE_INFINITY }, is: "cost-unknown", why: "no price" },
    { state: { conversationTokens: Number.NaN }, is: "too-early", why: "damaged size" },
    {
      state: { conversationTokens: 12_000, updatedAtTokens: 20_000 },
      is: "too-little-new",
      why: "a rewound session",
    },
  ])("says $is: $why", ({ state, is }) => {
    expect(verdict(state)).toBe(is);
  });

  it.each([
    { policy: { isGated: false }, state: { conversationTokens: 1 }, is: "due", why: "gates off" },
    {
      policy: { isGated: false },
      state: { conversationTokens: 1, sessionCost: 1 },
      is: "over-cost-cap",
      why: "gates off, the cap wins",
    },
    { policy: { costShareCap: undefined }, state: { sessionCost: 1 }, is: "due", why: "cap off" },
    {
      policy: { costShareCap: undefined },
      state: { sessionCost: Number.NaN },
      is: "due",
      why: "cap off, cost unknown",
    },
    { policy: { costShareCap: 0 }, state: {}, is: "over-cost-cap", why: "a cap of nothing" },
    {
      policy: { leastWindowTokens: 40_001 },
      state: {},
      is: "far-from-compaction",
      why: "a compaction would need another update",
    },
    { policy: { leastWindowTokens: 40_000 }, state: {}, is: "due", why: "a compaction is near" },
    {
      policy: { leastWindowTokens: 40_001, costShareCap: undefined },
      state: {},
      is: "due",
      why: "cap off: no update is saved",
    },
    {
      policy: { leastWindowTokens: 40_001, isGated: false },
      state: {},
      is: "due",
      why: "gates off, however far the compaction is",
    },
  ])("can be switched: $why", ({ policy, state, is }) => {
    expect(verdict(state, policy)).toBe(is);
  });

  it.each([
    { windowTokens: 200_000, firstSummaryTokens: 153_000, leastKeptTokens: 10_000, is: 143_000 },
    { windowTokens: 128_000, firstSummaryTokens: 97_920, leastKeptTokens: 6_400, is: 91_520 },
    { windowTokens: 127_999, firstSummaryTokens: 92_159, leastKeptTokens: 6_400, is: 0 },
    { windowTokens: 200_000, firstSummaryTokens: 0, leastKeptTokens: 10_000, is: 0 },
  ])("is near in a window of $windowTokens from where the newest messages stay in any case", ({
    is,
    ...sizes
  }) => {
    expect(leastWindowForNotes(sizes)).toBe(is);
  });

  it("keeps the notes' share under the cap and the growth between updates, whatever a session does", () => {
    const turn = fc.record({
      tokens: fc.integer({ min: 0, max: 8_000 }),
      calls: fc.integer({ min: 0, max: 5 }),
      cost: fc.double({ min: 0, max: 10, noNaN: true }),
      updateCost: fc.double({ min: 0, max: 2, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 80 }), (turns) => {
        let state: NotesGateState = {
          ...READY,
          conversationTokens: 0,
          toolCallsSinceUpdate: 0,
          sessionCost: 0,
        };
        for (const { tokens, calls, cost, updateCost } of turns) {
          state = {
            ...state,
            conversationTokens: state.conversationTokens + tokens,
            toolCallsSinceUpdate: state.toolCallsSinceUpdate + calls,
            didLastTurnCallTools: calls > 0,
            sessionCost: state.sessionCost + cost,
            updateCost,
          };
          if (!judgeNotesGate(state).isDue) continue;
          expect(state.conversationTokens).toBeGreaterThanOrEqual(10_000);
          expect(state.conversationTokens - (state.updatedAtTokens ?? 0)).toBeGreaterThanOrEqual(5_000);
          expect(calls === 0 || state.toolCallsSinceUpdate >= 3).toBe(true);
          state = {
            ...state,
            updatedAtTokens: state.conversationTokens,
            toolCallsSinceUpdate: 0,
            notesCost: state.notesCost + updateCost,
            sessionCost: state.sessionCost + updateCost,
          };
          expect(state.notesCost).toBeLessThanOrEqual(0.05 * state.sessionCost + 1e-9);
        }
      }),
      { numRuns: 500 },
    );
  });
});
