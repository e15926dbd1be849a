/**
 * Which files an agent is most likely to need again after a compaction: ranked by evidence.
 *
 * The measure is how often and how recently it turned to a file. A run of calls on one file is one
 * turning, so that six small edits do not outweigh two visits. It counts more where the new summary
 * names the file (each doubling of the mentions as much as the first), most where it does so under what
 * is pending or next; where the last words or an open failure name it; and where it was used since the
 * user last spoke. Every factor is a doubling or two: there are few recorded compactions to fit any to.
 */
import { RESTORE_DEFAULTS } from "../../base/defaults/compaction/restore.ts";
import { countMentions, sharesName } from "./restore-mentions.ts";
import type { FileUse } from "./restore-uses.ts";

/** The factors; `RESTORE_DEFAULTS` has those in use. */
export interface RankWeights {
  readonly recencyCalls: number;
  readonly editWeight: number;
  readonly namedNextFactor: number;
  readonly namedLastFactor: number;
  readonly failingFactor: number;
  readonly latestTurnFactor: number;
}

/** What is known besides the uses. */
export interface RankEvidence {
  /** What the model is told instead of what is hidden. */
  readonly summary: string;
  /** What the user and the assistant said last, and the open tasks. */
  readonly lastWords: string;
  /** Failed calls that nothing has put right, as lines. */
  readonly failures: string;
  /** The entry in which the user spoke last. */
  readonly lastUserSeq: number;
}

export interface RankedFile {
  readonly path: string;
  readonly score: number;
  /** Whether the summary, the last words or a failure name it. */
  readonly isNamed: boolean;
  /** Oldest first; those that worked. */
  readonly uses: readonly FileUse[];
}

/** All files of `uses`, best first. `callsCount` is the age of the first call. */
export function rankFiles(
  { uses, callsCount }: { readonly uses: readonly FileUse[]; readonly callsCount: number },
  evidence: RankEvidence,
  weights: RankWeights = RESTORE_DEFAULTS,
): readonly RankedFile[] {
  const visits = findVisits(uses.filter(({ hasWorked }) => hasWorked));
  const shared = sharesName([...visits.keys()]);
  const next = nextSteps(evidence.summary);
  return [...visits]
    .map(([path, runs]): RankedFile => {
      const named = (text: string): number => countMentions(text, path, shared.has(path));
      const mentions = named(evidence.summary);
      const isNext = named(next) > 0;
      const isLast = named(evidence.lastWords) > 0;
      const isFailing = named(evidence.failures) > 0;
      const isLatest = runs.at(-1)!.at(-1)!.seq >= evidence.lastUserSeq;
      const score =
        runs.reduce((sum, run) => sum + visitWeight(run, callsCount, weights), 0) *
        (1 + Math.log2(1 + mentions)) *
        (isNext ? weights.namedNextFactor : 1) *
        (isLast ? weights.namedLastFactor : 1) *
        (isFailing ? weights.failingFactor : 1) *
        (isLatest ? weights.latestTurnFactor : 1);
      return { path, score, isNamed: mentions > 0 || isLast || isFailing, uses: runs.flat() };
    })
    .filter(({ uses: own }) => own.at(-1)!.how !== "deleted")
    .sort((one, other) => other.score - one.score);
}

/** Uses by file, in runs that no use of another file interrupts. */
function findVisits(uses: readonly FileUse[]): ReadonlyMap<string, readonly (readonly FileUse[])[]> {
  const visits = new Map<string, FileUse[][]>();
  let last: string | undefined;
  for (const use of uses) {
    const runs = visits.get(use.path) ?? [];
    visits.set(use.path, runs);
    if (last === use.path) runs.at(-1)!.push(use);
    else runs.push([use]);
    last = use.path;
  }
  return visits;
}

function visitWeight(run: readonly FileUse[], callsCount: number, weights: RankWeights): number {
  const of = ({ how, call }: FileUse): number =>
    (how === "read" ? 1 : weights.editWeight) * Math.exp((call - callsCount) / weights.recencyCalls);
  return Math.max(...run.map(of));
}

/** Headings of the sections on what is not finished, in any style of heading. */
const PENDING_HEADING = /(?:^|\n)[^\w\n]{0,12}(?:7\.\W{0,4})?Pending Tasks?\b/i;

/** The part of a summary that says what is left to do and what comes next. */
function nextSteps(summary: string): string {
  const start = PENDING_HEADING.exec(summary)?.index;
  if (start !== undefined) return summary.slice(start);
  return summary.slice(Math.floor(summary.length * (1 - RESTORE_DEFAULTS.summaryEndShare)));
}
