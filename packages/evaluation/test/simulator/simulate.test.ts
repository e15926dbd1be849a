import fc from "fast-check";
import { TARIFFS, type Tariff } from "palimpsest/tokens";
import type { Trajectory } from "palimpsest-testing/internal";
import { describe, expect, it } from "vitest";
import { BASELINES } from "#baselines/baselines.ts";
import type { Contestant, PolicyUnderTest } from "#simulator/contestant.ts";
import { OWN_POLICIES } from "#simulator/own-policies.ts";
import { type RunResult, simulate } from "#simulator/simulate.ts";
import {
  anyTrajectory,
  aSetting,
  assistant,
  aTrajectory,
  type RecordedText,
  result,
  user,
} from "../../../../test/helpers/made-up-trajectories.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";

const ENDLESS = { windowTokens: Number.POSITIVE_INFINITY };
const NONE = BASELINES.find(({ id }) => id === "none")!;

/** The policy, and the size of each request that it sent. */
function watched(policy: PolicyUnderTest): { readonly policy: PolicyUnderTest; readonly sent: number[] } {
  const sent: number[] = [];
  const enter: PolicyUnderTest["enter"] = (setting, arena) => {
    const inner = policy.enter(setting, arena);
    const watching: Contestant = {
      get units() {
        return inner.units;
      },
      get totalTokens() {
        return inner.totalTokens;
      },
      append: (message, index) => inner.append(message, index),
      prepare: (moment) => inner.prepare(moment),
      overflow: (moment) => inner.overflow(moment),
      lookedUp: (lookup) => inner.lookedUp(lookup),
      isVisible: (text) => inner.isVisible(text),
      isBehindPointer: (source) => inner.isBehindPointer(source),
      priced: () => sent.push(inner.totalTokens),
    };
    return watching;
  };
  return { policy: { ...policy, enter }, sent };
}

/** The cost of a session without any compaction: each request reads the last one and writes the rest. */
function closedForm({ messages, fixedTokens, tokensBefore }: Trajectory, tariff: Tariff): number {
  let cost = 0;
  let lastMs: number | undefined;
  let lastTokens = 0;
  for (const [index, { author, atMs }] of messages.entries()) {
    if (author !== "assistant") continue;
    const nowMs = messages[index - 1]?.atMs ?? atMs;
    const sent = fixedTokens + tokensBefore[index]!;
    const isHeld = lastMs !== undefined && nowMs - lastMs <= tariff.cacheLifetimeMs;
    const read = isHeld && lastTokens >= tariff.minimumCacheTokens ? lastTokens : 0;
    const price = sent < tariff.minimumCacheTokens ? 1 : tariff.write;
    cost += read * tariff.read + (sent - read) * price;
    lastMs = nowMs;
    lastTokens = sent;
  }
  return cost;
}

describe("simulate", () => {
  it("prices each request by what stood before its answer", () => {
    const messages = [user(2_000), assistant(300), result(500), assistant(100)];
    const { cost, requests, readTokens, writtenTokens, peakTokens } = simulate(
      NONE,
      aSetting(aTrajectory(messages), ENDLESS),
    );
    // 3,000 × 1.25, then 3,000 × 0.1 + 800 × 1.25; the last answer is never sent
    expect(cost).toBeCloseTo(3_750 + 300 + 1_000);
    expect({ requests, readTokens, writtenTokens, peakTokens }).toEqual({
      requests: 2,
      readTokens: 3_000,
      writtenTokens: 3_800,
      peakTokens: 3_800,
    });
  });

  it.each([
    { idleMs: 300_000, cost: 3_750 + 300 + 1_000, why: "still held" },
    { idleMs: 300_001, cost: 3_750 + 4_750, why: "expired: all is written again" },
  ])("lets time pass between requests as it was recorded: $idleMs ms, $why", ({ idleMs, cost }) => {
    const messages: readonly RecordedText[] = [
      { ...user(2_000), atMs: 0 },
      { ...assistant(300), atMs: 1_000 },
      // The request leaves when this is there.
      { ...result(500), atMs: idleMs },
      { ...assistant(100), atMs: idleMs + 90_000 },
    ];
    expect(simulate(NONE, aSetting(aTrajectory(messages), ENDLESS)).cost).toBeCloseTo(cost);
  });

  it("counts far from 8,000 tokens on, and near below", () => {
    const messageOf = (between: number): readonly RecordedText[] => [
      user(100, "parse_args"),
      assistant(1),
      result(between - 1),
      assistant(100, "parse_args"),
    ];
    const of = (between: number): RunResult =>
      simulate(NONE, aSetting(aTrajectory(messageOf(between)), ENDLESS));
    const one = { references: 1, visible: 1, reachable: 1 };
    const nothing = { references: 0, visible: 0, reachable: 0 };
    expect(of(7_999)).toMatchObject({ far: nothing, near: one });
    expect(of(8_000)).toMatchObject({ far: one, near: nothing });
  });

  it("charges what is missing as one more request with a lookup's answer, and shows it then", () => {
    const messages = [
      user(1_000, "parse_args"),
      assistant(100),
      result(17_500),
      assistant(500, "parse_args again"),
      user(200),
      assistant(100, "parse_args once more"),
    ];
    const setting = aSetting(aTrajectory(messages), { windowTokens: 20_000 });
    const policy = BASELINES.find(({ id }) => id === "sliding-half")!;
    const plain = simulate(policy, setting);
    const charged = simulate(policy, setting, { chargesLookups: true });
    expect(plain).toMatchObject({ requests: 3, lookups: 0, sideCost: 0 });
    // Recall is counted before anything is asked for again; the second use sees the first.
    for (const run of [plain, charged]) {
      expect(run.far).toEqual({ references: 1, visible: 0, reachable: 0 });
      expect(run.near).toEqual({ references: 1, visible: 1, reachable: 1 });
    }
    expect(charged).toMatchObject({ requests: 4, lookups: 1, sideCost: 400 });
    // 2,000 + 1,000 + 1,700; and 2,000 + 1,000 + (1,000 + 1,080) + (1,700 + 1,080)
    expect(plain.readTokens + plain.writtenTokens).toBe(4_700);
    expect(charged.readTokens + charged.writtenTokens).toBe(7_860);
  });

  it("ends where no request fits any more, and says where", () => {
    const messages = [user(5_000), assistant(100), user(15_000), assistant(100), user(1), assistant(100)];
    const setting = aSetting(aTrajectory(messages), { windowTokens: 20_000 });
    expect(simulate(NONE, setting)).toMatchObject({ failedAt: 3, requests: 1 });
    expect(simulate(NONE, aSetting(aTrajectory(messages), ENDLESS))).not.toHaveProperty("failedAt");
  });

  it("tells a watcher of each call before it is made", () => {
    const seen: (readonly [index: number, tokens: number, text: string])[] = [];
    const messages = [user(2_000), assistant(300, "one"), result(500), assistant(100, "two")];
    simulate(NONE, aSetting(aTrajectory(messages), ENDLESS), {
      onCall: (moment, contestant, answer) => seen.push([moment.index, contestant.totalTokens, answer.text]),
    });
    expect(seen).toEqual([
      [1, 3_000, "one"],
      [3, 3_800, "two"],
    ]);
  });

  it("does not mind a session in which nobody answers", () => {
    for (const policy of BASELINES)
      expect(simulate(policy, aSetting(aTrajectory([user(10)])))).toMatchObject({ requests: 0, cost: 0 });
  });
});

