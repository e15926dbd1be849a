/** The counting of steps sees quadratic work of every kind, and is the same each time. */
import { expect, it } from "vitest";
import { countSteps, growth } from "./counted-steps.ts";

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const text = (count: number): string => "a".repeat(count);

it.each<[string, (count: number) => unknown]>([
  ["a text that is searched from each place", (n) => numbers(n).map((at) => text(n).indexOf("b", at))],
  ["a list that is copied for each element", (n) => numbers(n).map(() => [...numbers(n)])],
  ["a list that is searched for each element", (n) => numbers(n).filter((one) => numbers(n).includes(one))],
  [
    "a list that loses its first element",
    (n) => {
      const left = [...numbers(n)];
      while (left.length > 0) left.shift();
    },
  ],
  ["a set that is read for each element", (n) => numbers(n).map(() => [...new Set(numbers(n))].length)],
  ["a text that is read as JSON at each place", (n) => numbers(n).map(() => JSON.parse(`"${text(n)}"`))],
  ["a regular expression that backtracks", (n) => text(n).match(/a+b/)],
  ["replacements that look far ahead", (n) => text(n).replace(/a(?=a*b)/g, "")],
])("quadratic work is seen: %s", (_what, work) => {
  const steps = growth(
    () => work(100),
    () => work(800),
  );
  expect(steps).toBeGreaterThan(40);
});

it.each<[string, (count: number) => unknown]>([
  ["each element", (n) => numbers(n).map((one) => one + 1)],
  ["each character", (n) => [...text(n)]],
  ["each match", (n) => text(n).replace(/a/g, "b")],
  ["each piece", (n) => text(n).split(/a/)],
])("linear work is: %s", (_what, work) => {
  const steps = growth(
    () => work(100),
    () => work(800),
  );
  expect(steps).toBeLessThan(9);
});

it("the same work takes the same steps", () => {
  const work = () => text(50).replaceAll(/a+/g, (all) => all.toUpperCase());
  expect(countSteps(work)).toBe(countSteps(work));
  expect(work()).toBe("A".repeat(50));
});
