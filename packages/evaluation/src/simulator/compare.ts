/**
 * Reduces the runs of many sessions to a few figures: the cost of a policy, the references that stay visible under it,
 * and its difference from another policy on the same sessions.
 *
 * Costs and references are summed over all sessions, so long sessions count for more. Differences are also taken
 * session by session, because a policy that is better overall can be much worse on some sessions.
 */
import { assert } from "palimpsest/internal";
import { compareMeasure, MEASURE_NAMES, type MeasuredDifference, type MeasureName } from "./measures.ts";
import type { RunResult, SurvivalCount } from "./simulate.ts";

/** A session under a policy, simulated twice. */
export interface MeasuredRun {
  readonly session: string;
  /** The cost of the session in an infinite window without any compaction. */
  readonly uncompactedCost: number;
  /** The run without lookups, for counting what was visible. */
  readonly plain: RunResult;
  /** The run in which missing strings are looked up, for the cost. */
  readonly charged: RunResult;
}

/** A policy over many sessions. Shares are `undefined` where there was nothing to count. */
interface PolicyFigures {
  readonly sessions: number;
  /** Sessions that ended early because no further request fitted. They count in nothing below. */
  readonly failures: number;
  /** Cost with lookups, as a share of the cost without any compaction. */
  readonly costShare: number | undefined;
  readonly farRecall: number | undefined;
  readonly nearRecall: number | undefined;
  /** The share of far references that are visible, or reachable by a pointer. */
  readonly farReach: number | undefined;
  readonly summaries: number;
  /** All other rewrites: results cleared, masked or offloaded, rounds collapsed, messages dropped. */
  readonly clears: number;
  /** Requests added by lookups and by reading again. */
  readonly lookups: number;
  /** Files and results read again because an edit needed lines of them, and their tokens. */
  readonly rereads: number;
  readonly rereadTokens: number;
  readonly sideCalls: number;
}

/** A policy beside another, on the sessions that both finish. */
interface PolicyDifference {
  readonly sessions: number;
  readonly costRatio: number | undefined;
  readonly measures: Readonly<Record<MeasureName, MeasuredDifference>>;
}

export function summarizeRuns(runs: readonly MeasuredRun[]): PolicyFigures {
  const finished = runs.filter(isFinished);
  const far = pool(finished.map(({ plain }) => plain.far));
  const near = pool(finished.map(({ plain }) => plain.near));
  const count = (of: (run: MeasuredRun) => number): number => sum(finished, of);
  return {
    sessions: runs.length,
    failures: runs.length - finished.length,
    costShare: share(
      sum(finished, ({ charged }) => charged.cost),
      sum(finished, ({ uncompactedCost }) => uncompactedCost),
    ),
    farRecall: share(far.visible, far.references),
    nearRecall: share(near.visible, near.references),
    farReach: share(far.reachable, far.references),
    summaries: count(({ charged }) => charged.edits.summary),
    clears: count(({ charged: { edits } }) => edits.clear + edits.offload + edits.collapse),
    lookups: count(({ charged }) => charged.lookups),
    rereads: count(({ charged }) => charged.rereads),
    rereadTokens: count(({ charged }) => charged.rereadTokens),
    sideCalls: count(({ charged }) => charged.sideCalls),
  };
}

/** Compares `runs` with `others`: the same sessions under another policy, in any order. */
export function compareRuns(runs: readonly MeasuredRun[], others: readonly MeasuredRun[]): PolicyDifference {
  const bySession = new Map(others.map((other) => [other.session, other]));
  const pairs = runs.flatMap((run) => {
    const other = bySession.get(run.session);
    assert(other !== undefined, "policies are compared on the same sessions");
    return isFinished(run) && isFinished(other) ? [{ run, other }] : [];
  });
  const plain = pairs.map(({ run, other }) => ({
    session: run.session,
    run: run.plain,
    other: other.plain,
  }));
  const measures = MEASURE_NAMES.map((name) => [name, compareMeasure(name, plain)] as const);
  return {
    sessions: pairs.length,
    costRatio: share(
      sum(pairs, ({ run }) => run.charged.cost),
      sum(pairs, ({ other }) => other.charged.cost),
    ),
    measures: Object.fromEntries(measures) as Record<MeasureName, MeasuredDifference>,
  };
}

/** True if the policy left the window of this session as it was: it never filled. */
export function isLeftAlone({ plain: { edits } }: MeasuredRun): boolean {
  return Object.values(edits).every((count) => count === 0);
}

function isFinished({ plain, charged }: MeasuredRun): boolean {
  return plain.failedAt === undefined && charged.failedAt === undefined;
}

function pool(counts: readonly SurvivalCount[]): SurvivalCount {
  return {
    references: sum(counts, ({ references }) => references),
    visible: sum(counts, ({ visible }) => visible),
    reachable: sum(counts, ({ reachable }) => reachable),
  };
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

function share(part: number, whole: number): number | undefined {
  return whole > 0 ? part / whole : undefined;
}
