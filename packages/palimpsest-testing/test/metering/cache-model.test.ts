import fc from "fast-check";
import { TARIFFS, type Tariff } from "palimpsest/tokens";
import { describe, expect, it } from "vitest";
import { type CachedUnit, CacheModel, type PricedRequest } from "#metering/cache-model.ts";

const ANTHROPIC: Tariff = TARIFFS["anthropic-5m"];
const OPENAI: Tariff = TARIFFS.openai;
const LIFETIME_MS = 300_000;

const unit = (id: number, tokens: number, blocks = 1): CachedUnit => ({ id, tokens, blocks });
const [a, b, c, x] = [unit(2, 3_000), unit(3, 500), unit(4, 700), unit(5, 900)] as const;

interface Sent {
  readonly units: readonly CachedUnit[];
  readonly atMs?: number;
  readonly marks?: readonly number[];
}

/** Cost of the last of these requests; the fixed part has 2,000 tokens. */
function last(tariff: Tariff, requests: readonly Sent[], fixedTokens = 2_000): PricedRequest {
  const cache = new CacheModel(tariff, fixedTokens);
  return requests.map(({ units, atMs = 0, marks = [] }) => cache.request(units, atMs, marks)).at(-1)!;
}

describe("a cache with marks", () => {
  it.each<{ requests: readonly Sent[]; read: number; written: number; cost: number; why: string }>([
    { requests: [{ units: [a] }], read: 0, written: 5_000, cost: 6_250, why: "the first: all is written" },
    {
      requests: [{ units: [a] }, { units: [a] }],
      read: 5_000,
      written: 0,
      cost: 500,
      why: "the same again: all is read",
    },
    {
      requests: [{ units: [a] }, { units: [a, b] }],
      read: 5_000,
      written: 500,
      cost: 1_125,
      why: "appended: 5,000 × 0.1 + 500 × 1.25",
    },
    {
      requests: [{ units: [a] }, { units: [a, b], atMs: LIFETIME_MS }],
      read: 5_000,
      written: 500,
      cost: 1_125,
      why: "held at exactly its lifetime",
    },
    {
      requests: [{ units: [a] }, { units: [a, b], atMs: LIFETIME_MS + 1 }],
      read: 0,
      written: 5_500,
      cost: 6_875,
      why: "expired, the fixed part with it",
    },
    {
      requests: [{ units: [a] }, { units: [a], atMs: 200_000 }, { units: [a], atMs: 400_000 }],
      read: 5_000,
      written: 0,
      cost: 500,
      why: "what is read lives on",
    },
    {
      requests: [{ units: [a, b] }, { units: [x, b] }],
      read: 2_000,
      written: 1_400,
      cost: 1_950,
      why: "changed at the front: only the fixed part is left",
    },
    {
      requests: [{ units: [a, b] }, { units: [a] }],
      read: 2_000,
      written: 3_000,
      cost: 3_950,
      why: "shorter: no mark stood where it ends",
    },
    {
      requests: [{ units: [a, b], marks: [0] }, { units: [a, c] }],
      read: 5_000,
      written: 700,
      cost: 1_375,
      why: "changed at the end: a mark stood before it",
    },
    {
      requests: [{ units: [a, b] }, { units: [a, c] }],
      read: 2_000,
      written: 3_700,
      cost: 4_825,
      why: "the same without the mark",
    },
    {
      requests: [{ units: [a] }, { units: [a, unit(6, 100, 20)] }],
      read: 5_000,
      written: 100,
      cost: 625,
      why: "20 blocks behind the last mark are looked through",
    },
    {
      requests: [{ units: [a] }, { units: [a, unit(6, 100, 21)] }],
      read: 2_000,
      written: 3_100,
      cost: 4_075,
      why: "21 are not; the mark behind the fixed part finds that",
    },
    {
      requests: [{ units: [a] }, { units: [a, unit(6, 100, 21)], marks: [0] }],
      read: 5_000,
      written: 100,
      cost: 625,
      why: "a mark where the last request ended finds it",
    },
  ])("reads $read, writes $written: $why", ({ requests, read, written, cost }) => {
    const priced = last(ANTHROPIC, requests);
    expect(priced).toMatchObject({ readTokens: read, writtenTokens: written });
    expect(priced.cost).toBeCloseTo(cost);
  });

  it.each([
    { fixed: 500, tokens: [500], cost: 1_000, why: "below the minimum nothing is cached or charged for it" },
    { fixed: 500, tokens: [524], cost: 1_280, why: "at the minimum it is: 1,024 × 1.25" },
  ])("charges $cost for a small request: $why", ({ fixed, tokens, cost }) => {
    const units = tokens.map((size, index) => unit(index + 2, size));
    expect(last(ANTHROPIC, [{ units }], fixed).cost).toBeCloseTo(cost);
  });

  it("has no entry behind a fixed part below the minimum", () => {
    const requests: readonly Sent[] = [{ units: [a] }, { units: [x] }];
    expect(last(ANTHROPIC, requests, 1_023).readTokens).toBe(0);
    expect(last(ANTHROPIC, requests, 1_024).readTokens).toBe(1_024);
  });

  it("lets what has expired stay expired, though a longer entry over it is read", () => {
    const cold = LIFETIME_MS + 1;
    const requests: readonly Sent[] = [
      { units: [a] },
      { units: [a, b], atMs: cold },
      { units: [a, b, c], atMs: cold + 1 },
    ];
    expect(last(ANTHROPIC, requests).readTokens).toBe(5_500);
    expect(last(ANTHROPIC, [...requests, { units: [a, x], atMs: cold + 2 }]).readTokens).toBe(2_000);
  });

  it("forgets in the order of the last use, not of the writing", () => {
    const requests: readonly Sent[] = [
      { units: [a] },
      { units: [x], atMs: 100_000 },
      { units: [a], atMs: 200_000 },
    ];
    // At 450,000 the older one, used at 200,000, is held; the newer one, of 100,000, is not.
    expect(last(ANTHROPIC, [...requests, { units: [a], atMs: 450_000 }]).readTokens).toBe(5_000);
    expect(last(ANTHROPIC, [...requests, { units: [x], atMs: 450_000 }]).readTokens).toBe(2_000);
  });

  it("stops where a policy sets marks that no provider takes", () => {
    const units = [a, b, c, x];
    const cache = new CacheModel(ANTHROPIC, 2_000);
    expect(() => cache.request(units, 0, [4])).toThrow("a mark follows a unit");
    expect(() => cache.request(units, 0, [0, 1, 2])).toThrow("no more marks than its provider takes");
    expect(() => cache.request(units, 0, [0, 1])).not.toThrow();
    // Two in one place are one, and the end has its own already.
    expect(() => cache.request(units, 0, [0, 0, 1, 3])).not.toThrow();
  });
});

