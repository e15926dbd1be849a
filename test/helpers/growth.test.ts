import { describe, expect, it } from "vitest";
import { fastestMs, growth } from "./growth.ts";

const steps = (count: number): number => {
  let sum = 0;
  for (let step = 0; step < count; step++) sum = (sum + step * 7) % 1_000_003;
  return sum;
};
const limits = { enough: 24, leastMs: 0.1 };

describe("growth", () => {
  it("of quadratic work is caught", () => {
    const measured = growth(
      () => steps(200 ** 2),
      () => steps(1_600 ** 2),
      limits,
    );
    expect(measured).toBeGreaterThan(24);
  });

  it("of linear work is not", () => {
    const measured = growth(
      () => steps(200_000),
      () => steps(1_600_000),
      limits,
    );
    expect(measured).toBeLessThan(24);
  });
});

it("the fastest time is measured until it is short enough", () => {
  let times = 0;
  expect(fastestMs(() => steps(++times === 1 ? 30_000_000 : 10), 20)).toBeLessThan(20);
  expect(times).toBe(2);
  expect(fastestMs(() => steps(1_000), 0)).toBeGreaterThan(0);
});
