import { describe, expect, it } from "vitest";
import { internalsOf } from "#session/session.ts";
import type { FakeReply } from "#test/agent/fake-model.ts";
import { callOf, docsTool, setTheStage } from "#test/agent/stage.ts";
import { estimateMessage } from "#tokens/estimate/estimate-block.ts";

const tools = [docsTool(500)];
const refusal = (message: string, status = 400): Error => Object.assign(new Error(message), { status });
/** Calls of the tool with one failure at call `at`. */
const failingAt =
  (at: number, error: Error, count = 1) =>
  (_: unknown, index: number): FakeReply =>
    index >= at && index < at + count ? error : index > 20 ? "Done." : callOf(index);

describe("a request that was refused", () => {
  it("as too long gives up its old rounds, is sent again, and the limit is learned", async () => {
    const error = refusal("prompt is too long: 16000 tokens > 12000 maximum");
    const { session, eventNames } = await setTheStage({ answer: failingAt(15, error) });
    const result = await session.turn("Read everything.", { tools });
    expect(result.endedBy).toBe("done");
    expect(eventNames().slice(0, 2)).toEqual(["model-failed: prompt-too-long", "collapse (reactive)"]);
    expect(session.session.tokens.padded).toBeLessThan(12_000);
    expect(internalsOf(session.session).budgets.budget.windowTokens).toBe(12_000);
  });

  it("as too long is compacted where old rounds may not be shown otherwise", async () => {
    const error = refusal("prompt is too long: 16000 tokens > 12000 maximum");
    for (const window of [
      { disabledLayers: ["offload", "microcompact", "collapse"] },
      { editSafety: "strict" },
    ] as const) {
      const { session, eventNames } = await setTheStage({ answer: failingAt(15, error), window });
      expect((await session.turn("Read everything.", { tools })).endedBy).toBe("done");
      expect(eventNames().slice(0, 3)).toEqual([
        "model-failed: prompt-too-long",
        "summary-call cold: written",
        "full (reactive)",
      ]);
    }
  });

  it("as too long once more is compacted then", async () => {
    const error = refusal("prompt is too long: 16000 tokens > 12000 maximum");
    const { session, eventNames } = await setTheStage({ answer: failingAt(15, error, 2) });
    expect((await session.turn("Read everything.", { tools })).endedBy).toBe("done");
    expect(eventNames().slice(0, 5)).toEqual([
      "model-failed: prompt-too-long",
      "collapse (reactive)",
      "model-failed: prompt-too-long",
      "summary-call cold: written",
      "full (reactive)",
    ]);
  });

  it("as too large, with no media in it, gives up its old rounds, and is compacted if that is not enough", async () => {
    const error = refusal("request_too_large: Request exceeds the maximum size", 413);
    const { session, eventNames } = await setTheStage({ answer: failingAt(15, error, 2) });
    expect((await session.turn("Read everything.", { tools })).endedBy).toBe("done");
    expect(eventNames().slice(0, 5)).toEqual([
      "model-failed: body-too-large",
      "collapse (media)",
      "model-failed: body-too-large",
      "summary-call cold: written",
      "full (media)",
    ]);
  });

  it("without figures gives up its old rounds all the same", async () => {
    const error = refusal("context_length_exceeded: Your input exceeds the context window of this model.");
    const { session, eventNames } = await setTheStage({ answer: failingAt(15, error) });
    const result = await session.turn("Read everything.", { tools });
    expect(result.endedBy).toBe("done");
    expect(eventNames()).toContain("collapse (reactive)");
  });

  it("in a small conversation and without figures is not held against what comes after", async () => {
    const error = refusal("context_length_exceeded: Your input exceeds the context window of this model.");
    const { session } = await setTheStage({ answer: (_, index) => (index < 2 ? error : "Yes.") });
    const system = "Keep to the rules of the house. ".repeat(500);
    await expect(session.turn("Hello.", { system })).rejects.toMatchObject({ code: "PROMPT_TOO_LONG" });
    const again = await session.turn("And now?", { system });
    expect(again).toMatchObject({ endedBy: "done", text: "Yes." });
  });

  it("in one turn is recovered from in the next one again", async () => {
    const broken = new TypeError("fetch failed");
    const { session, model } = await setTheStage({
      answer: (_, index) => (index < 3 ? broken : "Yes."),
    });
    await expect(session.turn("Hello.")).rejects.toMatchObject({ code: "MODEL_FAILED", kind: "network" });
    expect(model.requests).toHaveLength(2);
    const again = await session.turn("And now?");
    expect(again.text).toBe("Yes.");
  });

  it("three times for one answer ends the turn with the figures", async () => {
    const error = refusal("prompt is too long: 250000 tokens > 12000 maximum");
    const { session } = await setTheStage({ answer: failingAt(15, error, 3) });
    await expect(session.turn("Read everything.", { tools })).rejects.toMatchObject({
      code: "PROMPT_TOO_LONG",
      promptTokens: 250_000,
      limitTokens: 12_000,
    });
    const again = await session.turn("Go on.", { tools });
    expect(again.endedBy).toBe("done");
  });

  it("for an overload is the caller's", async () => {
    const { session } = await setTheStage({ answer: failingAt(3, refusal("Overloaded", 529)) });
    await expect(session.turn("Read.", { tools })).rejects.toMatchObject({
      code: "MODEL_FAILED",
      kind: "overloaded",
      status: 529,
    });
  });

  it("for its media is sent without the old ones", async () => {
    const { session, model, eventNames } = await setTheStage({
      answer: (_, index) =>
        index === 1 ? refusal("request_too_large: Request exceeds the maximum size", 413) : "Yes.",
    });
    const image = {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: "A".repeat(2_000) },
    } as const;
    await session.append({ role: "user", content: [image, { type: "text", text: "Look." }] });
    await session.turn([{ role: "user", content: [image, { type: "text", text: "And this." }] }]);
    await session.turn([{ role: "user", content: [{ type: "text", text: "What was it?" }] }]);
    expect(eventNames()).toEqual(["model-failed: body-too-large", "peel (media)"]);
    const images = JSON.stringify(model.requests.at(-1)?.messages).match(/"type":"image"/g);
    expect(images).toHaveLength(1);
  });

  it("for thinking that is bound to an edited history is sent without any", async () => {
    const error = refusal(
      "Invalid `signature` in `thinking` block. The block is bound to a different conversation.",
    );
    const { session, eventNames } = await setTheStage({ answer: failingAt(12, error) });
    const result = await session.turn("Read everything.", { tools });
    expect(result.endedBy).toBe("done");
    expect(eventNames()).toContain("full (thinking)");
  });

  it("for thinking, where there is nothing to summarise yet, is sent without that", async () => {
    const error = refusal(
      "Invalid `signature` in `thinking` block. The block is bound to a different conversation.",
    );
    const { session, model, eventNames } = await setTheStage({
      answer: (_, index) =>
        index === 0
          ? [
              { type: "thinking", thinking: "Hm.", signature: "signed" },
              { type: "text", text: "Yes." },
            ]
          : index === 1
            ? error
            : "Good.",
    });
    await session.turn("Is it?");
    await session.turn("How is it?");
    expect(eventNames()).toEqual([
      "model-failed: invalid-request",
      "summary-call cold: written",
      "peel (thinking)",
      "summary-refused",
    ]);
    expect(model.requests.at(-1)?.messages[1]?.content).toEqual([{ type: "text", text: "Yes." }]);
    const kept = await session.session.history.block("m4.0");
    expect(kept).toMatchObject({ type: "thinking", signature: "signed" });
  });

  it("by a broken connection is sent once more, as it was", async () => {
    const { session, model } = await setTheStage({ answer: failingAt(3, new TypeError("fetch failed")) });
    const result = await session.turn("Read.", { tools });
    expect(result.endedBy).toBe("done");
    expect(JSON.stringify(model.requests[4]?.messages)).toBe(JSON.stringify(model.requests[3]?.messages));
  });

  it("is what the log holds of the call", async () => {
    const { session, palimpsest, store } = await setTheStage({
      answer: failingAt(3, refusal("Overloaded", 529)),
    });
    await session.turn("Read.", { tools }).catch(() => undefined);
    await palimpsest.close();
    const log = await store.open("s1");
    const answers = [];
    for await (const { entries } of log.readAll())
      for (const { entry } of entries)
        if (entry.type === "answer" && entry.error !== undefined) answers.push(entry.error);
    expect(answers).toEqual([{ code: "overloaded", message: "Overloaded" }]);
  });
});

