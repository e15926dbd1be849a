/** Reports of far more tokens than were sent: what they cost is bounded, and a conversation that is small stays whole. */
import { describe, expect, it } from "vitest";
import type { PolicyName } from "#compaction/planner/cost-policy.ts";
import type { ModelRequest } from "#ports/model-client.ts";
import { asksForSummary, type FakeReply, SUMMARY } from "#test/agent/fake-model.ts";
import { type Stage, setTheStage, wordsOf } from "#test/agent/stage.ts";
import { estimateMessage } from "#tokens/estimate/estimate-block.ts";

const WINDOW_TOKENS = 200_000;

const reporting = (inputTokens: number, text: string): FakeReply => ({
  messages: [{ role: "assistant", content: [{ type: "text", text }] }],
  stopReason: "end",
  usage: { inputTokens: Math.round(inputTokens), cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 10 },
});

const summaryCalls = ({ model }: Stage): number => model.requests.filter(asksForSummary).length;

/** The request by the estimate of the tests. */
const sizeOf = ({ messages }: ModelRequest): number =>
  messages.reduce((sum, message) => sum + estimateMessage(message), 0);

/** A conversation of `turns` messages of `words` with a provider that reports `usage` of each request. */
async function converse(
  { turns, words, policy }: { turns: number; words: number; policy: PolicyName },
  usage: (request: ModelRequest, call: number) => number,
) {
  let call = 0;
  const reported: number[] = [];
  const report = (request: ModelRequest): number => {
    const tokens = Math.round(usage(request, call++));
    reported.push(tokens);
    return tokens;
  };
  const stage = await setTheStage({
    window: { windowTokens: WINDOW_TOKENS, policy, disabledLayers: [] },
    answer: (request) => reporting(report(request), "Noted."),
    summary: (request) => reporting(usage(request, call), SUMMARY),
  });
  for (let turn = 0; turn < turns; turn++)
    await stage.session.turn(`Message ${turn}: ${"word ".repeat(words)}`);
  return {
    summaries: summaryCalls(stage),
    edits: stage.events.filter(({ type }) => type === "layer").length,
    largest: Math.max(...reported),
  };
}

const POLICIES: readonly PolicyName[] = ["economy", "balanced", "faithful", "classic"];

describe.each(POLICIES)("a conversation of a few thousand tokens under `%s`", (policy) => {
  it.each<{ why: string; usage: (request: ModelRequest, call: number) => number }>([
    { why: "always 170,000", usage: () => 170_000 },
    { why: "always 190,000", usage: () => 190_000 },
    { why: "more with every call", usage: (_, call) => 100_000 + call * 5_000 },
    { why: "the sum over all calls", usage: (_, call) => call * 9_000 },
    { why: "at random", usage: (_, call) => 100_000 + ((call * 37_913) % 99_000) },
    { why: "a hidden prompt of 165,000", usage: (request) => 165_000 + sizeOf(request) },
  ])("costs no summary by a model where the reports are: $why", async ({ usage }) => {
    const found = await converse({ turns: 40, words: 50, policy }, usage);
    expect(found.summaries).toBe(0);
  });

  it("with a hidden prompt of 150,000 is compacted before the provider refuses", async () => {
    const found = await converse({ turns: 24, words: 1_500, policy }, (request) => 150_000 + sizeOf(request));
    expect(found.largest).toBeLessThan(177_000);
    expect(found.edits).toBeGreaterThanOrEqual(1);
  });

  it("with reports of three times the estimate is compacted before the provider refuses", async () => {
    const found = await converse({ turns: 24, words: 3_000, policy }, (request) => 3 * sizeOf(request));
    expect(found.largest).toBeLessThan(177_000);
    expect(found.edits).toBeGreaterThanOrEqual(1);
  });
});

describe("a window that no summary makes small enough", () => {
  it("is paid for three summaries at most, however often the turn is tried", async () => {
    const stage = await setTheStage({
      window: { editSafety: "strict", disabledLayers: ["extractive"] },
      answer: () => wordsOf(2_000),
      summary: () => SUMMARY.replace("reading.", wordsOf(40_000)),
    });
    const codes: string[] = [];
    for (let turn = 0; turn < 24; turn++)
      await stage.session.turn(`Question ${turn}.`).then(
        ({ endedBy }) => codes.push(endedBy),
        (error: { readonly code: string }) => codes.push(error.code),
      );
    expect(codes.at(-1)).toBe("WINDOW_TOO_SMALL");
    expect(summaryCalls(stage)).toBe(3);
  });
});