describe("every policy, on any session", () => {
  const settings = fc.record({
    trajectory: anyTrajectory(),
    windowTokens: fc.constantFrom(6_000, 12_000, 30_000, 200_000),
    tariff: fc.constantFrom(...Object.values(TARIFFS)),
  });
  const asked = fc.record({ chargesLookups: fc.boolean() });
  // Others are simple; ours read every text with the real planners, so they take longer.
  const policies = [
    ...BASELINES.map((policy) => ({
      id: policy.id,
      policy,
      numRuns: bySize({ usual: 12, long: 36, soak: 100 }),
    })),
    ...OWN_POLICIES.map((policy) => ({
      id: policy.id,
      policy,
      numRuns: bySize({ usual: 5, long: 12, soak: 30 }),
    })),
  ];

  it.each(policies)("$id: nothing gets lost in the books", ({ policy, numRuns }) => {
    fc.assert(
      fc.property(settings, asked, (setting, options) => {
        const { policy: watching, sent } = watched(policy);
        const run = simulate(watching, setting, options);
        const total = sent.reduce((sum, tokens) => sum + tokens, 0);
        expect(run.readTokens + run.writtenTokens).toBe(total);
        expect(run.requests).toBe(sent.length);
        expect(run.peakTokens).toBe(Math.max(0, ...sent));
        expect(run.peakTokens).toBeLessThanOrEqual(setting.windowTokens);
        expect(run.cost).toBeCloseTo(run.requestCost + run.sideCost);
        expect(run.requestCost).toBeLessThanOrEqual(total * setting.tariff.write + 1e-6);
        expect(run.requestCost).toBeGreaterThanOrEqual(total * setting.tariff.read - 1e-6);
        for (const { references, visible, reachable } of [run.far, run.near]) {
          expect(visible).toBeLessThanOrEqual(reachable);
          expect(reachable).toBeLessThanOrEqual(references);
        }
      }),
      { numRuns },
    );
  });

  it.each(policies)("$id: a session runs the same twice, and counts all references unless it fails", ({
    policy,
  }) => {
    fc.assert(
      fc.property(settings, asked, (setting, options) => {
        const run = simulate(policy, setting, options);
        expect(simulate(policy, setting, options)).toEqual(run);
        const all = setting.trajectory.messages.reduce((sum, { references }) => sum + references.length, 0);
        if (run.failedAt === undefined) expect(run.far.references + run.near.references).toBe(all);
        else expect(setting.trajectory.messages[run.failedAt]!.author).toBe("assistant");
      }),
      { numRuns: bySize({ usual: 5, long: 12, soak: 30 }) },
    );
  });

  it("without a policy and without an end all is visible, and the cost has a closed form", () => {
    fc.assert(
      fc.property(settings, asked, ({ trajectory, tariff }, options) => {
        const run = simulate(NONE, { trajectory, tariff, ...ENDLESS }, options);
        expect(run.far.visible).toBe(run.far.references);
        expect(run.near.visible).toBe(run.near.references);
        expect(run.cost).toBeCloseTo(closedForm(trajectory, tariff), 4);
        expect(run).toMatchObject({ lookups: 0, sideCost: 0, sideCalls: 0 });
      }),
      { numRuns: bySize({ usual: 30, long: 100, soak: 300 }) },
    );
  });
});
