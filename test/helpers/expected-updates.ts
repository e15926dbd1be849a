/**
 * Computes when updates of session notes are due, from a recording and its billed usage, independently of the
 * gate that a replay asks.
 */

import type { Trajectory } from "palimpsest-testing/internal";
import type { JudgedAnswer } from "#evaluation/simulator/simulated-notes.ts";

/** Requirements of a window of this size; without a `cap` costs do not count. */
export interface ExpectedGate {
  readonly startTokens: number;
  readonly growthTokens: number;
  readonly isGated: boolean;
  readonly cap: number | undefined;
  /** No update below this size of the window as long as there is a cap; 0 where any size may be compacted. */
  readonly leastWindowTokens: number;
}

/**
 * Start and growth by the size of the window: a share of it, and never less than 2,000 and 1,000. The least window is
 * where `balanced` compacts from, 85 % of 180,000, less what stays in any case; small windows have none.
 */
export const GATES: Readonly<
  Record<number, Pick<ExpectedGate, "startTokens" | "growthTokens" | "leastWindowTokens">>
> = {
  200000: { startTokens: 10_000, growthTokens: 5_000, leastWindowTokens: 153_000 - 10_000 },
  64000: { startTokens: 3_200, growthTokens: 1_600, leastWindowTokens: 0 },
  32000: { startTokens: 2_000, growthTokens: 1_000, leastWindowTokens: 0 },
};

/** Gates and cap, on and off. */
export const SWITCHES = [
  { isGated: true, cap: 0.05 },
  { isGated: true, cap: undefined },
  { isGated: false, cap: 0.05 },
  { isGated: false, cap: undefined },
] as const;

/** Indexes of the answers that are followed by an update. */
export function expectedUpdates(
  { messages }: Trajectory,
  answers: readonly JudgedAnswer[],
  { startTokens, growthTokens, isGated, cap, leastWindowTokens }: ExpectedGate,
): readonly number[] {
  const billed = new Map(answers.map((answer) => [answer.index, answer]));
  const due: number[] = [];
  let conversationTokens = 0;
  let notedTokens = 0;
  let callsCount = 0;
  let notesCost = 0;
  for (const [index, { message, author, tokens }] of messages.entries()) {
    conversationTokens += tokens;
    if (author !== "assistant") continue;
    const calls = message.content.filter(({ type }) => type === "tool_use").length;
    callsCount += calls;
    const { state, cost = 0 } = billed.get(index)!;
    const isOpen =
      conversationTokens >= startTokens &&
      conversationTokens - notedTokens >= growthTokens &&
      (callsCount >= 3 || calls === 0) &&
      (cap === undefined || state.windowTokens >= leastWindowTokens);
    const isPaid =
      cap === undefined || notesCost + state.updateCost <= cap * (state.sessionCost + state.updateCost);
    if ((isGated && !isOpen) || !isPaid) continue;
    due.push(index);
    notesCost += cost;
    notedTokens = conversationTokens;
    callsCount = 0;
  }
  return due;
}

/** Indexes of the answers that were followed by an update. */
export function madeUpdates(answers: readonly JudgedAnswer[]): readonly number[] {
  return answers.filter(({ cost }) => cost !== undefined).map(({ index }) => index);
}