describe("a cache of prefixes", () => {
  it.each<{ requests: readonly Sent[]; read: number; cost: number; why: string }>([
    { requests: [{ units: [a] }], read: 0, cost: 5_000, why: "the first: written at the plain price" },
    {
      requests: [{ units: [a, b] }, { units: [a, c] }],
      read: 5_000,
      cost: 1_200,
      why: "the longest common beginning, without a mark: 5,000 × 0.1 + 700",
    },
    {
      requests: [{ units: [a] }, { units: [a, unit(6, 100, 500)] }],
      read: 5_000,
      cost: 600,
      why: "however many blocks follow",
    },
    { requests: [{ units: [a, b] }, { units: [a] }], read: 5_000, cost: 500, why: "a shorter one, too" },
    {
      requests: [{ units: [a] }, { units: [a], atMs: 600_001 }],
      read: 0,
      cost: 5_000,
      why: "expired after its lifetime",
    },
  ])("reads $read: $why", ({ requests, read, cost }) => {
    const priced = last(OPENAI, requests);
    expect(priced.readTokens).toBe(read);
    expect(priced.cost).toBeCloseTo(cost);
  });

  it("reads nothing below the minimum", () => {
    expect(last(OPENAI, [{ units: [a] }, { units: [x] }], 1_023).readTokens).toBe(0);
  });
});

/** The same cache, written down again without hashes and in the plainest way. */
class PlainCache {
  readonly #held = new Map<string, number>();

