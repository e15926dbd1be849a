/**
 * Chooses the weights of the ranking without the repository that they are measured on: for each repository, the set
 * that covers most on all others.
 */
import type { RankWeights } from "palimpsest/internal";
import { addCoverage, NO_COVERAGE, type RestoreCoverage } from "./restore-coverage.ts";

/** The weights that are chosen from: each part of the evidence with and without, and three ages. */
export function weightChoices(): readonly RankWeights[] {
  return [30, 60, 120].flatMap((recencyCalls) =>
    [0, 1].flatMap((namedWeight) =>
      [1, 2].flatMap((namedNextFactor) =>
        [1, 2].flatMap((latestTurnFactor) =>
          [1, 4].flatMap((failureFactor) =>
            [1, 2].map((folderFactor) => ({
              ...{ recencyCalls, namedWeight, namedNextFactor },
              ...{ latestTurnFactor, failureFactor, folderFactor },
            })),
          ),
        ),
      ),
    ),
  );
}

/** Coverage by repository. */
type CoverageByRepository = ReadonlyMap<string, RestoreCoverage>;

/** Returns what the weights cover that are chosen, for each repository, on the others. */
export function coverLeftOut<Choice>(
  choices: readonly { readonly choice: Choice; readonly covered: CoverageByRepository }[],
): { readonly covered: RestoreCoverage; readonly chosen: ReadonlyMap<string, Choice> } {
  const repositories = [...choices[0]!.covered.keys()];
  let covered = NO_COVERAGE;
  const chosen = new Map<string, Choice>();
  for (const left of repositories) {
    const others = repositories.filter((repository) => repository !== left);
    const coverageOf = ({ covered: by }: { readonly covered: CoverageByRepository }): number =>
      shareSum(others.map((repository) => by.get(repository)!).reduce(addCoverage, NO_COVERAGE));
    const best = choices.reduce((one, other) => (coverageOf(other) > coverageOf(one) ? other : one));
    chosen.set(left, best.choice);
    covered = addCoverage(covered, best.covered.get(left)!);
  }
  return { covered, chosen };
}

/** Files and tokens count the same. */
function shareSum({ coveredFiles, neededFiles, coveredTokens, neededTokens }: RestoreCoverage): number {
  return coveredFiles / Math.max(1, neededFiles) + coveredTokens / Math.max(1, neededTokens);
}
