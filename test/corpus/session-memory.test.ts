/**
 * Session notes on long recorded sessions: updated exactly where gates and cap say, within their share of
 * the bill, and enough by themselves to take a session of more than 500,000 tokens through small windows.
 * `npm run bench:notes` prints what they cost and keep.
 */

import type { Trajectory } from "palimpsest-testing/internal";
import { trajectoryOf } from "palimpsest-testing/internal";
import { describe, expect, it } from "vitest";
import { managedPolicy } from "#evaluation/simulator/managed-window.ts";
import { SUMMARY_VARIANTS, variantPolicy } from "#evaluation/simulator/own-policies.ts";
import { simulate } from "#evaluation/simulator/simulate.ts";
import type { JudgedAnswer } from "#evaluation/simulator/simulated-notes.ts";
import type { SummaryMoment } from "#evaluation/simulator/simulated-summaries.ts";
import { fingerprint } from "#palimpsest/base/fingerprint.ts";
import { costPolicy } from "#palimpsest/compaction/planner/cost-policy.ts";
import type { ImportedSession } from "#palimpsest/importers/registry.ts";
import type { ImportedMessage } from "#palimpsest/importers/shared/imported-session.ts";
import { importFile } from "#palimpsest/runtime/input-files/input-file.ts";
import { planBudget } from "#palimpsest/tokens/budget/budget.ts";
import { TARIFFS } from "#palimpsest/tokens/price/tariff.ts";
import type { ContentBlock } from "#palimpsest/transcript/blocks.ts";
import type { Entry } from "#palimpsest/transcript/entries.ts";
import { Projection } from "#palimpsest/transcript/projection.ts";
import { planRepair } from "#palimpsest/transcript/repair.ts";
import { assembleRequest } from "#palimpsest/transcript/request.ts";
import { toAnthropic } from "#palimpsest/wire/anthropic/to-anthropic.ts";
import { mainModel } from "#palimpsest-cli/replay/measure/source-figures.ts";
import { judgeAnthropicRequest } from "#palimpsest-testing/wire-oracle/wire-oracle.ts";
import { recordedSessions } from "../evaluation/recorded-sessions.ts";
import { corpusFiles, hasCorpus } from "../helpers/corpus.ts";
import { expectedUpdates, GATES, madeUpdates, SWITCHES } from "../helpers/expected-updates.ts";
import { bySize, isLong, usualFew } from "../helpers/size-of-run.ts";

const tariff = TARIFFS["anthropic-5m"];

/** One in the default suite; every long session in the long one. */
const SHORTER = ["cc-entire-64d"];

async function sessionsOf(
  ids: readonly string[],
): Promise<readonly { name: string; session: ImportedSession }[]> {
  const files = corpusFiles("claude-code");
  const found = ids.flatMap((id) => files.filter((file) => file.id === id));
  return Promise.all(
    found.map(async ({ id, path }) => ({
      name: id,
      session: (await importFile(path)).sessions[0]!,
    })),
  );
}

const inWindow = (trajectory: Trajectory, windowTokens: number): Trajectory =>
  windowTokens === 200_000 ? trajectory : { ...trajectory, fixedTokens: 4_000 };

describe.skipIf(!hasCorpus)("notes of recorded sessions (with the corpus)", async () => {
  const recorded = !hasCorpus ? [] : isLong ? await recordedSessions() : await sessionsOf(SHORTER);
  const trajectories = recorded.map(({ name, session }) =>
    trajectoryOf(session, { name, model: mainModel(session) }),
  );
  const windows = isLong ? [200_000, 64_000, 32_000] : [64_000];

  // By default each switch is on once and off once, with one session.
  // A long run tries every third setting, which has each window and each switch, each with another third of the sessions;
  // a soak all settings with all sessions.
  const every = bySize({ usual: 1, long: 3, soak: 1 });
  it.each(
    windows
      .flatMap((windowTokens) => usualFew(SWITCHES, 3).map((on) => ({ windowTokens, ...on })))
      .filter((_, index) => index % every === 0)
      .map((setting, index) => ({ ...setting, third: index % every })),
  )("are updated where gates and cap say: window $windowTokens, gates $isGated, cap $cap", ({
    windowTokens,
    isGated,
    cap,
    third,
  }) => {
    let updatesCount = 0;
    for (const recording of trajectories.filter((_, place) => place % every === third)) {
      const trajectory = inWindow(recording, windowTokens);
      const tally = { answers: [] as JudgedAnswer[], summaries: [] as SummaryMoment[] };
      const notes = { updater: "model", isGated, costShareCap: cap ?? "off" } as const;
      const how = { policy: costPolicy("balanced")!, editSafety: "strict" } as const;
      const policy = variantPolicy({ id: "notes", notes, asksModel: true }, how, tally);
      // Searching for what is missing takes most of the time, and says nothing of notes.
      const { cost } = simulate({ ...policy, hasSearch: false }, { trajectory, windowTokens, tariff });

      const gate = { ...GATES[windowTokens]!, isGated, cap };
      updatesCount += madeUpdates(tally.answers).length;
      expect(madeUpdates(tally.answers), recording.name).toEqual(
        expectedUpdates(trajectory, tally.answers, gate),
      );
      const last = tally.answers.at(-1)!;
      expect(last.state.sessionCost + (last.cost ?? 0)).toBeCloseTo(cost, 3);
      const notesCost = tally.answers.reduce((sum, answer) => sum + (answer.cost ?? 0), 0);
      // What an update was expected to cost is what was billed; together they stay within their share.
      for (const { state, cost: billed } of tally.answers)
        if (billed !== undefined) expect(state.updateCost / billed).toBeCloseTo(1, 6);
      if (cap !== undefined) expect(notesCost / cost).toBeLessThanOrEqual(0.05);
    }
    expect(updatesCount).toBeGreaterThan(0);
  });

  it.skipIf(!isLong)("take at most a twentieth of the bill with the default settings, and are used", () => {
    const tallies = trajectories.map((trajectory) => {
      const tally = { answers: [] as JudgedAnswer[], summaries: [] as SummaryMoment[] };
      const variant = SUMMARY_VARIANTS.find(({ id }) => id === "session-memory")!;
      const how = { policy: costPolicy("balanced")!, editSafety: "permissive" } as const;
      const setting = { trajectory, windowTokens: 200_000, tariff };
      const { cost } = simulate(variantPolicy(variant, how, tally), setting, { chargesLookups: true });
      const notesCost = tally.answers.reduce((sum, answer) => sum + (answer.cost ?? 0), 0);
      expect(notesCost / cost, trajectory.name).toBeLessThanOrEqual(0.05);
      return tally;
    });
    const kinds = tallies.flatMap(({ summaries }) => summaries.map(({ kind }) => kind));
    expect(kinds).toContain("session-memory");
  });
});

