/**
 * Measures a rule that restores files after a compaction: of the files that recorded agents read again after their
 * compactions, the share that the rule would have restored.
 *
 * A file is covered if the rule restores it; its tokens are covered as far as the restored text contains the
 * lines that were read again. Content is taken from the whole log, so a file that changed on the disk meanwhile counts
 * with its old lines; or from the disk as far as the recording shows it, for a host that reads files again.
 */

import type { FileBudget } from "palimpsest/compaction";
import type { RankWeights } from "palimpsest/internal";
import {
  type FileCandidate,
  planFiles,
  type RankedCandidate,
  rankCandidates,
  restoredFileText,
  withLogged,
} from "palimpsest/internal";
import { estimateBlock, estimateText } from "palimpsest/tokens";
import { recordedDisk } from "./recorded-disk.ts";
import { comparableLines, type NeededFile, type RecordedBoundary } from "./restore-boundaries.ts";

/** Ranks the files to restore at a boundary, best first. */
type RestoreRule = (boundary: RecordedBoundary) => readonly RankedCandidate[];

/** The source of the content of restored files. */
type ContentSource = "log" | "disk";

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

/** The coverage of nothing. */
export const NO_COVERAGE: RestoreCoverage = {
  boundaries: 0,
  neededFiles: 0,
  coveredFiles: 0,
  neededTokens: 0,
  coveredTokens: 0,
  restoredFiles: 0,
  spentTokens: 0,
  mostSpentTokens: 0,
};

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
  return rankCandidates(sourceOf(boundary), weights);
}

function sourceOf(boundary: RecordedBoundary) {
  return { ...boundary, tail: [], summaryTexts: [boundary.summary] };
}

/** Measures the coverage of a rule. */
export function coverRestorations(
  boundaries: readonly RecordedBoundary[],
  rule: RestoreRule,
  budget: FileBudget,
  content: ContentSource = "log",
): RestoreCoverage {
  return boundaries
    .map((boundary) => coverRestoration(boundary, rule, budget, content))
    .reduce(addCoverage, NO_COVERAGE);
}

export function addCoverage(one: RestoreCoverage, other: RestoreCoverage): RestoreCoverage {
  const sum = Object.fromEntries(
    Object.entries(one).map(([name, value]) => [name, value + other[name as keyof RestoreCoverage]]),
  ) as unknown as RestoreCoverage;
  return { ...sum, mostSpentTokens: Math.max(one.mostSpentTokens, other.mostSpentTokens) };
}

function coverRestoration(
  boundary: RecordedBoundary,
  rule: RestoreRule,
  budget: FileBudget,
  content: ContentSource,
): RestoreCoverage {
  const ranked = rule(boundary);
  const candidates = contentsOf(boundary, content);
  const { files } = planFiles(
    ranked.map(({ path }) => candidates.get(path)!),
    budget,
    estimateBlock,
  );
  const restored = new Map(files.map(({ path, text }) => [path, new Set(comparableLines(text))]));
  const spent = files.reduce((sum, file) => sum + estimateText(restoredFileText(file)), 0);
  return {
    boundaries: 1,
    neededFiles: boundary.needed.length,
    coveredFiles: boundary.needed.filter(({ path }) => restored.has(path)).length,
    neededTokens: boundary.needed.reduce((sum, { tokens }) => sum + tokens, 0),
    coveredTokens: boundary.needed.reduce((sum, file) => sum + coveredTokens(file, restored), 0),
    restoredFiles: files.length,
    spentTokens: spent,
    mostSpentTokens: spent,
  };
}

/** The tokens read again whose characters lie in restored lines; of a result with several files, lines of any of them. */
function coveredTokens({ reads }: NeededFile, restored: ReadonlyMap<string, ReadonlySet<string>>): number {
  const size = (some: readonly string[]): number => some.reduce((sum, { length }) => sum + length, 0);
  return reads.reduce((sum, { tokens, lines, paths }) => {
    const known = lines.filter((line) => paths.some((path) => restored.get(path)?.has(line) === true));
    const all = size(lines);
    return sum + (all === 0 ? 0 : (tokens * size(known)) / all);
  }, 0);
}

/** Contents by path, kept: they are the same under every rule. */
const CONTENTS = new WeakMap<RecordedBoundary, Map<ContentSource, ReadonlyMap<string, FileCandidate>>>();

function contentsOf(boundary: RecordedBoundary, content: ContentSource): ReadonlyMap<string, FileCandidate> {
  const kept = CONTENTS.get(boundary) ?? new Map<ContentSource, ReadonlyMap<string, FileCandidate>>();
  CONTENTS.set(boundary, kept);
  const known = kept.get(content);
  if (known !== undefined) return known;
  const blocks = new Map(boundary.earlier.map((message) => [message.seq, message.blocks]));
  const logged = withLogged(candidatesOf(boundary), sourceOf(boundary), (seq) =>
    blocks.get(seq)?.map(({ block }) => block),
  );
  const candidates = logged.map((candidate) => {
    if (content === "log") return candidate;
    const after = boundary.usesAfter.filter(({ path }) => path === candidate.path);
    const current = recordedDisk(candidate.logged, after);
    return current.parts.length === 0 ? candidate : { ...candidate, current };
  });
  const found = new Map(candidates.map((candidate) => [candidate.path, candidate]));
  kept.set(content, found);
  return found;
}
