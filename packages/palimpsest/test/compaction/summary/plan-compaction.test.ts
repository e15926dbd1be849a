/** The hidden and kept messages of a compaction with any composer: laws over any conversation. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { finish } from "#base/steps.ts";
import {
  type CompactionShape,
  type PartialSpan,
  planCompaction,
  planPartialCompaction,
  type SummaryComposer,
} from "#compaction/summary/plan-compaction.ts";
import type { EditSafety } from "#tokens/models/edit-safety.ts";
import type { Message } from "#transcript/blocks.ts";
import type { LayerEdit } from "#transcript/edits.ts";
import type { VisibleMessage } from "#transcript/window.ts";
import { asWindow } from "../../../../../test/helpers/recorded.ts";
import {
  applyEdit,
  assistant,
  brokenPairs,
  call,
  measure,
  result,
  text,
  tokensOf,
  user,
} from "../../../../../test/helpers/windows.ts";

const shape = (editSafety: EditSafety): CompactionShape => ({
  targetTokens: 2_000,
  keepTailTokens: 300,
  editSafety,
  maxNewestRoundTokens: 600,
  maxTailTokens: 1_000,
  maxSummaryShare: 0.6,
});
const writer: SummaryComposer = {
  kind: "full",
  *compose({ budgetTokens }) {
    yield;
    return budgetTokens < 10 ? undefined : { text: "All of it, told.", verbatimSeqs: new Set() };
  },
};

/** Prompts, and answers in one or two chunks with calls and their results. */
const conversation = fc
  .array(
    fc.record({
      says: fc.boolean(),
      calls: fc.nat({ max: 3 }),
      isChunked: fc.boolean(),
      size: fc.nat({ max: 1_500 }),
    }),
    { minLength: 1, maxLength: 15 },
  )
  .map((turns): readonly Message[] =>
    turns.flatMap(({ says, calls, isChunked, size }, turn) => {
      const ids = Array.from({ length: calls }, (_, index) => `c${turn}-${index}`);
      const asked = ids.map((id) => call(id, "Read", { path: id }));
      const answer = isChunked
        ? [assistant(`r${turn}`, text(`It is ${turn}.`)), ...asked.map((one) => assistant(`r${turn}`, one))]
        : [assistant(`r${turn}`, text(`It is ${turn}.`), ...asked)];
      return [
        ...(says ? [user(`Prompt ${turn}: ${"do it ".repeat(20)}`)] : []),
        ...answer,
        ...ids.map((id) => result(id, "word ".repeat(size / 4))),
      ];
    }),
  );
const safety = fc.constantFrom<EditSafety>("permissive", "strict");

const plan = (
  messages: readonly Message[],
  editSafety: EditSafety,
  throughSeq?: number,
): LayerEdit | undefined =>
  finish(
    planCompaction(
      {
        visible: asWindow(messages),
        measure,
        policy: shape(editSafety),
        pendingCallIds: [],
        reason: "threshold",
        throughSeq,
      },
      writer,
    ),
  );
const planSide = (
  messages: readonly Message[],
  span: PartialSpan,
  throughSeq?: number,
): LayerEdit | undefined =>
  finish(
    planPartialCompaction(
      {
        visible: asWindow(messages),
        measure,
        policy: shape("permissive"),
        pendingCallIds: [],
        reason: "manual",
        throughSeq,
      },
      span,
      writer,
    ),
  );

const seqsOf = (visible: readonly VisibleMessage[]): readonly number[] =>
  visible.filter(({ insertedBy }) => insertedBy === undefined).map(({ seq }) => seq);
/** Responses of which a part is hidden and a part is not. */
const partedResponses = (messages: readonly Message[], kept: ReadonlySet<number>): readonly string[] => {
  const states = new Map<string, Set<boolean>>();
  messages.forEach(({ responseId }, index) => {
    if (responseId === undefined) return;
    states.set(responseId, (states.get(responseId) ?? new Set()).add(kept.has(index + 1)));
  });
  return [...states].filter(([, state]) => state.size > 1).map(([id]) => id);
};

