/**
 * Savings of the default policy, as the README states them: on the long recorded sessions of Claude Code
 * and Codex, beside a re-implementation of Claude Code's full compaction, in both classes of edit
 * safety. Every bound here can fail; `npm run bench:policies` prints the whole table.
 */

import type { Trajectory } from "palimpsest-testing/internal";
import { trajectoryOf } from "palimpsest-testing/internal";
import { describe, expect, it } from "vitest";
import { BASELINES } from "#evaluation/baselines/baselines.ts";
import { compareRuns, type MeasuredRun, summarizeRuns } from "#evaluation/simulator/compare.ts";
import type { PolicyUnderTest } from "#evaluation/simulator/contestant.ts";
import { OWN_POLICIES } from "#evaluation/simulator/own-policies.ts";
import { simulate } from "#evaluation/simulator/simulate.ts";
import { TARIFFS } from "#palimpsest/tokens/price/tariff.ts";
import { mainModel } from "#palimpsest-cli/replay/measure/source-figures.ts";
import { recordedSessions } from "../evaluation/recorded-sessions.ts";
import { hasCorpus } from "../helpers/corpus.ts";
import { isLong } from "../helpers/size-of-run.ts";

const tariff = TARIFFS["anthropic-5m"];
const policyOf = (id: string): PolicyUnderTest =>
  [...BASELINES, ...OWN_POLICIES].find((one) => one.id === id)!;

/**
 * The most that ours may cost of theirs, and the most that lines of edits may be less visible than under theirs: five
 * points where that floor is held. `fixedTokens` is the prompt to assume, the recorded one where it is left out.
 */
const BOUNDS = [
  { format: "claude-code", windowTokens: 200_000, fixedTokens: undefined, costRatio: 0.96, lostLines: 0.05 },
  { format: "claude-code", windowTokens: 64_000, fixedTokens: 4_000, costRatio: 1, lostLines: 0.05 },
  { format: "claude-code", windowTokens: 32_000, fixedTokens: 4_000, costRatio: 0.86, lostLines: 0.08 },
  // Codex was held out. The files and the words that summaries show cost two points at 200K and three to seven below.
  { format: "codex", windowTokens: 200_000, fixedTokens: undefined, costRatio: 1.05, lostLines: 0.38 },
  { format: "codex", windowTokens: 64_000, fixedTokens: 4_000, costRatio: 0.94, lostLines: 0.05 },
  { format: "codex", windowTokens: 32_000, fixedTokens: 4_000, costRatio: 0.88, lostLines: 0.1 },
] as const;

/** Costs in an endless window, which are the same for every policy. */
const uncompacted = new Map<Trajectory, number>();

function uncompactedCostOf(trajectory: Trajectory): number {
  const setting = { tariff, longTariff: TARIFFS["anthropic-1h"], windowTokens: Number.POSITIVE_INFINITY };
  const cost = uncompacted.get(trajectory) ?? simulate(policyOf("none"), { ...setting, trajectory }).cost;
  uncompacted.set(trajectory, cost);
  return cost;
}

function measure(policy: PolicyUnderTest, trajectories: readonly Trajectory[], windowTokens: number) {
  return trajectories.map((trajectory): MeasuredRun => {
    const setting = { trajectory, windowTokens, tariff, longTariff: TARIFFS["anthropic-1h"] };
    return {
      session: trajectory.name,
      uncompactedCost: uncompactedCostOf(trajectory),
      plain: simulate(policy, setting),
      charged: simulate(policy, setting, { chargesLookups: true }),
    };
  });
}

describe.skipIf(!hasCorpus || !isLong)(
  "what the default policy saves (in the long suite, with the corpus)",
  async () => {
    const sessions = hasCorpus && isLong ? await recordedSessions() : [];

    describe.each(BOUNDS)("$format in a window of $windowTokens", (bound) => {
      const trajectories = sessions
        .filter(({ session }) => session.format === bound.format)
        .map(({ name, session }) => {
          const trajectory = trajectoryOf(session, { name, model: mainModel(session) });
          return { ...trajectory, fixedTokens: bound.fixedTokens ?? trajectory.fixedTokens };
        });
      const theirs = measure(policyOf("claude-code"), trajectories, bound.windowTokens);

      it.each(["permissive", "strict"])("costs less at no lower recall, %s", (editSafety) => {
        const ours = measure(policyOf(`balanced/${editSafety}`), trajectories, bound.windowTokens);
        const { costRatio, measures } = compareRuns(ours, theirs);
        expect(costRatio).toBeLessThanOrEqual(bound.costRatio);
        const { names, lines, words } = measures;
        expect(names.own! - names.other!).toBeGreaterThanOrEqual(0);
        expect(names.p10).toBeGreaterThanOrEqual(-0.05);
        expect(words.own! - words.other!).toBeGreaterThanOrEqual(-0.05);
        expect(lines.own! - lines.other!).toBeGreaterThanOrEqual(-bound.lostLines);
        expect(summarizeRuns(ours)).toMatchObject({ failures: 0 });
        // The list of strings gave way to files in small windows: a search finds half a point of the names less, and the
        // worst tenth keeps 35 points more of its lines (where-the-numbers-come-from.md, "What the default saves").
        expect(summarizeRuns(ours).farReach).toBeGreaterThanOrEqual(0.99);
      });
    });
  },
);
