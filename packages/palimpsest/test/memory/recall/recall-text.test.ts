import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { composeRecall } from "#memory/recall/recall-text.ts";
import { aMemory } from "#test/memory/consolidation/a-memory.ts";
import { estimateText } from "#tokens/estimate/character-automaton.ts";

const state = { nowMs: 0, budgetTokens: 2_000 };

describe("the text of a recall", () => {
  it("is empty where nothing is recalled", () => {
    expect(composeRecall([], state)).toEqual({ text: "", tokens: 0, shown: [] });
  });

  it("shows whole memories where there is room, in their order", () => {
    const two = [
      aMemory({ path: "b.md", body: "Deploys only on Tuesday." }),
      aMemory({ path: "a.md", body: "Tabs." }),
    ];
    const { text, shown } = composeRecall(two, state);
    expect(shown.map(({ memory, isCut }) => [memory.path, isCut])).toEqual([
      ["b.md", false],
      ["a.md", false],
    ]);
    expect(text.indexOf("> Deploys only on Tuesday.")).toBeLessThan(text.indexOf("> Tabs."));
    expect(text).not.toContain("[cut");
  });

  it("cuts a long one, says where the rest is, and leaves room for the others", () => {
    const long = aMemory({ path: "long.md", body: "The words of a long memory. ".repeat(2_000) });
    const { text, shown } = composeRecall([long, aMemory({ path: "short.md", body: "Short." })], state);
    expect(shown.map(({ memory, isCut }) => [memory.path, isCut])).toEqual([
      ["long.md", true],
      ["short.md", false],
    ]);
    expect(text).toContain("[cut: the whole is in long.md]");
    expect(text).toContain("> Short.");
  });

  it("never takes more than its tokens, whatever the memories hold", () => {
    const memory = fc
      .record({
        body: fc.string({ maxLength: 20_000, unit: "grapheme" }),
        name: fc.string({ maxLength: 300 }),
      })
      .map((reported) => aMemory(reported));
    fc.assert(
      fc.property(
        fc.array(memory, { maxLength: 5 }),
        fc.integer({ min: 0, max: 3_000 }),
        (memories, budgetTokens) => {
          const { text, tokens, shown } = composeRecall(memories, { nowMs: 0, budgetTokens });
          expect(tokens).toBeLessThanOrEqual(budgetTokens);
          expect(estimateText(text)).toBeLessThanOrEqual(tokens);
          expect(shown.length === 0).toBe(text === "");
        },
      ),
      { numRuns: 60 },
    );
  });

  it("shows something of each of five where all are long", () => {
    const five = Array.from({ length: 5 }, (_, index) =>
      aMemory({ path: `${index}.md`, body: "A sentence that says something. ".repeat(3_000) }),
    );
    expect(composeRecall(five, state).shown).toHaveLength(5);
  });
});
