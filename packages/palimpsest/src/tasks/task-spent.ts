/**
 * Usage and cost of a task's model calls, as its records have them: those that its kind recorded while it ran, or those
 * of its end.
 *
 * Records of earlier versions have a usage only. Their number of calls and their cost are not known.
 */
import { isObject } from "../base/json/json.ts";
import {
  addSpent,
  formatSpent,
  NOTHING_SPENT,
  parseSpent,
  reportedUsage,
  type Spent,
  type SpentSum,
} from "../tokens/price/spent.ts";
import { sumUsage, type Usage } from "../transcript/blocks.ts";
import type { TaskState } from "./fold-tasks.ts";

type Records = Pick<TaskState, "facts" | "end">;

interface SpentRecord {
  readonly usage?: unknown;
  readonly spent?: unknown;
}

/** Facts, or fields of an end, that have what calls used and cost. */
export function spentFields(spent: Spent) {
  const { usage: _usage, ...figures } = formatSpent(spent);
  const usage = reportedUsage(spent);
  return { ...(usage === undefined ? {} : { usage: { ...usage } }), spent: figures };
}

/** The usage of a task's calls of models; `undefined` if none was reported. */
export function taskUsage(task: Records): Usage | undefined {
  const usages = recordsOf(task).flatMap(({ usage }) => (isUsage(usage) ? [usage] : []));
  return usages.length === 0 ? undefined : sumUsage(usages);
}

/** The cost of a task's calls of models. */
export function taskSpent(task: Records): SpentSum {
  return recordsOf(task).map(readRecord).reduce(addSpent, NOTHING_SPENT);
}

function readRecord({ usage, spent }: SpentRecord): SpentSum {
  const known = isUsage(usage) ? usage : NOTHING_SPENT.usage;
  if (isObject(spent)) return parseSpent({ ...spent, usage: known }) ?? NOTHING_SPENT;
  return isUsage(usage) ? { ...NOTHING_SPENT, usage, unpriced: 1 } : NOTHING_SPENT;
}

/**
 * Of the totals that were recorded for one step (`usageOfStep`) the last counts, for a step that goes on reports all
 * of it.
 */
function recordsOf({ facts, end }: Records): readonly SpentRecord[] {
  const calls: SpentRecord[] = [];
  const totals = new Map<unknown, SpentRecord>();
  for (const record of facts) {
    const { usage, spent, usageOfStep } = record;
    if (!isUsage(usage) && !isObject(spent)) continue;
    if (usageOfStep === undefined) calls.push(record);
    else totals.set(usageOfStep, record);
  }
  const recorded = [...calls, ...totals.values()];
  return recorded.length > 0 || end === undefined ? recorded : [end];
}

function isUsage(usage: unknown): usage is Usage {
  return (
    isObject(usage) &&
    [usage["inputTokens"], usage["cacheReadTokens"], usage["cacheWriteTokens"], usage["outputTokens"]].every(
      isTokenCount,
    )
  );
}

/** More tokens than any task can use: sums of damaged figures stay safe integers. */
const LARGEST_COUNT = 1e12;

function isTokenCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= LARGEST_COUNT;
}
