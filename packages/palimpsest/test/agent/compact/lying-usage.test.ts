/** Reports of far more tokens than were sent: what they cost is bounded, and a conversation that is small stays whole. */
import { describe, expect, it } from "vitest";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { asksForSummary, type FakeReply, SUMMARY } from "#test/agent/fake-model.ts";
import { type Stage, setTheStage, wordsOf } from "#test/agent/stage.ts";

const WINDOW_TOKENS = 200_000;

const reporting = (inputTokens: number, text: string): FakeReply => ({
  messages: [{ role: "assistant", content: [{ type: "text", text }] }],
  stopReason: "end",
  usage: { inputTokens: Math.round(inputTokens), cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 10 },
});

const summaryCalls = ({ model }: Stage): number => model.requests.filter(asksForSummary).length;

describe("a provider that reports 190,000 tokens for a few words", () => {
  it("is paid for three summaries at most, also if the session is opened again and again", async () => {
    const store = new InMemorySessionStore();
    let paid = 0;
    for (let opening = 0; opening < 4; opening++) {
      const stage = await setTheStage({
        store,
        window: { windowTokens: WINDOW_TOKENS, policy: "balanced", disabledLayers: [] },
        answer: (_, index) => reporting(190_000, `answer ${index}`),
        summary: () => reporting(190_000, SUMMARY),
      });
      for (let turn = 0; turn < 5; turn++) await stage.session.turn(`short message ${opening} ${turn}`);
      await stage.palimpsest.close();
      paid += summaryCalls(stage);
    }
    expect(paid).toBeLessThanOrEqual(3);
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
