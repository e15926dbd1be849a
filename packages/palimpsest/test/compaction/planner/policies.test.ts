/** Budgets of a summary: how the parts of it share a window. */
import { expect, it } from "vitest";
import { costPolicy } from "#compaction/planner/cost-policy.ts";
import { extractivePolicy, sessionMemoryPolicy } from "#compaction/planner/policies.ts";

const situationIn = (windowTokens: number) => ({
  windowTokens,
  effectiveTokens: windowTokens * 0.9,
  editSafety: "strict" as const,
  pendingCallIds: [],
  pins: [],
});

it.each([
  64_000, 32_000,
])("gives exact strings at most a fifth of what a summary leaves in %i tokens", (windowTokens) => {
  const { targetTokens, appendixTokens } = extractivePolicy(
    situationIn(windowTokens),
    costPolicy("balanced"),
  );
  const fromNotes = sessionMemoryPolicy(situationIn(windowTokens), targetTokens);
  for (const tokens of [appendixTokens, fromNotes.appendixTokens]) {
    expect(tokens).toBeGreaterThan(targetTokens * 0.1);
    expect(tokens).toBeLessThanOrEqual(targetTokens * 0.2);
  }
});

it("gives them their whole budget in a large window", () => {
  expect(extractivePolicy(situationIn(200_000), costPolicy("balanced")).appendixTokens).toBe(6_000);
});
