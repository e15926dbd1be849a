import { describe, expect, it } from "vitest";
import { tokenWarningState, WarningMonitor } from "#tokens/budget/warning-state.ts";

const MODEL = { windowTokens: 200_000 };

describe("tokenWarningState", () => {
  it.each([
    { tokens: 0, left: 100, flags: [false, false, false, false], why: "an empty session" },
    { tokens: 83_500, left: 50, flags: [false, false, false, false], why: "half of the way to auto-compact" },
    { tokens: 159_999, left: 4, flags: [false, false, false, false], why: "one token below the warning" },
    { tokens: 160_000, left: 4, flags: [true, true, false, false], why: "at the warning" },
    { tokens: 167_000, left: 0, flags: [true, true, true, false], why: "at the auto-compact threshold" },
    { tokens: 177_000, left: 0, flags: [true, true, true, true], why: "at the blocking limit" },
    { tokens: 900_000, left: 0, flags: [true, true, true, true], why: "far beyond the window" },
  ])("at $tokens tokens: $why", ({ tokens, left, flags }) => {
    const state = tokenWarningState(tokens, MODEL);
    expect(state.percentLeft).toBe(left);
    expect([
      state.isAboveWarningThreshold,
      state.isAboveErrorThreshold,
      state.isAboveAutoCompactThreshold,
      state.isAtBlockingLimit,
    ]).toEqual(flags);
  });
});

it("tokenWarningState knows a model by its id", () => {
  expect(tokenWarningState(167_000, "claude-opus-4-5")).toEqual(tokenWarningState(167_000, MODEL));
  expect(tokenWarningState(167_000, "claude-opus-4-5").isAboveAutoCompactThreshold).toBe(true);
  expect(tokenWarningState(107_000, "no-such-model").isAboveAutoCompactThreshold).toBe(true);
});

describe("WarningMonitor", () => {
  it("is silent from a compaction to the next report, except about the blocking limit", () => {
    const monitor = new WarningMonitor();
    monitor.compacted();
    expect(monitor.state(178_000, MODEL)).toEqual({
      percentLeft: 0,
      isAboveWarningThreshold: false,
      isAboveErrorThreshold: false,
      isAboveAutoCompactThreshold: false,
      isAtBlockingLimit: true,
    });
    monitor.reported();
    expect(monitor.isSuppressed).toBe(false);
    expect(monitor.state(178_000, MODEL).isAboveAutoCompactThreshold).toBe(true);
  });
});
