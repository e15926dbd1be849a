/** The window that the last call of a stored session was made to fit. */
import type { CallEntry } from "palimpsest/transcript";
import { expect, it } from "vitest";
import { windowOf } from "#stored-sessions/read-session.ts";

const MODEL = "claude-sonnet-4-5";

it.each([
  { called: MODEL, windowTokens: 64_000, window: 64_000, why: "the window of the call" },
  { called: MODEL, windowTokens: undefined, window: undefined, why: "what is known of the model" },
  { called: "other", windowTokens: 64_000, window: undefined, why: "another model" },
  ...[0, -1, 0.5, 1e308].map((windowTokens) => ({
    ...{ called: MODEL, windowTokens, window: undefined },
    why: "not a size",
  })),
])("the last call's window is $window where it says $windowTokens: $why", (row) => {
  const call = { type: "call", model: row.called, windowTokens: row.windowTokens } as CallEntry;
  expect(windowOf(call, MODEL)).toBe(row.window);
});

it("a session without a call has no window", () => {
  expect(windowOf(undefined, MODEL)).toBeUndefined();
});
