import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Memory } from "#memory/files/memory.ts";
import { chooseByRank, rankMemories } from "#memory/recall/recall-plan.ts";
import { aMemory } from "#test/memory/consolidation/a-memory.ts";

const DAY = 86_400_000;
const NOW = 1_000 * DAY;

function ranked(
  memories: readonly (Partial<Memory> & { readonly score: number })[],
  shown: string[] = [],
  tools: string[] = [],
) {
  return rankMemories(
    memories.map(({ score, ...reported }) => ({ memory: aMemory(reported), score })),
    { nowMs: NOW, shown: new Set(shown), recentTools: tools },
  ).map(({ memory }) => memory.path);
}

describe("memories for a message", () => {
  it("come by how well they fit, and by their worth where they fit alike", () => {
    const fresh = { path: "fresh.md", createdAtMs: NOW, score: 10 };
    const old = { path: "old.md", createdAtMs: NOW - 300 * DAY, score: 10 };
    const fits = { path: "fits.md", createdAtMs: NOW - 300 * DAY, score: 25 };
    expect(ranked([old, fresh, fits])).toEqual(["fits.md", "fresh.md", "old.md"]);
  });

  it.each([
    { source: "user", first: "new.md", why: "a user said so" },
    { source: "agent", first: "old.md", why: "a model does not correct a user" },
  ] as const)("about the same matter come by their time where $why", ({ source, first }) => {
    const old = { path: "old.md", body: "We deploy the service on Tuesdays", createdAtMs: NOW - 2 * DAY };
    const fresh = { path: "new.md", body: "We now deploy the service on Thursdays", createdAtMs: NOW };
    const isConfirmed = source === "user";
    expect(
      ranked([
        { ...old, score: 10 },
        { ...fresh, source, isConfirmed, score: 7 },
      ])[0],
    ).toBe(first);
  });

  it("are in the same order whatever order they came in", () => {
    const two = [
      { path: "b.md", score: 1 },
      { path: "a.md", score: 1 },
    ];
    expect(ranked(two)).toEqual(["a.md", "b.md"]);
    expect(ranked(two.toReversed())).toEqual(["a.md", "b.md"]);
  });

  it.each([
    { expected: { isQuarantined: true }, why: "only a tool or the web said so" },
    { expected: { supersededBy: "new.md" }, why: "another one took its place" },
    { expected: { path: "shown.md" }, why: "the model has seen it" },
  ])("leave one out: $why", ({ expected }) => {
    expect(
      ranked(
        [
          { score: 9, ...expected },
          { path: "kept.md", score: 1 },
        ],
        ["shown.md"],
      ),
    ).toEqual(["kept.md"]);
  });

  it.each([
    {
      name: "Using pnpm",
      body: "Run pnpm -r build.",
      tools: ["pnpm"],
      isLeftOut: true,
      why: "how it is used is seen",
    },
    {
      name: "Using pnpm",
      body: "Never run pnpm as root.",
      tools: ["pnpm"],
      isLeftOut: false,
      why: "it warns",
    },
    {
      name: "Using pnpm",
      body: "Run pnpm -r build.",
      tools: ["bash"],
      isLeftOut: false,
      why: "that tool is not in use",
    },
    {
      name: "Batching",
      body: "Call it in a batch.",
      tools: ["bat"],
      isLeftOut: false,
      why: "a part of a word is no name",
    },
    {
      name: "web search tips",
      body: "Quote names.",
      tools: ["web-search"],
      isLeftOut: true,
      why: "signs in a name are blanks",
    },
  ])("about $name with $tools in use: $why", ({ name, body, tools, isLeftOut }) => {
    const paths = ranked([{ name, body, type: "reference", score: 1 }], [], tools);
    expect(paths).toEqual(isLeftOut ? [] : ["a.md"]);
  });
});

