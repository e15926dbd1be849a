/**
 * Our simulator against the one that the figures of the baselines come from, on one recorded session:
 * the same tokens, prices and windows have to give the same bill and the same recall.
 */

import { TARIFFS, type Tariff } from "palimpsest/tokens";
import { describe, expect, it } from "vitest";
import { BASELINES } from "#baselines/baselines.ts";
import { simulate } from "#simulator/simulate.ts";
import {
  asTrajectory,
  hasReferenceSimulator,
  loadReferenceSimulator,
} from "../../../../test/helpers/reference-simulator.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";

const ENDLESS_TOKENS = 1e12;
/** The reference's name of each baseline, and its options. */
const NAMES: Readonly<Record<string, readonly [name: string, options?: object]>> = {
  none: ["none"],
  sliding: ["sliding"],
  "sliding-half": ["slidingHalf"],
  "clear-tool-uses-0k": ["anthropicClear"],
  "clear-tool-uses-20k": ["anthropicClear", { atLeast: 20_000 }],
  "clear-tool-uses-50k": ["anthropicClear", { atLeast: 50_000 }],
  opencode: ["opencode"],
  langchain: ["langchain20"],
  "langchain-10": ["langchain10"],
  "gemini-cli": ["gemini"],
  pi: ["pi"],
  "claude-code": ["ccFull"],
  "claude-code-fresh": ["ccFull", { mode: "fresh" }],
  "claude-code-notes": ["ccSM"],
};

/** The reference's prices: it takes output for five everywhere. */
const PRICES: Readonly<Record<string, Tariff>> = {
  anthropic5m: {
    ...TARIFFS["anthropic-5m"],
    read: 0.1,
    write: 1.25,
    outputRatio: 5,
    cacheLifetimeMs: 300_000,
    minimumCacheTokens: 1_024,
    lookBackBlocks: 20,
  },
  openai: {
    ...TARIFFS.openai,
    read: 0.1,
    write: 1,
    outputRatio: 5,
    cacheLifetimeMs: 600_000,
    minimumCacheTokens: 1_024,
  },
};

/**
 * Rows whose bills differ by more, and why. A lookup returns as a tool's answer, and our summaries rank its
 * strings as such; in the reference they rank by who had said them first. Elsewhere that moves a bill by 0.4
 * % at the most. This baseline, which compresses 140 times in a small window because it may split before
 * messages of the user only, hits another lookup early on and compresses six times more. With the reference's
 * ranking the bills are the same to the fourth digit.
 */
const LARGER_DIFFERENCE: Readonly<Record<string, number>> = { "gemini-cli at 64000": 0.04 };

describe.skipIf(!hasReferenceSimulator)(
  "beside the reference simulator (skipped where it is missing)",
  async () => {
    const reference = hasReferenceSimulator ? await loadReferenceSimulator() : undefined;
    const trajectory = reference && asTrajectory(reference.session);

    it("finds the same references in the same session", () => {
      const all = trajectory!.messages.flatMap(({ references }) => references);
      expect(all).toHaveLength(reference!.session.refs);
      expect(all.filter(({ distanceTokens }) => distanceTokens >= 8_000)).toHaveLength(
        reference!.session.farRefs,
      );
    });

    it("knows all baselines by name", () => {
      expect(Object.keys(NAMES).sort()).toEqual(BASELINES.map(({ id }) => id).sort());
    });

    // All in a soak; in the long run each baseline in one window at one price, in turn; by default one of each kind.
    const rows = Object.keys(PRICES).flatMap((price, priceIndex) =>
      [200_000, 64_000].flatMap((window, windowIndex) =>
        BASELINES.filter((_, index) => {
          const place = windowIndex + 2 * priceIndex;
          return bySize({ usual: index === 4 * place, long: index % 4 === place, soak: true });
        }).map((policy) => ({ id: policy.id, policy, window, price })),
      ),
    );

    it.each(
      rows,
    )("$id at $window, $price: the same bill within 2 %, the same far recall within a point", (row) => {
      const [name, options] = NAMES[row.id]!;
      const theirs = reference!.policies[name]!(options);
      const window = row.id === "none" ? Number.POSITIVE_INFINITY : row.window;
      const setting = {
        trajectory: trajectory!,
        windowTokens: row.id === "none" ? ENDLESS_TOKENS : row.window,
        tariff: PRICES[row.price]!,
      };
      const billed = simulate(row.policy, setting, { chargesLookups: true });
      const theirBill = reference!.run(theirs, { window, price: row.price, refetch: true });
      expect(billed.failedAt === undefined).toBe(theirBill.fail === null);
      const allowed = LARGER_DIFFERENCE[`${row.id} at ${row.window}`] ?? 0.02;
      expect(Math.abs(billed.cost / theirBill.cost - 1)).toBeLessThanOrEqual(allowed);

      const plain = simulate(row.policy, setting);
      const theirPlain = reference!.run(theirs, { window, price: row.price });
      expect(Math.abs(plain.far.visible / plain.far.references - theirPlain.far)).toBeLessThanOrEqual(0.01);
      expect(plain.edits.summary).toBe(theirPlain.compactions);
    });
  },
);
