/**
 * The anchored size of the context of every recorded Codex and Copilot session: what the provider reported
 * last and what came since, against what it reported next.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { ImportedMessage } from "palimpsest/formats";
import { importFile } from "palimpsest/formats";
import { promptTokens } from "palimpsest/transcript";
import { describe, expect, it } from "vitest";
import { RecordedUsage } from "#replay/measure/billed-usage.ts";
import { planReplay } from "#replay/measure/replay-plan.ts";
import { mainModel } from "#replay/measure/source-figures.ts";
import { corpusFolder, hasCorpus } from "../../../../test/helpers/corpus.ts";

const FOLDERS = [
  join(corpusFolder, "trajectories/codex"),
  join(corpusFolder, "trajectories/copilot"),
  join(`${corpusFolder}-2`, "trajectories/codex"),
];

interface Anchored {
  readonly name: string;
  /** Reports of a prompt in the recording. */
  readonly reports: number;
  /** Relative errors of the predictions, without sign. */
  readonly errors: readonly number[];
}

async function measure(): Promise<readonly Anchored[]> {
  const measured: Anchored[] = [];
  for (const folder of FOLDERS.filter((one) => existsSync(one)))
    for (const name of readdirSync(folder).sort())
      for (const session of (await importFile(join(folder, name))).sessions) {
        const usage = new RecordedUsage({ model: mainModel(session) });
        let reports = 0;
        const hasReport = ({ usage: one }: ImportedMessage): boolean =>
          one !== undefined && promptTokens(one) > 0;
        for (const step of planReplay(session.items)) {
          if (step.type === "append") usage.added(step.item);
          else if (step.type === "call") {
            usage.answered(step.answer);
            if (step.answer.some(hasReport)) reports++;
          } else if (step.isBoundary) usage.contextReplaced();
        }
        measured.push({ name: name.replace(/\..*$/, ""), reports, errors: usage.errors });
      }
  return measured;
}

function p95(errors: readonly number[]): number {
  const sorted = [...errors].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))] ?? Number.NaN;
}

const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;

describe.skipIf(!hasCorpus)("the anchored context of recorded sessions (skipped without the corpus)", () => {
  it("is within 1 % at p95 over all sessions of Codex, and within 3 % in each", async () => {
    const measured = await measure();
    const reported = measured.filter(({ reports }) => reports > 0);
    for (const { name, errors } of reported)
      console.log(`${name}: ${errors.length} predictions, p95 ${percent(p95(errors))}`);
    expect(reported.length).toBeGreaterThanOrEqual(5);
    expect(p95(reported.flatMap(({ errors }) => errors))).toBeLessThanOrEqual(0.01);
    expect(reported.filter(({ errors }) => p95(errors) > 0.03).map(({ name }) => name)).toEqual([]);
    // Copilot records what answers cost, and no prompts: there is nothing to hold an anchor against.
    const silent = measured.filter(({ reports }) => reports === 0).map(({ name }) => name);
    expect(silent).toEqual(["copilot-agentv", "copilot-azuredev"]);
  });
});
