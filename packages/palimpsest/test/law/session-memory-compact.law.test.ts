/**
 * Laws of the session-memory compact over random histories, notes of any age and windows of many sizes:
 * uncovered messages are never lost, calls keep their results, and as much stays as
 * was asked for. That requests stay valid, pins are carried and undo restores is in `layers.law.test.ts` for
 * all layers; here once more for strict sessions.
 */

import fc from "fast-check";
import { judgeAnthropicRequest, judgeOpenAIChatRequest } from "palimpsest-testing";
import { expect, it } from "vitest";
import { finish } from "#base/steps.ts";
import {
  planSessionMemoryCompact,
  type SessionMemoryPlan,
  type SessionMemoryPolicy,
} from "#compaction/layers/session-memory/session-memory-compact.ts";
import { sessionMemoryPolicy } from "#compaction/planner/policies.ts";
import { findCuts, pairIds } from "#compaction/shared/kept-tail.ts";
import { anyHistory, type FoldedLog, foldHistory } from "#test/helpers/agent-histories.ts";
import { digestOf } from "#test/helpers/layer-planners.ts";
import { blockText } from "#transcript/blocks.ts";
import { previewEdit } from "#transcript/projection.ts";
import { planRepair } from "#transcript/repair.ts";
import { assembleRequest } from "#transcript/request.ts";
import type { VisibleMessage } from "#transcript/window.ts";
import { toAnthropic } from "#wire/anthropic/to-anthropic.ts";
import { toOpenAIChat } from "#wire/openai-chat/to-openai-chat.ts";
import { bySize, isLong } from "../../../../test/helpers/size-of-run.ts";
import { measure, tokensOf } from "../../../../test/helpers/windows.ts";

const RUNS = bySize({ usual: 6, long: 100, soak: 6_000 });

const NOTES_TEXT = "# Current State\n\nThe parser is being written.";

interface Case {
  readonly folded: FoldedLog;
  readonly before: readonly VisibleMessage[];
  readonly throughSeq: number;
  readonly policy: SessionMemoryPolicy;
  readonly plan: SessionMemoryPlan;
}

interface Compacted extends Case {
  readonly after: readonly VisibleMessage[];
  /** The messages that stay unchanged. */
  readonly kept: readonly VisibleMessage[];
  /** The text that replaces the others. */
  readonly inserted: string;
}

const settings = fc.record({
  /** Number of newest messages that the notes do not cover. */
  age: fc.nat(12),
  windowTokens: fc.constantFrom(3_000, 8_000, 16_000, 64_000, 200_000),
  hasDigest: fc.boolean(),
});

/** Checks the law over plans of every outcome. */
function checkPlans(editSafety: "strict" | "permissive", law: (planned: Case) => void): void {
  fc.assert(
    fc.property(anyHistory, settings, (steps, { age, windowTokens, hasDigest }) => {
      const folded = foldHistory(steps);
      const before = [...folded.projection.visible];
      const throughSeq = before.at(-1 - age)?.seq ?? 0;
      const effectiveTokens = windowTokens * 0.9;
      const policy = sessionMemoryPolicy(
        { windowTokens, effectiveTokens, editSafety, pendingCallIds: [] },
        effectiveTokens / 2,
      );
      const plan = finish(
        planSessionMemoryCompact({
          visible: before,
          notes: { text: NOTES_TEXT, throughSeq, isEmpty: false, isUpdateRunning: false },
          digest: hasDigest ? digestOf(folded) : undefined,
          measure,
          policy,
          pendingCallIds: [],
          reason: "law",
        }),
      );
      law({ folded, before, throughSeq, policy, plan });
    }),
    { numRuns: RUNS },
  );
}

