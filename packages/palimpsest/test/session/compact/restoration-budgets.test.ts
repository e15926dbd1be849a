/** Shares of a window for skills, instructions and other lists after a compaction. */
import { describe, expect, it } from "vitest";
import { addToDigest, createDigest } from "#compaction/digest/digest.ts";
import type { Restorer } from "#ports/restorer.ts";
import {
  planRestoration,
  type Restoration,
  type RestorationInput,
} from "#session/compact/plan-restoration.ts";
import { sessionStartRestorer } from "#session/compact/restored-context.ts";
import { turnsOf } from "#session/turns/fair-turns.ts";
import type { VisibleMessage } from "#transcript/window.ts";
import { messageOf, read } from "../../../../../test/helpers/restore-messages.ts";
import { measure } from "../../../../../test/helpers/windows.ts";

const plan = (given: Partial<RestorationInput>): Promise<Restoration> => {
  const digest = createDigest();
  for (const { seq, role, origin, blocks } of (given.hidden ?? []) as readonly VisibleMessage[])
    addToDigest(digest, seq, { role, origin, content: blocks.map(({ block }) => block) });
  return planRestoration({
    ...{ hidden: [], tail: [], summaryTexts: [], digest, windowTokens: 200_000 },
    ...{
      budgetTokens: 20_000,
      measure,
      restorers: [],
      deadline: { after: () => () => {} },
      turns: turnsOf({}),
    },
    ...given,
  });
};

const textsOf = ({ messages }: Restoration): readonly string[] =>
  messages.flatMap(({ content }) => content.map((block) => (block.type === "text" ? block.text : "")));

const giving = (name: string, items: unknown, more: Partial<Restorer> = {}): Restorer => ({
  name,
  ...more,
  restore: () => Promise.resolve(items as never),
});

describe("the budgets of what is restored", () => {
  it.each([
    { windowTokens: 200_000, restored: 25_000, why: "in a large window" },
    { windowTokens: 64_000, restored: 8_000, why: "scaled with the window" },
  ])("gives all skills and instructions of tool servers $restored tokens $why", async (given) => {
    const { windowTokens, restored } = given;
    const items = (kind: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({
        kind,
        key: `${kind} ${index}`,
        text: `${kind} ${index} says. `.repeat(700),
      }));
    const done = await plan({
      windowTokens,
      budgetTokens: 60_000,
      restorers: [
        giving("skills", items("skill", 4), { priority: 1 }),
        giving("servers", items("mcp-instructions", 6), { priority: 2 }),
        giving(
          "own",
          items("skill", 1).map((item) => ({ ...item, key: "own" })),
          { priority: 3, budgetTokens: 3_000 },
        ),
        giving("agents", items("agent", 6), { priority: 4 }),
      ],
    });
    const tokensOf = (names: readonly string[]): number =>
      done.events.reduce(
        (sum, event) => sum + ("tokens" in event && names.includes(event.restorer) ? event.tokens : 0),
        0,
      );
    const shared = tokensOf(["skills", "servers"]);
    expect(shared).toBeLessThanOrEqual(restored + 12);
    expect(shared).toBeGreaterThan(restored * 0.9);
    expect(tokensOf(["servers"])).toBeGreaterThan(0);
    expect(tokensOf(["own"])).toBeGreaterThan(0);
    expect(tokensOf(["agents"])).toBeLessThanOrEqual(5_006);
  });

  it("gives the session's start a budget of its own, where the host names none", async () => {
    const instructions = [
      { path: "/p/AGENTS.md", text: "Keep it plain. ".repeat(2_000), isCut: false, bytes: 30_000 },
    ];
    const { events } = await plan({ restorers: [sessionStartRestorer(async () => ({ instructions }))] });
    const [reported] = events;
    expect(reported).toMatchObject({ type: "restored", kind: "instructions", isCut: false });
    expect(reported).toMatchObject({ tokens: expect.any(Number) });
    expect(reported?.type === "restored" ? reported.tokens : 0).toBeGreaterThan(5_000);
  });
});

