/** Which results make which exit code. */
import { describe, expect, it } from "vitest";
import { exitCodeOf, type ReplayedSession, type SessionResult } from "#replay/measure/replay-json.ts";
import { aReplayed } from "./sample-session.ts";

const failed = (code: string): SessionResult => ({
  file: "a.jsonl",
  error: { code, message: "It failed.", hint: "Try again." },
});
const with_ = (changed: Partial<ReplayedSession>): SessionResult => ({ ...aReplayed(), ...changed });

describe("exitCodeOf", () => {
  it.each([
    { results: [], code: 0, why: "nothing went wrong" },
    { results: [aReplayed(), aReplayed()], code: 0, why: "every check held" },
    { results: [with_({ overflows: 1 })], code: 1, why: "a request was too large" },
    { results: [with_({ invariants: { checked: 2, broken: 1 } })], code: 1, why: "a request was not valid" },
    { results: [with_({ lossless: { blocks: 9, recovered: 8 } })], code: 1, why: "something was lost" },
    {
      results: [with_({ rebuild: { checked: 2, different: 1 } })],
      code: 1,
      why: "a window came out different",
    },
    { results: [failed("WINDOW_TOO_SMALL"), aReplayed()], code: 3, why: "only a window was too small" },
    {
      results: [failed("WINDOW_TOO_SMALL"), failed("INPUT_EMPTY")],
      code: 1,
      why: "something else went wrong, too",
    },
    { results: [failed("WINDOW_TOO_SMALL"), with_({ overflows: 1 })], code: 1, why: "a check failed, too" },
    { results: [failed("INPUT_EMPTY")], code: 1, why: "a file could not be read" },
  ])("is $code where $why", ({ results, code }) => {
    expect(exitCodeOf(results)).toBe(code);
  });
});