/** Checks the law where the notes could replace messages, and that this is common. */
function check(editSafety: "strict" | "permissive", law: (compacted: Compacted) => void): void {
  let plannedCount = 0;
  checkPlans(editSafety, (planned) => {
    const { folded, before, plan } = planned;
    if (!plan.ok) return;
    plannedCount++;
    const seq = folded.log.entries.length + 1;
    const after = previewEdit(before, plan.edit, { seq, at: 0 });
    const isNew = ({ insertedBy }: VisibleMessage) => insertedBy === seq;
    const inserted = textOf(after.filter((message) => isNew(message) && message.origin === "summary"));
    const kept = after.filter((message) => message.origin !== "summary" || !isNew(message));
    law({ ...planned, after, kept, inserted });
  });
  // In the few runs of the default suite it may be none by chance.
  if (isLong) expect(plannedCount).toBeGreaterThan(RUNS / 20);
}

const textOf = (messages: readonly VisibleMessage[]): string =>
  messages.flatMap(({ blocks }) => blocks.map(({ block }) => blockText(block))).join("\n");

/** Messages that say something in words. */
const wordsCount = (messages: readonly VisibleMessage[]): number =>
  messages.filter(
    ({ role, blocks }) =>
      role !== "system" && blocks.some(({ block }) => block.type === "text" && block.text.trim() !== ""),
  ).length;

const firstUntoldOf = (before: readonly VisibleMessage[], throughSeq: number): number => {
  const index = before.findIndex(({ seq }) => seq > throughSeq);
  return index === -1 ? before.length : index;
};

it.each([
  "permissive",
  "strict",
] as const)("every wire takes what is left, and it is within its target: %s", (editSafety) => {
  check(editSafety, ({ folded, before, after, plan, policy }) => {
    const { callSeqs } = folded.projection;
    expect(planRepair(after, callSeqs)).toBeUndefined();
    const request = assembleRequest(after, callSeqs);
    expect(judgeAnthropicRequest({ messages: toAnthropic(request) })).toEqual([]);
    expect(judgeOpenAIChatRequest({ messages: toOpenAIChat(request) })).toEqual([]);
    expect(tokensOf(after)).toBeLessThanOrEqual(policy.targetTokens);
    expect(plan.ok && Math.abs(tokensOf(before) - tokensOf(after) - plan.edit.freedTokens)).toBeLessThan(1);
  });
});

it.each(["permissive", "strict"] as const)("undo restores the window: %s", (editSafety) => {
  check(editSafety, ({ folded, before, plan }) => {
    const editSeq = plan.ok ? folded.edit(plan.edit) : 0;
    expect(folded.projection.visible).not.toEqual(before);
    folded.edit({ kind: "undo", editSeq });
    expect(folded.projection.visible).toEqual(before);
  });
});

it.each(["permissive", "strict"] as const)("pairs and responses are never parted: %s", (editSafety) => {
  const keysOf = (messages: readonly VisibleMessage[]): readonly string[] =>
    messages.flatMap(({ responseId, blocks }) => [
      ...(responseId === undefined ? [] : [`response ${responseId}`]),
      ...blocks.flatMap(({ block }) => pairIds(block)),
    ]);
  check(editSafety, ({ before, kept }) => {
    const stays = new Set(keysOf(kept));
    expect(keysOf(kept)).toEqual(keysOf(before).filter((key) => stays.has(key)));
  });
});

it("nothing newer than the notes is hidden", () => {
  check("permissive", ({ before, kept, throughSeq }) => {
    const untoldOf = (messages: readonly VisibleMessage[]) =>
      messages.filter(({ seq }) => seq > throughSeq).map(({ seq, role, blocks }) => ({ seq, role, blocks }));
    expect(untoldOf(kept)).toEqual(untoldOf(before));
  });
});