describe("skills in use", () => {
  /** Skills as the log shows them, and files that would take all there is. */
  const used = (texts: readonly string[]): Partial<RestorationInput> => ({
    hidden: Array.from({ length: 8 }, (_, index) =>
      read(
        index * 2 + 1,
        `/p/file-${index}.ts`,
        Array.from({ length: 400 }, (_line, line) => `export const name${line} = ${line};`),
      ),
    ).flat(),
    skills: texts.map((_, index) => ({ name: `skill-${index}`, seq: 100 + index, block: 0 })),
    readEntry: async (seq) => (seq < 100 ? undefined : [{ type: "text", text: texts[seq - 100]! }]),
  });
  const rule = "Always run the linter before a commit. ";
  const tokensOf = ({ events }: Restoration, kind: string): readonly number[] =>
    events.flatMap((event) => (event.type === "restored" && event.kind === kind ? [event.tokens] : []));

  it.each([
    {
      windowTokens: 200_000,
      budgetTokens: 20_000,
      texts: [rule.repeat(300), rule.repeat(300)],
      skills: [2, 4_500],
    },
    {
      windowTokens: 64_000,
      budgetTokens: 6_000,
      texts: [rule.repeat(300), rule.repeat(300)],
      skills: [2, 2_500],
    },
    {
      windowTokens: 32_000,
      budgetTokens: 3_000,
      texts: [rule.repeat(300), rule.repeat(300)],
      skills: [2, 1_200],
    },
    { windowTokens: 64_000, budgetTokens: 6_000, texts: [rule.repeat(20)], skills: [1, 150] },
    { windowTokens: 64_000, budgetTokens: 6_000, texts: [], skills: [0, 0] },
  ])("are shown again in a window of $windowTokens beside files that would fill the room", async (given) => {
    const { texts, windowTokens, budgetTokens, skills } = given;
    const restored = await plan({ ...used(texts), windowTokens, budgetTokens });
    const shown = tokensOf(restored, "skill");
    const shownTokens = shown.reduce((sum, tokens) => sum + tokens, 0);
    expect(shown.length).toBe(skills[0]);
    expect(shownTokens).toBeGreaterThanOrEqual(skills[1]!);
    // Files have all that skills do not need.
    expect(tokensOf(restored, "file").length).toBeGreaterThan(0);
    expect(restored.tokens).toBeGreaterThan(budgetTokens * 0.9);
    expect(restored.tokens).toBeLessThanOrEqual(budgetTokens);
  });

  it("are all shown where they do not fit together: short ones whole, the others share what is left", async () => {
    const texts = [300, 300, 4, 300, 300, 4, 300].map((times) => rule.repeat(times));
    const restored = await plan({ ...used(texts), windowTokens: 32_000, budgetTokens: 3_000 });
    const shown = restored.events.flatMap((event) =>
      event.type === "restored" && event.kind === "skill" ? [event] : [],
    );
    expect(shown.map(({ key }) => key).sort()).toEqual(texts.map((_, index) => `skill-${index}`));
    expect(
      shown
        .filter(({ isCut }) => !isCut)
        .map(({ key }) => key)
        .sort(),
    ).toEqual(["skill-2", "skill-5"]);
    const long = shown.filter(({ isCut }) => isCut).map(({ tokens }) => tokens);
    expect(Math.max(...long) - Math.min(...long)).toBeLessThan(0.2 * Math.max(...long));
  });

  it.each([
    { count: 12, budgetTokens: 500, least: 1 },
    { count: 60, budgetTokens: 3_000, least: 10 },
  ])("are shown as far as each has enough to say something: $count in $budgetTokens tokens", async (given) => {
    const { count, budgetTokens, least } = given;
    const texts = Array.from({ length: count }, () => rule.repeat(300));
    const restored = await plan({ ...used(texts), windowTokens: 32_000, budgetTokens });
    expect(tokensOf(restored, "skill").length).toBeGreaterThanOrEqual(least);
    expect(restored.tokens).toBeLessThanOrEqual(budgetTokens);
  });

  it("are shown again where the host lists them, behind its files", async () => {
    const host = giving("host", [{ kind: "skill", key: "review", text: rule.repeat(100) }]);
    const restored = await plan({
      ...used([]),
      windowTokens: 64_000,
      budgetTokens: 6_000,
      restorers: [host],
    });
    expect(tokensOf(restored, "skill").length).toBe(1);
    expect(textsOf(restored).at(-1)).toContain("Always run the linter");
  });

  it("take no room where they can still be read", async () => {
    const tail = [messageOf(50, "user", rule.repeat(100))];
    const given = { windowTokens: 64_000, budgetTokens: 6_000, tail };
    const restored = await plan({ ...used([rule.repeat(100)]), ...given });
    expect(tokensOf(restored, "skill")).toEqual([]);
    expect(restored.tokens).toBeGreaterThan(5_400);
  });
});