describe("what was of use", () => {
  const ranksOf = (old: { days: number; uses: number; score: number }, other: { score: number }) => {
    const createdAtMs = NOW - old.days * DAY;
    const memories = [
      { memory: aMemory({ path: "used.md", createdAtMs }), score: old.score },
      { memory: aMemory({ path: "unused.md", createdAtMs }), score: other.score },
    ];
    const usedCounts = new Map([["used.md", old.uses]]);
    const all = rankMemories(memories, { nowMs: NOW, shown: new Set(), recentTools: [], usedCounts });
    return all.map(({ memory }) => memory.path);
  };

  it.each([
    { uses: 0, score: 9, first: "unused.md", why: "it fits less" },
    { uses: 8, score: 9, first: "used.md", why: "it was of use in eight sessions" },
    { uses: 1_000, score: 8, first: "unused.md", why: "uses are not everything" },
  ])("comes first or not after a month: $first, because $why", ({ uses, score, first }) => {
    expect(ranksOf({ days: 30, uses, score }, { score: 10 })[0]).toBe(first);
  });

  it("never passes one of its age that fits a fifth better, however often it was used", () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 400 }),
        fc.nat({ max: 10_000 }),
        fc.double({ min: 0.01, max: 1_000, noNaN: true }),
        (days, uses, score) => {
          expect(ranksOf({ days, uses, score }, { score: 1.21 * score })[0]).toBe("unused.md");
        },
      ),
    );
  });

  it("gains nothing while it is new: use only makes up for age", () => {
    expect(ranksOf({ days: 0, uses: 1_000, score: 10 }, { score: 10.001 })[0]).toBe("unused.md");
  });
});

describe("choosing without a model", () => {
  it("counts what is a memory's own: that others of its session fit is no reason to show it", () => {
    const all = rankMemories(
      [
        { memory: aMemory({ path: "fits.md" }), score: 10, groupScore: 4 },
        { memory: aMemory({ path: "beside.md" }), score: 5, groupScore: 4 },
        { memory: aMemory({ path: "other.md" }), score: 3 },
      ],
      { nowMs: NOW, shown: new Set(), recentTools: [] },
    );
    expect(all.map(({ memory }) => memory.path)).toEqual(["fits.md", "beside.md", "other.md"]);
    expect(chooseByRank(all, 5).map(({ memory }) => memory.path)).toEqual(["fits.md", "other.md"]);
  });

  it("takes the best, and none that is far behind the first", () => {
    const all = rankMemories(
      [100, 90, 36, 34, 1].map((score, index) => ({ memory: aMemory({ path: `${index}.md` }), score })),
      { nowMs: NOW, shown: new Set(), recentTools: [] },
    );
    expect(chooseByRank(all, 5).map(({ memory }) => memory.path)).toEqual(["0.md", "1.md", "2.md"]);
    expect(chooseByRank(all, 1).map(({ memory }) => memory.path)).toEqual(["0.md"]);
    expect(chooseByRank([], 5)).toEqual([]);
  });

  it("takes what was said later of the subject of a chosen one, however far behind", () => {
    const found = (path: string, at: number, score: number, words: readonly string[], more = {}) => ({
      ...{
        memory: aMemory({ path, createdAtMs: NOW - at * DAY, updatedAtMs: undefined, ...more }),
        score,
        words,
      },
    });
    const fact = found("fact.md", 9, 100, ["deadline", "grant"]);
    const chosenWith = (...others: readonly ReturnType<typeof found>[]) =>
      chooseByRank(rankMemories([fact, ...others], { nowMs: NOW, shown: new Set(), recentTools: [] }), 5).map(
        ({ memory }) => memory.path,
      );
    expect(chosenWith(found("later.md", 2, 20, ["grant"]))).toEqual(["fact.md", "later.md"]);
    // Said before it, of something else, a turn of a conversation, believed less, or of a word that many have.
    expect(chosenWith(found("earlier.md", 20, 20, ["grant"]))).toEqual(["fact.md"]);
    expect(chosenWith(found("else.md", 2, 20, ["tea"]))).toEqual(["fact.md"]);
    expect(chosenWith(found("turn.md", 2, 20, ["grant"], { follows: "fact.md" }))).toEqual(["fact.md"]);
    expect(chosenWith(found("web.md", 2, 20, ["grant"], { source: "web", isConfirmed: false }))).toEqual([
      "fact.md",
    ]);
    // One word of many that a question has with a memory.
    const whole = found("whole.md", 9, 200, ["budget", "office", "paper", "grant"]);
    expect(chosenWith(whole, found("chance.md", 2, 20, ["office"]))).not.toContain("chance.md");
    expect(chosenWith(...[1, 2, 3].map((at) => found(`many-${at}.md`, at, 20, ["grant"])))).toEqual([
      "fact.md",
    ]);
  });
});