  readTokens(tariff: Tariff, units: readonly CachedUnit[], nowMs: number, marks: readonly number[]): number {
    const name = (end: number): string =>
      units
        .slice(0, end + 1)
        .map(({ id }) => id)
        .join("/");
    const sum = (end: number, of: "tokens" | "blocks"): number =>
      units.slice(0, end + 1).reduce((total, one) => total + one[of], 0);
    const isHeld = (end: number): boolean => (this.#held.get(name(end)) ?? -1) >= nowMs;
    const ends = units.map((_, index) => index);
    const marked = tariff.matching === "prefix" ? ends : [0, ...marks, units.length - 1];
    if (sum(units.length - 1, "tokens") < tariff.minimumCacheTokens) return 0;
    const found = ends.filter(
      (end) =>
        isHeld(end) &&
        marked.some(
          (mark) => mark >= end && sum(mark, "blocks") - sum(end, "blocks") <= tariff.lookBackBlocks,
        ),
    );
    // Behind a mark only the nearest entry is found; the longest of those is the longest of all.
    const hit = Math.max(-1, ...found);
    const until = nowMs + tariff.cacheLifetimeMs;
    const lives = ends.filter((end) => (end <= hit && isHeld(end)) || marked.includes(end));
    for (const end of lives)
      if (sum(end, "tokens") >= tariff.minimumCacheTokens) this.#held.set(name(end), until);
    return sum(hit, "tokens");
  }
}

const anyRequests = (): fc.Arbitrary<readonly Required<Sent>[]> =>
  fc
    .array(
      fc.record({
        // Ids decide size and blocks, as they do where an id is what a unit is, byte for byte.
        units: fc
          .array(fc.integer({ min: 2, max: 6 }), { maxLength: 5 })
          .map((ids) => ids.map((id) => unit(id, id * 300, id === 6 ? 21 : id))),
        idleMs: fc.constantFrom(0, 1_000, 150_000, 300_000, 300_001),
        marks: fc.array(fc.nat(4), { maxLength: 1 }),
      }),
      { maxLength: 12 },
    )
    .map((requests) => {
      let atMs = 0;
      return requests.map(({ units, idleMs, marks }) => {
        atMs += idleMs;
        return { units, atMs, marks: marks.filter((mark) => mark < units.length) };
      });
    });

const anyFixedTokens: fc.Arbitrary<number> = fc.constantFrom(0, 500, 1_023, 1_024, 2_000);

describe("any cache", () => {
  it.each([
    { tariff: ANTHROPIC, name: "with marks" },
    { tariff: { ...OPENAI, cacheLifetimeMs: LIFETIME_MS }, name: "of prefixes" },
  ])("$name does what the plain one does", ({ tariff }) => {
    fc.assert(
      fc.property(anyRequests(), anyFixedTokens, (requests, fixedTokens) => {
        const cache = new CacheModel(tariff, fixedTokens);
        const plain = new PlainCache();
        const isPrefix = tariff.matching === "prefix";
        for (const { units, atMs, marks } of requests) {
          const all = [unit(1, fixedTokens), ...units];
          const lookBackBlocks = isPrefix ? Number.POSITIVE_INFINITY : tariff.lookBackBlocks;
          expect(cache.request(units, atMs, marks).readTokens).toBe(
            plain.readTokens(
              { ...tariff, lookBackBlocks },
              all,
              atMs,
              marks.map((mark) => mark + 1),
            ),
          );
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each(
    Object.entries(TARIFFS),
  )("of %s: what is sent is read or written, and a hit never costs more", (_, tariff) => {
    fc.assert(
      fc.property(anyRequests(), anyFixedTokens, (requests, fixedTokens) => {
        const cache = new CacheModel(tariff, fixedTokens);
        for (const { units, atMs, marks } of requests) {
          const sent = units.reduce((sum, { tokens }) => sum + tokens, fixedTokens);
          const warm = cache.request(units, atMs, marks);
          const cold = new CacheModel(tariff, fixedTokens).request(units, atMs, marks);
          expect(warm.readTokens + warm.writtenTokens).toBe(sent);
          expect(warm.cost).toBeLessThanOrEqual(cold.cost + 1e-6);
          expect(warm.cost).toBeGreaterThanOrEqual(sent * tariff.read - 1e-6);
        }
      }),
    );
  });

  it("finds by prefixes whatever it finds by marks", () => {
    fc.assert(
      fc.property(anyRequests(), anyFixedTokens, (requests, fixedTokens) => {
        const marked = new CacheModel(ANTHROPIC, fixedTokens);
        const prefix = new CacheModel({ ...ANTHROPIC, matching: "prefix" }, fixedTokens);
        for (const { units, atMs, marks } of requests)
          expect(prefix.request(units, atMs).readTokens).toBeGreaterThanOrEqual(
            marked.request(units, atMs, marks).readTokens,
          );
      }),
    );
  });
});

describe("a fixed part that is cached for an hour where a session pauses", () => {
  const costs = (tariff: Tariff, times: readonly number[]): readonly number[] => {
    const cache = new CacheModel(tariff, 2_000, TARIFFS["anthropic-1h"]);
    return times.map((atMs) => Math.round(cache.request([a], atMs).cost));
  };
  const pauseMs = LIFETIME_MS + 1;

  it("costs more to write after the first pause, and is read after the next", () => {
    // 5,000 × 1.25; the same with 2,000 × 0.75 more; 2,000 × 0.1 + 3,000 × 1.25; 5,000 × 0.1
    expect(costs(ANTHROPIC, [0, pauseMs, 2 * pauseMs, 2 * pauseMs])).toEqual([6_250, 7_750, 3_950, 500]);
  });

  it("is lost in a pause of more than an hour", () => {
    expect(costs(ANTHROPIC, [0, pauseMs, pauseMs + 3_600_001]).at(-1)).toBeGreaterThanOrEqual(6_250);
  });

  it("is no entry of its own where a provider matches beginnings", () => {
    const cache = new CacheModel(OPENAI, 2_000, TARIFFS["anthropic-1h"]);
    const plain = new CacheModel(OPENAI, 2_000);
    for (const atMs of [0, 700_000, 1_400_000])
      expect(cache.request([a], atMs)).toEqual(plain.request([a], atMs));
  });
});
