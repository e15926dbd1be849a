/**
 * Measures a rule that restores files after a compaction: of the files that recorded agents read again after their
 * compactions, the share that the rule would have restored.
 *
 * A file is covered if the rule restores it; its tokens are covered as far as the restored text contains the
 * lines that were read again. Content is taken from the log, so a file that changed on the disk meanwhile
 * counts with its old lines.
 */

import type { FileBudget } from "palimpsest/compaction";
import type { RankWeights } from "palimpsest/internal";
import {
  asCandidate,
  planFiles,
  type RankedCandidate,
  rankCandidates,
  restoredFileText,
} from "palimpsest/internal";
import { estimateBlock, estimateText } from "palimpsest/tokens";
import { comparableLines, type NeededFile, type RecordedBoundary } from "./restore-boundaries.ts";

/** Ranks the files to restore at a boundary, best first. */
type RestoreRule = (boundary: RecordedBoundary) => readonly RankedCandidate[];

/** The coverage of a rule over all boundaries together. */
export interface RestoreCoverage {
  readonly boundaries: number;
  /** Files that were read again, and how many of them were put back. */
  readonly neededFiles: number;
  readonly coveredFiles: number;
  readonly neededTokens: number;
  readonly coveredTokens: number;
  /** Files put back, and tokens spent on them. */
  readonly restoredFiles: number;
  readonly spentTokens: number;
  /** The most that was spent at one boundary. */
  readonly mostSpentTokens: number;
}

/** The library's rule, optionally with other weights. */
export function evidenceRule(weights?: RankWeights): RestoreRule {
  return (boundary) => candidatesOf(boundary, weights);
}

/** The classic rule: the files that were read or changed last. */
export const lastTouchedRule: RestoreRule = (boundary) =>
  candidatesOf(boundary).toSorted((one, other) => other.uses.at(-1)!.seq - one.uses.at(-1)!.seq);

/** Another simple rule: the files that were used most often. */
export const mostTouchedRule: RestoreRule = (boundary) =>
  candidatesOf(boundary).toSorted((one, other) => other.uses.length - one.uses.length);

/** The optimum with hindsight: the files that will be read again. */
export const hindsightRule: RestoreRule = (boundary) => {
  const tokens = new Map(boundary.needed.map((file) => [file.path, file.tokens]));
  const of = ({ path }: RankedCandidate): number => tokens.get(path) ?? 0;
  return candidatesOf(boundary).toSorted((one, other) => of(other) - of(one));
};

function candidatesOf(boundary: RecordedBoundary, weights?: RankWeights): readonly RankedCandidate[] {
  return rankCandidates({ ...boundary, tail: [], summaryTexts: [boundary.summary] }, weights);
}

/** Measures the coverage of a rule. */
export function coverRestorations(
  boundaries: readonly RecordedBoundary[],
  rule: RestoreRule,
  budget: FileBudget,
): RestoreCoverage {
  const total = {
    neededFiles: 0,
    coveredFiles: 0,
    neededTokens: 0,
    coveredTokens: 0,
    restoredFiles: 0,
    spentTokens: 0,
    mostSpentTokens: 0,
  };
  for (const boundary of boundaries) {
    const { files } = planFiles(rule(boundary).map(asCandidate), budget, estimateBlock);
    const restored = new Map(files.map(({ path, text }) => [path, text]));
    const spent = files.reduce((sum, file) => sum + estimateText(restoredFileText(file)), 0);
    total.restoredFiles += files.length;
    total.spentTokens += spent;
    total.mostSpentTokens = Math.max(total.mostSpentTokens, spent);
    for (const file of boundary.needed) {
      const text = restored.get(file.path);
      total.neededFiles++;
      total.neededTokens += file.tokens;
      if (text === undefined) continue;
      total.coveredFiles++;
      total.coveredTokens += file.tokens * coveredShare(file, text);
    }
  }
  return { boundaries: boundaries.length, ...total };
}

/** The share of the characters read again that lie in restored lines. */
function coveredShare({ lines }: NeededFile, restored: string): number {
  const known = new Set(comparableLines(restored));
  const size = (some: readonly string[]): number => some.reduce((sum, { length }) => sum + length, 0);
  const all = size(lines);
  return all === 0 ? 0 : size(lines.filter((line) => known.has(line))) / all;
}