it("on a strict session, what is newer than the notes is a prompt that stays, or told to the letter", () => {
  check("strict", ({ before, kept, throughSeq, inserted }) => {
    expect(textOf(kept.filter(({ role }) => role === "assistant"))).toBe("");
    for (const { seq, blocks } of before.filter((message) => message.seq > throughSeq)) {
      if (kept.some((message) => message.seq === seq)) continue;
      for (const { block } of blocks)
        if (block.type !== "thinking" && block.type !== "opaque")
          for (const line of blockText(block).trim().split("\n"))
            expect(inserted).toContain(`> ${line}`.trimEnd());
    }
  });
});

it("as much stays as was asked for, and more only where something would be parted", () => {
  check("permissive", ({ before, kept, after, throughSeq, policy }) => {
    const start = before.length - kept.length;
    const cuts = findCuts(before);
    const firstUncovered = firstUntoldOf(before, throughSeq);
    const isOverCap = tokensOf(kept) > policy.mostKeptTokens;
    if (isOverCap) expect(cuts.filter((cut) => cut > start && cut <= firstUncovered)).toEqual([]);

    if (tokensOf(kept) >= policy.leastKeptTokens && wordsCount(kept) >= 5) return;
    // Less than was asked for: going further back was not possible, or too much.
    const earlier = cuts.findLast((cut) => cut < start);
    if (earlier === undefined) return;
    const withEarlier = tokensOf(before.slice(earlier));
    const insertedTokens = tokensOf(after) - tokensOf(kept);
    expect(withEarlier > policy.mostKeptTokens || withEarlier + insertedTokens > policy.targetTokens).toBe(
      true,
    );
  });
});

it("no more stays than was asked for: without its first round there would be too little, or something untold would go", () => {
  check("permissive", ({ before, kept, throughSeq, policy }) => {
    const next = findCuts(before).find((cut) => cut > before.length - kept.length);
    if (next === undefined || next >= before.length) return;
    const isUncovered = before.slice(0, next).some(({ seq }) => seq > throughSeq);
    const rest = before.slice(next);
    const isTooLittle = tokensOf(rest) < policy.leastKeptTokens || wordsCount(rest) < 5;
    expect(isUncovered || isTooLittle).toBe(true);
  });
});

/** The notes of these laws and what is said around them, in tokens; open tasks that they do not name aside. */
const NOTES_TOKENS = 300;

it.each(["permissive", "strict"] as const)("what is refused could not be done: %s", (editSafety) => {
  const refusals = new Set<string>();
  checkPlans(editSafety, ({ before, throughSeq, policy, plan }) => {
    const firstUncovered = firstUntoldOf(before, throughSeq);
    const uncoveredTokens = tokensOf(before.slice(firstUncovered));
    // Uncovered messages are never dropped in favour of covered ones.
    if (uncoveredTokens > policy.mostKeptTokens)
      expect(plan).toEqual({ ok: false, refusal: "untold-too-large" });
    if (plan.ok) return;
    refusals.add(plan.refusal);
    if (plan.refusal === "untold-too-large") expect(uncoveredTokens).toBeGreaterThan(policy.mostKeptTokens);
    if (editSafety === "strict") return;
    const start = findCuts(before).findLast((cut) => cut <= firstUncovered) ?? 0;
    const hiddenTokens = tokensOf(before.slice(0, start));
    const keptTokens = tokensOf(before.slice(start));
    if (plan.refusal === "nothing-to-hide") expect(start).toBe(0);
    if (plan.refusal === "over-target")
      expect(keptTokens + NOTES_TOKENS).toBeGreaterThan(policy.targetTokens);
    // If too little would stay, more messages stay and the notes replace fewer.
    const isEnough = keptTokens >= policy.leastKeptTokens && wordsCount(before.slice(start)) >= 5;
    if (plan.refusal === "not-smaller" && isEnough)
      expect(NOTES_TOKENS).toBeGreaterThan(hiddenTokens * policy.maxSummaryShare);
  });
  // A few histories need not meet both.
  if (isLong) expect([...refusals]).toEqual(expect.arrayContaining(["untold-too-large", "not-smaller"]));
});
