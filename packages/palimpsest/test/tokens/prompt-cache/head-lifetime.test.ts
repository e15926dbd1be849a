/** The lifetime of system prompt and tools in the cache, from the pauses of a session. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TARIFFS } from "#tokens/price/tariff.ts";
import { HeadLifetime } from "#tokens/prompt-cache/head-lifetime.ts";

const tariffs = { short: TARIFFS["anthropic-5m"], long: TARIFFS["anthropic-1h"] };
const MINUTE_MS = 60_000;

/** For each request, the minutes since the one before; `L` for those that ask for the long entry. */
function choices(pausesMinutes: readonly number[]): string {
  const head = new HeadLifetime();
  let nowMs = 0;
  return [0, ...pausesMinutes]
    .map((minutes) => {
      nowMs += minutes * MINUTE_MS;
      return head.sent(nowMs, tariffs) ? "L" : "s";
    })
    .join("");
}

describe("the entry of system prompt and tools", () => {
  it.each([
    { pauses: [0, 1, 5, 4.9], chosen: "sssss", why: "the short entry outlives every pause" },
    { pauses: [1, 6, 1, 1], chosen: "ssLLL", why: "the long one would have outlived a pause of six minutes" },
    { pauses: [60, 60, 60], chosen: "sLLL", why: "an hour is outlived" },
    { pauses: [61, 90, 1], chosen: "ssss", why: "nothing outlives longer pauses" },
    { pauses: [10, 120, 1], chosen: "sLLL", why: "one such pause has saved more than one longer has cost" },
    { pauses: [10, 120, 120, 1], chosen: "sLLss", why: "two longer ones have cost more than it saved" },
    { pauses: [10, 120, 120, 10, 1], chosen: "sLLsLL", why: "it pays again after the next one" },
  ])("is chosen as $chosen after pauses of $pauses minutes: $why", ({ pauses, chosen }) => {
    expect(choices(pauses)).toBe(chosen);
  });

  it("never changes while the short entry is warm", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 200 })), (pauses) => {
        const chosen = choices(pauses);
        pauses.forEach((minutes, index) => {
          if (minutes <= 5) expect(chosen[index + 1]).toBe(chosen[index]);
        });
      }),
    );
  });

  it("costs at most one dearer write more than the short entry alone, for each pause that nothing outlives", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 200 })), (pauses) => {
        const chosen = choices(pauses);
        // Cost of the entry for each token of it: in the first request both write it.
        let short = 1.25;
        let own = 1.25;
        pauses.forEach((minutes, index) => {
          const isHeld = minutes <= 5 || (chosen[index] === "L" && minutes <= 60);
          short += minutes <= 5 ? 0.1 : 1.25;
          own += isHeld ? 0.1 : chosen[index + 1] === "L" ? 2 : 1.25;
        });
        const longPauses = pauses.filter((minutes) => minutes > 60).length;
        expect(own - short).toBeLessThanOrEqual(0.75 * (1 + longPauses) + 1e-9);
      }),
    );
  });
});