/** Ids of calls are made different, and everything is one conversation. */
function chained(sessions: readonly ImportedSession[]): ImportedSession {
  const items = sessions.flatMap((session, place) =>
    session.items.flatMap((item): readonly ImportedMessage[] => {
      if (item.type !== "message") return [];
      const { message } = item;
      const renamed = (block: ContentBlock): ContentBlock => {
        if (block.type === "tool_use") return { ...block, id: `f${place}_${block.id}` };
        if (block.type === "tool_result") return { ...block, tool_use_id: `f${place}_${block.tool_use_id}` };
        return block;
      };
      const ids = message.responseId === undefined ? {} : { responseId: `f${place}_${message.responseId}` };
      return [{ ...item, message: { ...message, ...ids, content: message.content.map(renamed) } }];
    }),
  );
  return { ...sessions[0]!, items };
}

/** Recordings of one repository, one after the other, and how often each window is full on the way. */
const CHAIN = ["cc-entire-3compact", "cc-entire-2compact"];
const CHAIN_RUNS = [
  { windowTokens: 200_000, editSafety: "permissive", compactions: 6 },
  { windowTokens: 200_000, editSafety: "strict", compactions: 5 },
  { windowTokens: 64_000, editSafety: "permissive", compactions: 17 },
  { windowTokens: 64_000, editSafety: "strict", compactions: 14 },
] as const;

describe.runIf(hasCorpus && isLong)(
  "a session of more than 500,000 tokens (with the corpus, in the long run)",
  async () => {
    const parts = hasCorpus && isLong ? await sessionsOf(CHAIN) : [];
    const chain = chained(parts.map(({ session }) => session));

    it.each(CHAIN_RUNS)("passes $windowTokens by $compactions session-memory compacts alone, $editSafety", ({
      windowTokens,
      editSafety,
      compactions,
    }) => {
      const recording = trajectoryOf(chain, { name: "chain", model: mainModel(chain) });
      const trajectory = inWindow(recording, windowTokens);
      expect(trajectory.tokens).toBeGreaterThan(500_000);
      const entries: Entry[] = [];
      const sent: number[] = [];
      const summaries: SummaryMoment[] = [];
      const policy = managedPolicy({
        id: "notes",
        name: "notes",
        policy: costPolicy("faithful")!,
        editSafety,
        // Old blocks stay as they are: nothing but the notes makes room.
        disabledLayers: ["offload", "microcompact", "collapse"],
        summaries: {
          notes: { updater: "model", costShareCap: "off" },
          asksModel: false,
          onSummary: (summary) => summaries.push(summary),
        },
        onEntry: (entry, { visible, callSeqs }) => {
          entries.push(entry);
          if (entry.type !== "call") return;
          expect(planRepair(visible, callSeqs)).toBeUndefined();
          const messages = toAnthropic(assembleRequest(visible, callSeqs));
          // The first request after a compaction, and some of the others: the oracle reads all of it.
          if (entries.at(-2)?.type === "edit" || sent.length % bySize({ usual: 20, long: 20, soak: 1 }) === 0)
            expect(judgeAnthropicRequest({ messages })).toEqual([]);
          sent.push(fingerprint(JSON.stringify(messages)));
        },
      });
      const run = simulate({ ...policy, hasSearch: false }, { trajectory, windowTokens, tariff });

      expect(run.requests).toBe(424);
      expect(run.failedAt).toBeUndefined();
      expect(run.peakTokens).toBeLessThan(planBudget({ windowTokens }).blockingTokens);
      const edits = entries.flatMap((entry) => (entry.type === "edit" ? [entry.edit.kind] : []));
      expect(edits).toEqual(Array.from({ length: compactions }, () => "session-memory"));
      expect(summaries.map(({ kind, call }) => `${kind} ${call}`)).toEqual(
        edits.map((kind) => `${kind} none`),
      );
      for (const { afterTokens, notesTargetTokens } of summaries)
        expect(afterTokens).toBeLessThanOrEqual(notesTargetTokens);
      expect(rebuilt(entries)).toEqual(sent);
    });
  },
);

/** The sent requests, rebuilt from the log alone. */
function rebuilt(entries: readonly Entry[]): readonly number[] {
  const projection = new Projection();
  return entries.flatMap((entry) => {
    projection.apply(entry);
    if (entry.type !== "call") return [];
    return [
      fingerprint(JSON.stringify(toAnthropic(assembleRequest(projection.visible, projection.callSeqs)))),
    ];
  });
}
