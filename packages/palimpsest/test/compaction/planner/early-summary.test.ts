/** The values of a policy that say when a summary is early, what it keeps, and what enters the window whole. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addToDigest, createDigest } from "#compaction/digest/digest.ts";
import { type CostPolicy, costPolicy } from "#compaction/planner/cost-policy.ts";
import { firstSummaryTokens } from "#compaction/planner/early-summary.ts";
import { arrivalPolicy, extractivePolicy } from "#compaction/planner/policies.ts";
import { WindowPlanner } from "#compaction/planner/window-planner.ts";
import type { WindowState } from "#compaction/shared/window-state.ts";
import { aWindowState } from "#test/compaction/layers/collapse/window-states.ts";
import { planBudget } from "#tokens/budget/budget.ts";
import { TARIFFS } from "#tokens/price/tariff.ts";
import type { Message } from "#transcript/blocks.ts";
import type { VisibleMessage } from "#transcript/window.ts";
import { asWindow } from "../../../../../test/helpers/recorded.ts";
import {
  applyEdit,
  assistant,
  brokenPairs,
  call,
  measure,
  result,
  text,
  tokensOf,
  user,
} from "../../../../../test/helpers/windows.ts";

/** Summarises at about a quarter of the window. */
const balanced: CostPolicy = {
  ...costPolicy("balanced")!,
  summaryMultiple: 2,
  earlyShare: 0,
  clearsByRent: true,
  keptTail: { tokens: 300, floor: 300 },
};
const WINDOW_TOKENS = 64_000;
/** Of a window of 64,000 tokens, 6,400 are kept for the summary. */
const EFFECTIVE_TOKENS = 57_600;

/** Rounds of about 630 tokens. */
const rounds = (count: number): readonly Message[] => [
  user("please look at everything"),
  ...Array.from({ length: count }, (_, turn) => [
    assistant(
      `r${turn}`,
      text(`I look at ${turn}.`),
      call(`c${turn}`, "mcp__db__query", { id: `row_${turn}` }),
    ),
    result(`c${turn}`, `value_${turn} of the row\n${"some line of code here\n".repeat(100)}`),
  ]).flat(),
];

const ALL = asWindow(rounds(70));

/** The size of the request for which an early summary is due first; `undefined` if none is before the window is full. */
function firstEarly(policy: CostPolicy, over: Partial<WindowState> = {}): number | undefined {
  const planner = new WindowPlanner(policy);
  for (let count = 1; count <= 70; count++) {
    const state = aWindowState(ALL.slice(0, 1 + 2 * count), { windowTokens: WINDOW_TOKENS, ...over });
    if (state.usedTokens >= state.budget.autoCompactGateTokens) return undefined;
    const plan = planner.plan(state);
    if ("needs" in plan) {
      expect(plan.reason).toBe("rent");
      return state.usedTokens;
    }
    planner.called(state, plan, state.messagesTokens);
  }
  return undefined;
}

