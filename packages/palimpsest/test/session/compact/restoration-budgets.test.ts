/** Shares of a window for skills, instructions and other lists after a compaction. */
import { describe, expect, it } from "vitest";
import { createDigest } from "#compaction/digest/digest.ts";
import type { Restorer } from "#ports/restorer.ts";
import {
  planRestoration,
  type Restoration,
  type RestorationInput,
} from "#session/compact/plan-restoration.ts";
import { sessionStartRestorer } from "#session/compact/restored-context.ts";
import { measure } from "../../../../../test/helpers/windows.ts";

const plan = (given: Partial<RestorationInput>): Promise<Restoration> =>
  planRestoration({
    ...{ hidden: [], tail: [], summaryTexts: [], digest: createDigest(), windowTokens: 200_000 },
    ...{ budgetTokens: 20_000, measure, restorers: [], deadline: { after: () => () => {} } },
    ...given,
  });

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