describe("a compaction", () => {
  it("parts no call from its result and no response, keeps the end, and frees what it says", () => {
    fc.assert(
      fc.property(conversation, safety, (messages, editSafety) => {
        const edit = plan(messages, editSafety);
        if (edit === undefined) return;
        const before = asWindow(messages);
        const after = applyEdit(before, edit, 500);
        const kept = seqsOf(after);
        expect(brokenPairs(after)).toEqual([]);
        expect(partedResponses(messages, new Set(kept))).toEqual([]);
        expect(kept).toEqual(seqsOf(before).slice(before.length - kept.length));
        expect(tokensOf(after)).toBe(tokensOf(before) - edit.freedTokens);
      }),
    );
  });

  it("hides nothing that its summary does not tell of", () => {
    fc.assert(
      fc.property(conversation, safety, fc.nat({ max: 60 }), (messages, editSafety, throughSeq) => {
        const edit = plan(messages, editSafety, throughSeq);
        if (edit === undefined) return;
        const kept = new Set(seqsOf(applyEdit(asWindow(messages), edit, 500)));
        const hidden = messages.map((_, index) => index + 1).filter((seq) => !kept.has(seq));
        expect(hidden.filter((seq) => seq > throughSeq)).toEqual([]);
      }),
    );
  });

  it("keeps nothing that an answer stands in on a strict session", () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        const edit = plan(messages, "strict");
        if (edit?.isBoundary !== true) return;
        const kept = seqsOf(applyEdit(asWindow(messages), edit, 500)).map((seq) => messages[seq - 1]!);
        expect(kept.every(({ role, origin }) => role === "user" && origin === "user")).toBe(true);
      }),
    );
  });
});

describe("a compaction of one side of a pivot", () => {
  const span = fc.record({
    side: fc.constantFrom<PartialSpan["side"]>("from", "up-to"),
    pivotSeq: fc.integer({ min: 0, max: 60 }),
  });

  it("never parts a call from its result, and leaves the other side as it is", () => {
    fc.assert(
      fc.property(conversation, span, (messages, one) => {
        const edit = planSide(messages, one);
        if (edit === undefined) return;
        const after = applyEdit(asWindow(messages), edit, 500);
        const kept = new Set(seqsOf(after));
        expect(brokenPairs(after)).toEqual([]);
        expect(partedResponses(messages, kept)).toEqual([]);
        const other = messages.map((_, index) => index + 1).filter((seq) => isOther(seq, one));
        expect(other.filter((seq) => !kept.has(seq))).toEqual([]);
        expect(edit.effect.forms ?? []).toEqual([]);
        expect(tokensOf(after)).toBe(tokensOf(asWindow(messages)) - edit.freedTokens);
      }),
    );
  });

  it("hides nothing that its summary does not tell of", () => {
    fc.assert(
      fc.property(conversation, span, fc.nat({ max: 60 }), (messages, one, throughSeq) => {
        const edit = planSide(messages, one, throughSeq);
        if (edit === undefined) return;
        const kept = new Set(seqsOf(applyEdit(asWindow(messages), edit, 500)));
        const hidden = messages.map((_, index) => index + 1).filter((seq) => !kept.has(seq));
        expect(hidden.filter((seq) => seq > throughSeq)).toEqual([]);
      }),
    );
  });

  it("shows what was said while its summary was written behind it", () => {
    const messages = [
      ...Array.from({ length: 6 }, (_, index) => user(`Prompt ${index}: ${"do it ".repeat(60)}`)),
      user("Said meanwhile."),
    ];
    const edit = planSide(messages, { side: "from", pivotSeq: 3 }, 6)!;
    const after = applyEdit(asWindow(messages), edit, 500);
    expect(after.map(({ seq, insertedBy }) => (insertedBy === undefined ? seq : "summary"))).toEqual([
      1,
      2,
      "summary",
      7,
    ]);
  });
});

const isOther = (seq: number, { side, pivotSeq }: PartialSpan): boolean =>
  side === "from" ? seq < pivotSeq : seq >= pivotSeq;
