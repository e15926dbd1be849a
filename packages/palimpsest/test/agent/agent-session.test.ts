import { describe, expect, it } from "vitest";
import { docsTool, setTheStage } from "./stage.ts";

describe("a turn", () => {
  it("asks, runs the tools that are called, and hands back what was said last", async () => {
    const { session, model } = await setTheStage({ calls: 1 });
    const result = await session.turn("Look at it.", { tools: [docsTool(20)] });
    expect(result).toMatchObject({ text: "Done.", endedBy: "done", iterations: 2 });
    expect(result.usage.outputTokens).toBe(100);
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  it("offers the tools of the session's history, and answers them", async () => {
    const { session, model } = await setTheStage({
      answer: (_, index) =>
        index === 0
          ? [{ type: "tool_use", id: "c", name: "history_search", input: { query: "blue parrot" } }]
          : "Found.",
    });
    await session.turn("Where is the blue parrot?");
    const names = model.requests[0]?.tools?.map((tool) => (tool as { name: string }).name);
    expect(names).toEqual(["history_search", "history_read", "history_pin"]);
    const result = model.requests[1]?.messages.at(-1)?.content[0];
    expect(result).toMatchObject({ type: "tool_result", tool_use_id: "c" });
    expect(JSON.stringify(result)).toContain("m2.0");
  });

  it("tells the model of tools that fail and of tools that there are not", async () => {
    const { session, model } = await setTheStage({
      answer: (_, index) =>
        index > 0
          ? "I see."
          : [
              { type: "tool_use", id: "a", name: "Broken", input: {} },
              { type: "tool_use", id: "b", name: "Nothing", input: {} },
            ],
    });
    const broken = {
      name: "Broken",
      description: "Breaks.",
      inputSchema: { type: "object" },
      run: () => {
        throw new Error("the disk is full");
      },
    };
    await session.turn("Try.", { tools: [broken] });
    expect(model.requests[1]?.messages.at(-1)?.content).toEqual([
      { type: "tool_result", tool_use_id: "a", content: "the disk is full", is_error: true },
      {
        type: "tool_result",
        tool_use_id: "b",
        content: 'There is no tool "Nothing". Tools: Broken.',
        is_error: true,
      },
    ]);
  });

  it("goes on where it was left after opening", async () => {
    const { session, palimpsest, model } = await setTheStage({ answer: () => "Yes." });
    await session.turn("Remember the number 4711.");
    await palimpsest.close();
    const again = await palimpsest.session("s1");
    await again.turn("Which number?");
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("4711");
  });

  it("is one at a time", async () => {
    const { session } = await setTheStage();
    const first = session.turn("One.", { tools: [docsTool(20)] });
    await expect(session.turn("Two.")).rejects.toMatchObject({ code: "TURN_RUNNING" });
    await first;
  });

  it("ends at its limit of calls", async () => {
    const { session } = await setTheStage();
    const result = await session.turn("Go.", { tools: [docsTool(20)], maxIterations: 5 });
    expect(result).toMatchObject({ endedBy: "iterations", iterations: 5 });
  });

  it("ends where the model makes the same call with the same result over and over", async () => {
    const { session } = await setTheStage({
      answer: (_, index) => [{ type: "tool_use", id: `c${index}`, name: "mcp__docs__get", input: {} }],
    });
    const result = await session.turn("Go.", { tools: [docsTool(20)] });
    expect(result).toMatchObject({ endedBy: "loop", iterations: 8 });
  });

  it("keeps what was finished of an answer that was aborted, and no half of a call", async () => {
    const stop = new AbortController();
    const { session, model } = await setTheStage({ answer: () => "Again." });
    const streaming = {
      ...model,
      stream: async (
        _: unknown,
        { signal, onEvent }: { signal: AbortSignal; onEvent: (event: object) => void },
      ) => {
        onEvent({ type: "block", block: { type: "text", text: "The first half" } });
        onEvent({ type: "block", block: { type: "tool_use", id: "x", name: "mcp__docs__get", input: {} } });
        stop.abort();
        await new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason)),
        );
      },
    };
    Object.assign(model, { stream: streaming.stream });
    await expect(session.turn("Go.", { signal: stop.signal, onEvent: () => {} })).rejects.toMatchObject({
      code: "ABORTED",
    });
    Object.assign(model, { stream: undefined });
    await session.turn("Go on.");
    const message = model.requests.at(-1)?.messages;
    expect(message?.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(message?.[1]?.content).toEqual([{ type: "text", text: "The first half" }]);
  });
});
