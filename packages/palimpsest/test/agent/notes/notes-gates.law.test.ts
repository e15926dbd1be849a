/**
 * Random sessions that keep notes: updates begin exactly where gates and cap say, one at a time, whatever the model
 * makes of them, and what they leave is within its limits.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { madeUpAgent } from "#test/helpers/made-up-agent.ts";
import { type NotedOptions, playNoted, tooMuch, usualPatches } from "#test/helpers/noted-session.ts";
import { bySize, isLong } from "../../../../../test/helpers/size-of-run.ts";
import { begunUpdates, notesFaults, reckonNotes, type UpdateRules } from "./expected-notes.ts";

const RUNS = bySize({ usual: 4, long: 20, soak: 240 });

const anyAnswer = fc.record({
  textTokens: fc.integer({ min: 1, max: 400 }),
  resultTokens: fc.array(fc.integer({ min: 1, max: 1_500 }), { maxLength: 3 }),
});

const anyRules: fc.Arbitrary<UpdateRules> = fc.record({
  windowTokens: fc.constantFrom(32_000, 64_000, 200_000),
  isGated: fc.boolean(),
  cap: fc.constantFrom(0.05, 0.15, 0.3, undefined),
  updater: fc.constantFrom("forked", "cold", "extractive"),
  // Sessions this short are near a compaction only where much of the window counts as near.
  leastKeptTokens: fc.constantFrom(undefined, 130_000, 145_000),
});

const anySession = fc.record({
  rules: anyRules,
  answers: fc.array(anyAnswer, { minLength: 5, maxLength: 24 }),
  /** The model binds its thinking to what it saw, or does not. */
  model: fc.constantFrom("claude-opus-4-6", "claude-opus-5-5"),
  replies: fc.array(fc.constantFrom("usual", "usual", "usual", "too-much", "nothing", "broken", "refused"), {
    minLength: 1,
  }),
  takes: fc.array(fc.nat(4), { minLength: 1, maxLength: 5 }),
  withheld: fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }),
});

const at = <Item>(items: readonly Item[], index: number): Item => items[index % items.length]!;

type Drawn = typeof anySession extends fc.Arbitrary<infer Value> ? Value : never;

function optionsOf({ rules, model, replies, takes, withheld }: Drawn): NotedOptions {
  const { windowTokens, updater, isGated, cap, leastKeptTokens } = rules;
  const message = {
    usual: usualPatches,
    "too-much": tooMuch,
    nothing: () => "There is nothing to say.",
    broken: () => new TypeError("fetch failed"),
    refused: () => new Error("prompt is too long: 300000 tokens > 200000 maximum"),
  };
  return {
    windowTokens,
    model,
    notes: { updater, isGated, costShareCap: cap ?? "off" },
    ...(leastKeptTokens && { window: { limits: { leastKeptTokens, mostKeptTokens: leastKeptTokens } } }),
    update: (index) => message[at(replies, index)](index),
    updateTakes: (index) => at(takes, index),
    withholdsUsage: (index) => at(withheld, index),
  };
}

/** Looked at in every run: five updates begin, and three that find nothing to change are not failures. */
const UNGATED: Drawn = {
  rules: { windowTokens: 32_000, isGated: false, cap: undefined, updater: "forked" },
  answers: Array.from({ length: 5 }, () => ({ textTokens: 1, resultTokens: [] })),
  model: "claude-opus-4-6",
  replies: ["usual", "nothing", "nothing", "nothing", "usual"],
  takes: [0],
  withheld: [false],
};

/** Looked at in every run: updates that wait until the window holds 8,000 tokens. */
const NEAR: Drawn = {
  rules: { windowTokens: 200_000, isGated: true, cap: 0.3, updater: "forked", leastKeptTokens: 145_000 },
  answers: Array.from({ length: 20 }, () => ({ textTokens: 200, resultTokens: [900] })),
  model: "claude-opus-4-6",
  replies: ["usual"],
  takes: [0],
  withheld: [false],
};

describe("updates of notes in random sessions", () => {
  it("begin where gates and cap say, and leave notes within their limits", async () => {
    let updates = 0;
    await fc.assert(
      fc.asyncProperty(anySession, async (drawn) => {
        const noted = await playNoted(madeUpAgent(drawn.answers), optionsOf(drawn));
        const begun = begunUpdates(noted.journal);
        expect(begun).toEqual(
          reckonNotes(noted.journal, noted.entries, { ...drawn.rules, model: drawn.model }).due,
        );
        for (const text of noted.notesTexts) expect(notesFaults(text, drawn.rules.windowTokens)).toEqual([]);
        updates += begun.length;
      }),
      { numRuns: RUNS, examples: [[UNGATED], [NEAR]] },
    );
    // A few sessions may all be too short for updates; many hold several each.
    expect(updates).toBeGreaterThanOrEqual(isLong ? RUNS : 5);
  });
});