describe("an early summary", () => {
  it("is made once it has paid, and not before the window has the policy's size", () => {
    expect(aWindowState([], { windowTokens: WINDOW_TOKENS }).budget.effectiveTokens).toBe(EFFECTIVE_TOKENS);
    const sizes = [0, 0.5, 0.7].map(
      (earlyShare) => firstEarly({ ...balanced, earlyShare })! / EFFECTIVE_TOKENS,
    );
    expect(sizes[0]).toBeLessThan(0.4);
    expect(sizes[1]).toBeGreaterThanOrEqual(0.5);
    expect(sizes[1]).toBeLessThan(0.52);
    expect(sizes[2]).toBeGreaterThanOrEqual(0.7);
    expect(sizes[2]).toBeLessThan(0.72);
    expect(firstEarly({ ...balanced, earlyShare: 0.95 })).toBeUndefined();
  });

  it("waits for another share in large windows", () => {
    const policy = { ...balanced, earlyShare: 0.5, largeEarlyShare: { share: 0.7, from: WINDOW_TOKENS } };
    expect(firstEarly(policy)! / EFFECTIVE_TOKENS).toBeGreaterThanOrEqual(0.7);
    const smaller = { ...policy, largeEarlyShare: { share: 0.7, from: WINDOW_TOKENS + 1 } };
    expect(firstEarly(smaller)! / EFFECTIVE_TOKENS).toBeLessThan(0.52);
  });

  it.each([
    { policy: "economy", windowTokens: 200_000, tokens: 0 },
    { policy: "balanced", windowTokens: 200_000, tokens: 153_000 },
    { policy: "balanced", windowTokens: 128_000, tokens: 97_920 },
    { policy: "balanced", windowTokens: 127_000, tokens: 105_156 },
    { policy: "balanced", windowTokens: 64_000, tokens: 52_992 },
    { policy: "balanced", windowTokens: 32_000, tokens: 26_496 },
    { policy: "faithful", windowTokens: 200_000, tokens: 167_000 },
  ] as const)("of $policy comes from $tokens tokens of $windowTokens on", ({
    policy,
    windowTokens,
    tokens,
  }) => {
    expect(firstSummaryTokens(costPolicy(policy)!, planBudget({ windowTokens }))).toBeCloseTo(tokens, 6);
  });

  it("from the log has the same price with a model as without one", () => {
    const alone = firstEarly({ ...balanced, earlySummary: "log" });
    expect(firstEarly({ ...balanced, earlySummary: "log" }, { writesSummaries: true })).toBe(alone);
    // A model would read the window and write 4,000 tokens, which has to be paid first.
    expect(firstEarly({ ...balanced, earlySummary: "model" }, { writesSummaries: true })).toBeGreaterThan(
      alone!,
    );
  });

  it("from the log is not made where that layer is off", () => {
    const disabledLayers = new Set(["extractive", "collapse"]);
    const withModel = { writesSummaries: true, disabledLayers };
    expect(firstEarly({ ...balanced, earlySummary: "log" }, withModel)).toBeUndefined();
    expect(firstEarly({ ...balanced, earlySummary: "model" }, withModel)).toBeGreaterThan(0);
  });

  it("does not happen while the window is below the share, whatever it has paid", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (earlyShare) => {
        const size = firstEarly({ ...balanced, summaryMultiple: 0.5, earlyShare });
        expect(size ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(earlyShare * EFFECTIVE_TOKENS);
      }),
      { numRuns: 8 },
    );
  });
});

