/** Texts that backtracking chokes on: the strings of a metric are found in steps in proportion to their length. */
import { expect, it } from "vitest";
import { findMetricStrings } from "#metering/metric-strings.ts";
import { growth, LINEAR_LIMIT } from "../../../../test/helpers/counted-steps.ts";

it.each<{ readonly what: string; readonly make: (length: number) => string }>([
  { what: "one letter", make: (length) => "a".repeat(length) },
  { what: "lines of one letter", make: (length) => `${"a".repeat(1_999)} `.repeat(length / 2_000) },
  { what: "paths of one letter", make: (length) => "a/".repeat(length / 2) },
  { what: "paths of one letter in lines", make: (length) => `${"a/".repeat(999)} `.repeat(length / 2_000) },
  { what: "hyphens", make: (length) => "-a".repeat(length / 2) },
  { what: "dots behind a slash", make: (length) => `a/${".".repeat(length)}x ` },
  { what: "digits and dots", make: (length) => "1.".repeat(length / 2) },
  { what: "dollars", make: (length) => `${"a$".repeat(999)} `.repeat(length / 2_000) },
  { what: "quotation marks", make: (length) => '"abcde'.repeat(length / 6) },
  { what: "base64", make: (length) => `${"QUJDREVGR0hJSktMTU5P+/".repeat(90)}\n`.repeat(length / 2_000) },
])("eight times as much of $what takes eight times the steps", ({ make }) => {
  const [small, large] = [make(2_000), make(16_000)];
  const steps = growth(
    () => findMetricStrings(small),
    () => findMetricStrings(large),
  );
  expect(steps).toBeLessThan(LINEAR_LIMIT);
  expect(findMetricStrings(make(100_000)).size).toBeLessThan(3);
});
