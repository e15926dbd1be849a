/** Usage and cost of a task, from records of every version and of any quality. */
import { describe, expect, it } from "vitest";
import type { EndRecord } from "#tasks/task-record.ts";
import { spentFields, taskSpent, taskUsage } from "#tasks/task-spent.ts";

const usageOf = (inputTokens: number) => ({
  inputTokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
});
const NO_USAGE = usageOf(0);
const end = (fields: Partial<EndRecord>): EndRecord => ({
  type: "end",
  id: "t1",
  at: 1,
  no: 1,
  outcome: "done",
  outputBytes: 0,
  ...fields,
});
const spent = (calls: number, inputTokens: number, costUsd: number | undefined, unmeteredCalls = 0) =>
  spentFields({ calls, unmeteredCalls, usage: usageOf(inputTokens), costUsd });

describe("the cost of a task", () => {
  it.each([
    { why: "nothing was recorded", facts: [], calls: 0, tokens: 0, pricedUsd: 0, unpriced: 0 },
    {
      why: "each call was recorded",
      facts: [spent(1, 5, 0.25), { step: 0 }, spent(1, 6, 0.5)],
      ended: spent(2, 11, 0.75),
      ...{ calls: 2, tokens: 11, pricedUsd: 0.75, unpriced: 0 },
    },
    {
      why: "one of the models has no price",
      facts: [spent(1, 5, 0.25), spent(1, 6, undefined)],
      ...{ calls: 2, tokens: 11, pricedUsd: 0.25, unpriced: 1 },
    },
    {
      why: "an earlier version recorded usage only",
      facts: [{ usage: usageOf(5) }, { usage: usageOf(6) }],
      ...{ calls: 0, tokens: 11, pricedUsd: 0, unpriced: 2 },
    },
    {
      why: "an earlier version has usage at the end only",
      facts: [],
      ended: { usage: usageOf(7) },
      ...{ calls: 0, tokens: 7, pricedUsd: 0, unpriced: 1 },
    },
    {
      why: "the end has it all",
      facts: [],
      ended: spent(3, 7, 0.5),
      ...{ calls: 3, tokens: 7, pricedUsd: 0.5, unpriced: 0 },
    },
    {
      why: "a step that goes on reports all of it again",
      facts: [
        { ...spent(1, 5, 0.25), usageOfStep: 0 },
        { ...spent(2, 9, 0.5), usageOfStep: 0 },
      ],
      ...{ calls: 2, tokens: 9, pricedUsd: 0.5, unpriced: 0 },
    },
    {
      why: "a call has no usage",
      facts: [spent(1, 0, 0, 1)],
      ...{ calls: 1, tokens: undefined, pricedUsd: 0, unpriced: 0 },
    },
    {
      why: "the records are damaged",
      facts: [
        { usage: { inputTokens: "many" }, spent: { calls: -3, costUsd: -1 } },
        { usage: 3, spent: "much" },
        { spent: { calls: "two", costUsd: 0 } },
      ],
      ...{ calls: 0, tokens: undefined, pricedUsd: 0, unpriced: 1 },
    },
    {
      why: "damaged figures are too large",
      facts: [{ spent: { calls: 1e300, costUsd: 1e300 } }, { spent: { calls: 1e300, costUsd: 1e300 } }],
      ...{ calls: 2e12, tokens: undefined, pricedUsd: 2e12, unpriced: 0 },
    },
  ])("is known where $why", ({ facts, calls, tokens, pricedUsd, unpriced, ...more }) => {
    const ended = "ended" in more ? more.ended : undefined;
    const task = { facts, ...(ended === undefined ? {} : { end: end(ended) }) };
    expect(taskSpent(task)).toMatchObject({ calls, pricedUsd, unpriced });
    expect(taskSpent(task).usage).toEqual(tokens === undefined ? NO_USAGE : usageOf(tokens));
    const hasUsage = tokens !== undefined && (facts.length > 0 || ended !== undefined);
    expect(taskUsage(task)).toEqual(hasUsage ? usageOf(tokens) : undefined);
  });
});