describe("the newest rounds after a summary", () => {
  const messages = rounds(70);
  const digest = createDigest();
  for (const [index, message] of messages.entries()) addToDigest(digest, index + 1, message);
  const visible = ALL;

  /** Tokens of the rounds that stay as they are. */
  const keptTokens = (...given: Parameters<typeof after>): number =>
    tokensOf(after(...given).filter(({ insertedBy }) => insertedBy === undefined));
  const summaryText = (...given: Parameters<typeof after>): string =>
    after(...given)
      .filter(({ insertedBy }) => insertedBy !== undefined)
      .flatMap(({ blocks }) => blocks.map(({ block }) => (block.type === "text" ? block.text : "")))
      .join("\n");

  function after(
    policy: CostPolicy,
    reason: "rent" | "manual" | "reactive" | "media",
    over: Partial<WindowState> = {},
  ): readonly VisibleMessage[] {
    const state = aWindowState(visible, { windowTokens: WINDOW_TOKENS, ...over });
    const planner = new WindowPlanner(policy);
    for (let calls = 0; calls < 40; calls++)
      planner.called(
        { ...state, visible: visible.slice() },
        { edits: [], usedTokens: 0 },
        state.messagesTokens,
      );
    const sources = { digest, pinned: [] };
    const plan = reason === "rent" ? planner.plan(state, sources) : planner.compact(state, reason, sources);
    if ("needs" in plan) throw new Error("the sources are there");
    expect(plan.edits.map((edit) => [edit.kind, edit.reason])).toEqual([["extractive", reason]]);
    const window = applyEdit(visible, plan.edits[0]!, 999);
    expect(brokenPairs(window)).toEqual([]);
    return window;
  }

  it("are more after a full window if the policy says so, but few for the price, by hand and after a refusal", () => {
    const policy: CostPolicy = { ...balanced, keptTail: { tokens: 30_000, floor: 3_000 } };
    expect(keptTokens(policy, "media")).toBeGreaterThan(8_900);
    expect(keptTokens(policy, "media")).toBeLessThanOrEqual(9_600);
    expect(keptTokens(policy, "reactive")).toBeLessThan(700);
    expect(keptTokens(policy, "rent")).toBe(keptTokens(balanced, "rent"));
    expect(keptTokens(policy, "rent")).toBeLessThan(700);
    // 20,000 tokens of a window of 200,000 are 6,400 of 64,000.
    expect(keptTokens(costPolicy("faithful")!, "media")).toBeGreaterThan(5_700);
    expect(keptTokens(costPolicy("faithful")!, "manual")).toBeLessThan(700);
  });

  it("are quoted as text on a session whose history may not be edited", () => {
    const policy: CostPolicy = { ...balanced, keptTail: { tokens: 30_000, floor: 3_000 } };
    const strict = { editSafety: "strict" } as const;
    expect(keptTokens(policy, "media", strict)).toBe(0);
    const quotedRounds = (summary: string): number => summary.match(/> value_\d+ of the row\n/g)?.length ?? 0;
    expect(quotedRounds(summaryText(balanced, "media", strict))).toBe(1);
    // 9,600 tokens hold 13 rounds with their labels and marks.
    const long = summaryText(policy, "media", strict);
    expect(quotedRounds(long)).toBeGreaterThanOrEqual(11);
    expect(quotedRounds(long)).toBeLessThanOrEqual(14);
    expect(long.match(/some line of code here/g)!.length).toBe(100 * quotedRounds(long));
    expect(quotedRounds(summaryText(policy, "manual", strict))).toBe(1);
  });
});

describe("the newest rounds under `balanced`", () => {
  it.each([
    { windowTokens: 32_000, editSafety: "permissive", kept: 300, quoted: 0, why: "files need the room" },
    { windowTokens: 47_999, editSafety: "strict", kept: 300, quoted: 0, why: "files need the room" },
    { windowTokens: 48_000, editSafety: "permissive", kept: 6_000, quoted: 6_000, why: "several stay" },
    { windowTokens: 64_000, editSafety: "strict", kept: 6_000, quoted: 6_000, why: "several are quoted" },
    { windowTokens: 128_000, editSafety: "strict", kept: 300, quoted: 0, why: "files are large enough" },
  ] as const)("have $kept tokens in a window of $windowTokens: $why", (given) => {
    const { windowTokens, editSafety, kept, quoted } = given;
    const effectiveTokens = windowTokens * 0.9;
    const situation = { windowTokens, effectiveTokens, editSafety, pendingCallIds: [] };
    const policy = extractivePolicy(situation, costPolicy("balanced")!);
    expect([policy.keepTailTokens, policy.quotedTokens]).toEqual([kept, quoted]);
  });
});

