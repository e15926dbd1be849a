/**
 * Notes of recorded sessions that are lived again with the real engine: updated exactly where gates and cap say,
 * within their share of the bill, and never longer than they may be.
 */
import { describe, expect, it } from "vitest";
import {
  begunUpdates,
  notesFaults,
  reckonNotes,
  type UpdateRules,
} from "#test/agent/notes/expected-notes.ts";
import { playNoted, tooMuch, usualPatches } from "#test/helpers/noted-session.ts";
import { corpusFiles, hasCorpus } from "../../../../test/helpers/corpus.ts";
import { recordedAgent } from "../../../../test/helpers/recorded-agent.ts";
import { bySize, isLong } from "../../../../test/helpers/size-of-run.ts";

interface Run extends UpdateRules {
  readonly id: string;
  readonly writes: "as usual" | "too much";
}

/** A cap of a twentieth lets no update through in a session this short. */
const SHORT_RUNS: readonly Run[] = (
  [
    { windowTokens: 200_000, updater: "forked", isGated: true, cap: 0.2 },
    { windowTokens: 64_000, updater: "forked", isGated: false, cap: 0.2, writes: "too much" },
    { windowTokens: 64_000, updater: "extractive", isGated: true, cap: 0.05 },
    { windowTokens: 32_000, updater: "forked", isGated: true, cap: undefined, writes: "too much" },
    { windowTokens: 32_000, updater: "cold", isGated: false, cap: 0.2 },
  ] as const
).map((run) => ({ id: "cc-entire-unpaired", writes: "as usual", ...run }));

/** All settings in a soak; in the long run every eleventh, which has each value of each of them. */
const LONG_RUNS: readonly Run[] = ["cc-entire-microcompact", "cc-entire-3compact", "cc-skills-400k"].flatMap(
  (id) =>
    [200_000, 64_000, 32_000].flatMap((windowTokens) =>
      (["forked", "cold", "extractive"] as const).flatMap((updater) =>
        [0.05, undefined].flatMap((cap) =>
          [true, false].map((isGated): Run => {
            const writes = isGated ? "as usual" : "too much";
            return { id, windowTokens, updater, cap, isGated, writes };
          }),
        ),
      ),
    ),
);

describe.skipIf(!hasCorpus)("notes of a recorded session (skipped without the corpus)", () => {
  it.each(
    bySize({ usual: SHORT_RUNS, long: LONG_RUNS.filter((_, index) => index % 11 === 0), soak: LONG_RUNS }),
  )("are updated where gates and cap say: $id at $windowTokens, $updater, gates $isGated, cap $cap, $writes", async ({
    id,
    writes,
    ...rules
  }) => {
    const { windowTokens, updater, isGated, cap } = rules;
    const { path } = corpusFiles("claude-code").find((file) => file.id === id)!;
    const noted = await playNoted(await recordedAgent([path]), {
      windowTokens,
      notes: { updater, isGated, costShareCap: cap ?? "off" },
      update: writes === "too much" ? tooMuch : usualPatches,
    });
    const begun = begunUpdates(noted.journal);
    const reckoned = reckonNotes(noted.journal, noted.entries, rules);
    expect(begun).toEqual(reckoned.due);
    expect(noted.notesTexts.flatMap((text) => notesFaults(text, windowTokens))).toEqual([]);
    if (updater !== "cold" || cap === undefined) expect(begun.length).toBeGreaterThan(0);
    // What an update costs is known only when it was made: an estimate may be off by a little.
    if (cap !== undefined && writes === "as usual")
      expect(reckoned.notesCost).toBeLessThanOrEqual(reckoned.sessionCost * cap * 1.02);
    if (isLong)
      process.stdout.write(
        `${id} at ${windowTokens}, ${updater}, gates ${isGated}, cap ${cap}: ${begun.length} updates, ${((100 * reckoned.notesCost) / reckoned.sessionCost).toFixed(1)} % of the cost, ${noted.journal.filter(({ type }) => type === "window-full").length} compactions\n`,
      );
  });
});