describe("figures that are none", () => {
  it.each([
    { usage: { inputTokens: Number.NaN, outputTokens: "many" }, why: "no counts" },
    { usage: { inputTokens: 1e300, outputTokens: 1 }, why: "more than there is text" },
    { usage: { inputTokens: 10, outputTokens: 4e6 }, why: "more than sixteen windows" },
  ])("cost nothing but themselves: $why", async ({ usage: reported }) => {
    const usage = reported as never;
    const { session, eventNames } = await setTheStage({
      answer: () => ({
        messages: [{ role: "assistant", content: [{ type: "text", text: "Yes." }] }],
        stopReason: "end",
        usage,
      }),
    });
    const { text, usage: sum } = await session.turn("Is it?");
    expect(text).toBe("Yes.");
    expect(sum).toEqual({ inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 });
    expect(eventNames()).toEqual(["counter-failed"]);
  });
});

describe("a compaction by hand while the model is answering", () => {
  it("takes the thinking of that answer out, which is bound to what was there before", async () => {
    let compacted: Promise<unknown> | undefined;
    const stage = await setTheStage({
      window: { editSafety: "strict" },
      answer: async (_, index) => {
        if (index === 14) compacted = stage.session.compact();
        await compacted;
        if (index > 14) return "Done.";
        return [
          { type: "thinking", thinking: `Thought ${index}.`, signature: `signed ${index}` },
          ...(callOf(index) as readonly []),
        ];
      },
    });
    await stage.session.turn("Read everything.", { tools });
    const sent = JSON.stringify(stage.model.requests.at(-1)?.messages);
    expect(sent).not.toContain("Thought");
    expect(sent).toContain("src/file14.ts");
  });
});

