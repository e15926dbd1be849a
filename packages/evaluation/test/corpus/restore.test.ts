/**
 * The coverage of a restoration at the recorded compactions: files that agents knew and read again in their
 * next calls. The bounds are those that the rule is held to; `npm run bench:restore` prints the table.
 */

import { importFile } from "palimpsest/formats";
import { describe, expect, it } from "vitest";
import { recordedBoundaries } from "#restoration/restore-boundaries.ts";
import {
  coverRestorations,
  evidenceRule,
  hindsightRule,
  lastTouchedRule,
  type RestoreCoverage,
} from "#restoration/restore-coverage.ts";
import { hasCorpus, recordedFiles } from "../../../../test/helpers/corpus.ts";
import { isLong } from "../../../../test/helpers/size-of-run.ts";

const OURS = { filesCount: 20, fileTokens: 15_000, filesTokens: 24_000 };
const CLASSIC = { filesCount: 5, fileTokens: 5_000, filesTokens: 50_000 };

async function boundaries() {
  const files = recordedFiles().filter(({ path }) => /claude-code|codex|\/pi\//.test(path));
  const imported = await Promise.all(files.map(({ path }) => importFile(path)));
  return imported.flatMap(({ sessions }, index) =>
    sessions.flatMap((session) => recordedBoundaries(session, files[index]!.id)),
  );
}

const share = ({ coveredFiles, neededFiles, coveredTokens, neededTokens }: RestoreCoverage) => ({
  files: coveredFiles / neededFiles,
  tokens: coveredTokens / neededTokens,
});

describe.runIf(hasCorpus && isLong)(
  "restoration at recorded compactions (with the corpus, in the long run)",
  () => {
    it("covers what agents read again as far as it is held to, and spends its budget", async () => {
      const recorded = await boundaries();
      expect(recorded).toHaveLength(43);
      expect(recorded.reduce((sum, { needed }) => sum + needed.length, 0)).toBe(121);

      const log = coverRestorations(recorded, evidenceRule(), OURS);
      expect(share(log).files).toBeGreaterThanOrEqual(0.8);
      expect(share(log).tokens).toBeGreaterThanOrEqual(0.58);
      expect(log.mostSpentTokens).toBeLessThanOrEqual(24_000);
      expect(log.spentTokens / log.boundaries).toBeGreaterThan(21_000);

      const disk = coverRestorations(recorded, evidenceRule(), OURS, "disk");
      expect(share(disk).files).toBeGreaterThanOrEqual(0.65);
      expect(share(disk).tokens).toBeGreaterThanOrEqual(0.65);
      expect(disk.mostSpentTokens).toBeLessThanOrEqual(24_000);

      const two = coverRestorations(recorded, evidenceRule(), { ...OURS, filesCount: 2 });
      expect(share(two).files).toBeGreaterThanOrEqual(0.33);

      expect(share(coverRestorations(recorded, lastTouchedRule, OURS)).tokens).toBeLessThan(
        share(log).tokens,
      );
      const classic = share(coverRestorations(recorded, lastTouchedRule, CLASSIC));
      expect(classic.files).toBeLessThan(share(log).files);
      expect(classic.tokens).toBeLessThan(share(log).tokens);
      // No rule covers more than hindsight would: a rule that did would have looked ahead.
      expect(share(coverRestorations(recorded, hindsightRule, OURS)).files).toBeGreaterThan(share(log).files);
    });
  },
);
