/** Sessions that compaction cannot help: each ends, soon, in words that a person understands. */
import { describe, expect, it } from "vitest";
import { asksForSummary, SUMMARY } from "#test/agent/fake-model.ts";
import { callOf, docsTool, setTheStage, wordsOf } from "#test/agent/stage.ts";

const failureOf = async (work: Promise<unknown>): Promise<{ message: string; hint: string; code: string }> =>
  (await work.then(
    () => new RangeError("It ended well."),
    (error: unknown) => error,
  )) as { message: string; hint: string; code: string };

const HINT =
  "Nothing is lost, and the next turn goes on. Read less at a time, shorten system prompt and tools, or take a model with a larger window.";

describe("a host that fills the window again right after each compaction", () => {
  it("is stopped after three of them, and told what fills it", async () => {
    const { session, eventNames } = await setTheStage({ calls: 400 });
    const error = await failureOf(session.turn("Read everything.", { tools: [docsTool(7_500)] }));
    expect(error).toMatchObject({
      code: "COMPACTION_THRASHING",
      message:
        "The last 3 compactions were of no use: they freed little, or the window was full again within 3 calls. " +
        "The window of 32,000 tokens holds system prompt and tools 523, messages 11,819, of these, results of mcp__docs__get 11,790.",
      hint: HINT,
    });
    expect(eventNames().filter((name) => name.startsWith("summary-call"))).toHaveLength(4);
  });

  it("is told so again in the next turn, which goes on as far as it can", async () => {
    const { session } = await setTheStage({ calls: 400 });
    const tools = [docsTool(7_500)];
    await failureOf(session.turn("Read everything.", { tools }));
    const next = await session.turn("Only one.", { tools, maxIterations: 2 });
    expect(next.endedBy).toBe("iterations");
    expect((await failureOf(session.turn("Read on.", { tools }))).code).toBe("COMPACTION_THRASHING");
  });
});

describe("a model that reads everything again after each compaction, one by one", () => {
  it("is stopped once nothing new came of three windows", async () => {
    let place = 0;
    let beginning = "";
    const { session, model } = await setTheStage({
      answer: ({ messages }) => {
        const before = beginning;
        beginning = JSON.stringify(messages[0]);
        if (before !== beginning) place = 0;
        return callOf(place++);
      },
    });
    const error = await failureOf(session.turn("Read all.", { tools: [docsTool(1_500)] }));
    expect(error).toMatchObject({
      code: "COMPACTION_THRASHING",
      message:
        "After each of the last 3 compactions the model did again what it had done before, and nothing else. " +
        "The window of 32,000 tokens holds system prompt and tools 526, messages 3,546, of these, results of mcp__docs__get 3,506.",
      hint: HINT,
    });
    expect(model.requests.length).toBeLessThan(70);
  });
});

describe("a system prompt above the threshold", () => {
  it("ends the turn before anything is sent", async () => {
    const { session, model } = await setTheStage();
    const system = "Keep to the rules of the house. ".repeat(3_200);
    const error = await failureOf(session.turn("Hello.", { system }));
    expect(error).toMatchObject({
      code: "WINDOW_TOO_SMALL",
      message:
        "System prompt and tools take 33387 tokens of a window of 32000; more than 25600 leaves no room for a conversation.",
      hint: "Use a model with a larger window, or shorten the system prompt and the tool list.",
    });
    expect(model.requests).toEqual([]);
  });
});

describe("a summary that inflates", () => {
  it("is refused, and after three of them made without a model", async () => {
    const { session, eventNames } = await setTheStage({
      calls: 80,
      summary: () => SUMMARY.replace("reading.", wordsOf(40_000)),
    });
    const result = await session.turn("Read everything.", { tools: [docsTool(1_600)] });
    expect(result.endedBy).toBe("done");
    expect(eventNames().slice(0, 10)).toEqual([
      ...[1, 2, 3].flatMap(() => [
        "summary-call forked: written",
        "extractive (threshold)",
        "summary-refused",
      ]),
      "extractive (threshold)",
    ]);
  });
});

describe("a model that makes the same call over and over", () => {
  it("ends the turn as a loop, with no summary paid", async () => {
    const { session, model, eventNames } = await setTheStage({
      answer: (_, index) => [
        { type: "tool_use", id: `c${index}`, name: "mcp__docs__get", input: { path: "a.ts" } },
      ],
    });
    const result = await session.turn("Read.", { tools: [docsTool(800)] });
    expect(result).toMatchObject({ endedBy: "loop", iterations: 8 });
    expect(model.requests.filter(asksForSummary)).toEqual([]);
    expect(eventNames()).toEqual([]);
  });
});