describe("a provider that cuts prompts without a word", () => {
  /** Sixty calls, of which each is reported as `reported` says of its number and of what was sent. */
  const reportedAs = (reported: (index: number, sentTokens: number) => number) =>
    setTheStage({
      window: { windowTokens: 200_000, policy: "faithful" },
      answer: (request, index) => {
        if (index > 60) return "Done.";
        const sentTokens = Math.round(
          request.messages.reduce((sum, message) => sum + estimateMessage(message), 0),
        );
        const inputTokens = reported(index, sentTokens);
        const content = callOf(index) as never;
        const usage = { inputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 50 };
        return { messages: [{ role: "assistant", content }], stopReason: "tool-use", usage };
      },
    });

  it("is noticed once its figures stand still while the prompt grows on, and the next request is smaller", async () => {
    const { session, eventNames } = await reportedAs((_, sentTokens) => Math.min(sentTokens, 8_000));
    await session.turn("Read everything.", { tools });
    expect(eventNames().filter((name) => name !== "usage-distrusted")[0]).toBe(
      "model-failed: prompt-too-long",
    );
    expect(eventNames().some((name) => name.endsWith("(silent-overflow)"))).toBe(true);
  });

  it.each([
    { why: "once far below", reported: (index: number, sent: number) => (index === 20 ? 2_000 : sent) },
    { why: "always the same", reported: () => 2_000 },
    { why: "without what came from the cache", reported: (index: number) => (index === 0 ? 4_000 : 900) },
    {
      why: "every second time a third",
      reported: (index: number, sent: number) => (index % 2 ? sent : sent / 3),
    },
    {
      why: "once ten times the window",
      reported: (index: number, sent: number) => (index === 20 ? 2e6 : sent),
    },
  ])("is not seen in figures that are odd: $why", async ({ reported }) => {
    const { session, eventNames } = await reportedAs((index, sent) => Math.round(reported(index, sent)));
    await session.turn("Read everything.", { tools });
    expect(eventNames().filter((name) => name !== "usage-distrusted")).toEqual([]);
  });
});

describe("compaction that does not help", () => {
  it("ends the turn in words, and the next turn goes on", async () => {
    const { session, eventNames } = await setTheStage({ calls: 400 });
    const huge = [docsTool(7_500)];
    const error: unknown = await session
      .turn("Read everything, again and again.", { tools: huge })
      .catch((one) => one);
    expect(error).toMatchObject({ code: "COMPACTION_THRASHING" });
    expect(String(error)).toContain("results of mcp__docs__get");
    expect(eventNames().filter((name) => name === "useless-compaction").length).toBeGreaterThanOrEqual(3);
    const next = await session.turn("Then stop.", { tools: huge, maxIterations: 2 });
    expect(next.endedBy).toBe("iterations");
  });

  it("is not begun where system prompt and tools alone are too large", async () => {
    const { session, model } = await setTheStage();
    const system = "rule ".repeat(40_000);
    await expect(session.turn("Hello.", { system })).rejects.toMatchObject({ code: "WINDOW_TOO_SMALL" });
    expect(model.requests).toEqual([]);
  });
});
