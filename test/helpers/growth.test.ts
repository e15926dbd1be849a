import { describe, expect, it } from "vitest";
import { fastestMs, growth } from "./growth.ts";

/** Work that tells how many steps it took, a thousand to the millisecond. */
const steps = (count: number) => () => count;
const counted = (work: () => unknown): number => (work() as number) / 1_000;
const limits = { enough: 24, leastMs: 0.1 };

describe("growth", () => {
  it("of quadratic work is caught", () => {
    expect(growth(steps(200 ** 2), steps(1_600 ** 2), limits, counted)).toBe(64);
  });

  it("of linear work is not", () => {
    expect(growth(steps(200_000), steps(1_600_000), limits, counted)).toBe(8);
  });

  it("counts small work for at least the least time", () => {
    expect(growth(steps(1), steps(1_000), limits, counted)).toBe(10);
  });

  it("is measured again while disturbances slow the work down", () => {
    let rounds = 0;
    const large = (): number => (++rounds < 5 ? 1_000_000 : 8_000);
    expect(growth(steps(1_000), large, limits, counted)).toBe(8);
    expect(rounds).toBe(5);
  });
});

it("the fastest time is measured until it is short enough", () => {
  let times = 0;
  expect(fastestMs(() => (++times === 1 ? 30_000 : 10_000), 20, counted)).toBe(10);
  expect(times).toBe(2);
});

it("the processor's time is measured where nothing else is named", () => {
  const busy = (): number => {
    let sum = 0;
    for (let step = 0; step < 3_000_000; step++) sum = (sum + step * 7) % 1_000_003;
    return sum;
  };
  expect(fastestMs(busy, 0)).toBeGreaterThan(0);
  expect(growth(() => 0, busy, { enough: Infinity, leastMs: 0.001 })).toBeGreaterThan(1);
});