describe("the limit of a new block", () => {
  it.each([
    { limit: { tokens: 12_000, floor: 10_000 }, sizes: [10_000, 10_000, 12_000, 12_000] },
    { limit: { tokens: 25_000, floor: 8_000 }, sizes: [8_000, 8_000, 25_000, 25_000] },
    {
      limit: { tokens: 25_000, floor: 8_000, noneFrom: 200_000 },
      sizes: [8_000, 8_000, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    },
  ])("follows the policy in windows of 32K, 64K, 200K and 1M: $limit", ({ limit, sizes }) => {
    const windows = [32_000, 64_000, 200_000, 1_000_000];
    expect(windows.map((tokens) => arrivalPolicy(tokens, {}, limit).blockTokens)).toEqual(sizes);
  });
});

describe("results that are cleared to save cost", () => {
  const messages: readonly Message[] = [
    user("please look at everything"),
    ...Array.from({ length: 60 }, (_, turn) => [
      assistant(
        `r${turn}`,
        text(`I look at ${turn}.`),
        call(`c${turn}`, "Read", { file_path: `/src/${turn}.ts` }),
      ),
      result(
        `c${turn}`,
        `${Array.from({ length: 8 }, (_, name) => `export const uniqueName${turn}x${name} = 1;`).join("\n")}\n${"some code\n".repeat(300)}`,
      ),
    ]).flat(),
  ];
  const visible = asWindow(messages);

  function cleared(policy: CostPolicy): string | undefined {
    const planner = new WindowPlanner({ ...policy, summaryMultiple: Number.POSITIVE_INFINITY });
    for (let count = 3; count <= visible.length; count += 2) {
      const state = aWindowState(visible.slice(0, count), {
        windowTokens: WINDOW_TOKENS,
        tariff: TARIFFS["openai-50"],
      });
      const plan = planner.plan(state);
      if ("needs" in plan) return undefined;
      planner.called(state, plan, state.messagesTokens);
      const [edit] = plan.edits;
      if (edit === undefined) continue;
      const freed = tokensOf(state.visible) - tokensOf(applyEdit(state.visible, edit, 999));
      expect(Math.abs(edit.freedTokens - freed)).toBeLessThanOrEqual(1);
      const shown = edit.effect.forms!.findLast((form) => form.shown?.type === "tool_result")!.shown!;
      return `${edit.reason} ${shown.type === "tool_result" ? String(shown.content) : ""}`;
    }
    return undefined;
  }

  it("leave their strings in the newest of them, as many as the policy allows", () => {
    const few = cleared({ ...balanced, clearedStrings: { tokens: 0, floor: 0 } })!;
    expect(few).toMatch(/^rent \[Old tool result content cleared: /);
    expect(few).not.toContain("to the letter");
    const many = cleared({ ...balanced, clearedStrings: { tokens: 1_000, floor: 400 } })!;
    const list = many.split("may be needed to the letter:\n")[1]!;
    const strings = list.split(" ");
    expect(strings).toContain("uniqueName0x7");
    expect(strings.length).toBeGreaterThan(20);
    expect(measure({ type: "text", text: list })).toBeLessThanOrEqual(400);
    // Strings that a brief has are not repeated.
    expect(few).toContain("uniqueName");
    for (const name of few.match(/uniqueName\w+/g)!) expect(strings).not.toContain(name);
  });

  it("leave no strings where the window has no room for them", () => {
    const policy = {
      ...costPolicy("balanced")!,
      keepsBlocks: { from: 0, below: 0 },
      clearedStrings: { tokens: 6_000, floor: 3_000 },
    };
    const gateTokens = planBudget({ windowTokens: WINDOW_TOKENS }).autoCompactGateTokens;
    const window = visible.slice(0, 1 + 2 * 30);
    const messagesTokens = tokensOf(window);
    const lists = Array.from({ length: 12 }, (_, step) => {
      const usedTokens = gateTokens - 3_000 + step * 2_500;
      const fixedTokens = Math.max(0, usedTokens - messagesTokens);
      const state = aWindowState(window, { windowTokens: WINDOW_TOKENS, fixedTokens, usedTokens });
      const plan = new WindowPlanner({ ...policy, summaryMultiple: Number.POSITIVE_INFINITY }).plan(state);
      if ("needs" in plan || plan.edits.length === 0) return undefined;
      expect(plan.usedTokens).toBeLessThan(gateTokens);
      return JSON.stringify(plan.edits).includes("to the letter");
    });
    expect(new Set(lists)).toEqual(new Set([true, false, undefined]));
  });
});
