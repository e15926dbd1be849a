/** A turn as a stream of events: everything in order, and left early without harm. */
import { describe, expect, expectTypeOf, it } from "vitest";
import type { TurnEvent, TurnResult } from "#agent/options/turn/turn-options.ts";
import { tool } from "#agent/tools/tool.ts";
import { internalsOf } from "#session/session.ts";
import { callOf, docsTool, setTheStage } from "#test/agent/stage.ts";
import { blockText } from "#transcript/blocks.ts";

const typesOf = (events: readonly { readonly type: string }[]): readonly string[] =>
  events.map(({ type }) => type);

describe("session.stream", () => {
  it("gives the events of the turn and ends with its result", async () => {
    const { session, palimpsest } = await setTheStage({ calls: 1 });
    const events = [];
    const seen: TurnEvent[] = [];
    const onEvent = (event: TurnEvent): void => void seen.push(event);
    for await (const event of session.stream("Look at it.", { tools: [docsTool(20)], onEvent }))
      events.push(event);
    expect(typesOf(events)).toEqual(["call", "answer", "tool-result", "call", "answer", "done"]);
    expect(events.slice(0, -1)).toEqual(seen);
    const done = events.at(-1);
    if (done?.type !== "done") return expect.unreachable("no result");
    expectTypeOf(done.result).toEqualTypeOf<TurnResult>();
    expect(done.result).toMatchObject({ text: "Done.", endedBy: "done", iterations: 2 });
    await palimpsest.close();
  });

  it("has the edits and summaries of a compaction where they happen", async () => {
    const { session, palimpsest, events: all } = await setTheStage({ calls: 24 });
    const events = [];
    for await (const event of session.stream("Read them.", { tools: [docsTool(1_500)] })) events.push(event);
    const types = typesOf(events);
    expect(types.filter((type) => type === "layer").length).toBe(
      all.filter(({ type }) => type === "layer").length,
    );
    const summary = types.indexOf("summary-call");
    expect(summary).toBeGreaterThan(types.indexOf("tool-result"));
    expect(types.indexOf("layer")).toBeGreaterThan(summary);
    expect(types.slice(types.indexOf("layer"))).toContain("call");
    const count = all.length;
    await session.compact();
    expect(all.length).toBeGreaterThan(count);
    expect(events).toHaveLength(types.length);
    await palimpsest.close();
  });

  it("stops the turn when its reader leaves, and leaves a history that goes on", async () => {
    let isStopped = false;
    const { session, palimpsest, model, eventNames } = await setTheStage({
      answer: (_, index) => (index === 0 ? callOf(0) : "Done."),
    });
    const slow = tool({
      ...{ name: "mcp__docs__get", description: "Never ends." },
      input: { type: "object" },
      execute: (_, { signal }) =>
        new Promise(() => signal.addEventListener("abort", () => (isStopped = true))),
    });
    for await (const event of session.stream("Look at it.", { tools: [slow] }))
      if (event.type === "answer") break;
    expect(isStopped).toBe(true);
    expect(model.requests).toHaveLength(1);
    expect(session.visible.map(({ role, blocks }) => `${role}: ${blockText(blocks[0]!.block)}`)).toEqual([
      "user: Look at it.",
      'assistant: mcp__docs__get {"path":"src/file0.ts"}',
      "user: The user stopped the turn while this call was running.",
    ]);
    expect((await session.turn("And now?")).text).toBe("Done.");
    expect(eventNames().filter((name) => name === "repair")).toEqual([]);
    await palimpsest.close();
  });

  it("ends at once for a reader that leaves while it waits for an event", async () => {
    const { session, palimpsest } = await setTheStage({ answer: () => new Promise(() => undefined) });
    const stream = session.stream("Look at it.");
    expect((await stream.next()).value).toMatchObject({ type: "call" });
    const waiting = stream.next();
    expect(await stream.return()).toEqual({ done: true, value: undefined });
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(session.visible).toHaveLength(1);
    await palimpsest.close();
  });

  it("keeps events for a slow reader, and does not wait for it", async () => {
    const { session, palimpsest, model } = await setTheStage({ calls: 3 });
    const stream = session.stream("Look at it.", { tools: [docsTool(20)] });
    const events = [(await stream.next()).value];
    while (model.requests.length < 4) await new Promise((resolve) => setImmediate(resolve));
    for await (const event of stream) events.push(event);
    expect(events.filter((event) => event?.type === "answer")).toHaveLength(4);
    expect(events.at(-1)).toMatchObject({ type: "done", result: { text: "Done." } });
    await palimpsest.close();
  });

  it("throws the error of the turn after its last event, and that of its options at once", async () => {
    const { session, palimpsest } = await setTheStage({ answer: () => new Error("no such model") });
    const events: string[] = [];
    const read = async (): Promise<void> => {
      for await (const { type } of session.stream("Look at it.")) events.push(type);
    };
    await expect(read()).rejects.toMatchObject({ code: "MODEL_FAILED" });
    expect(events).toEqual(["call"]);
    expect(() => session.stream("Look.", { tool: [] } as never)).toThrow("`stream` has no option `tool`.");
    const stop = new AbortController();
    stop.abort();
    const stopped = session.stream("Look.", { signal: stop.signal });
    await expect(stopped.next()).rejects.toMatchObject({ code: "ABORTED" });
    await palimpsest.close();
  });

  it("hears no more of a session after its turn, also if nobody reads its end", async () => {
    const { session, palimpsest } = await setTheStage({ calls: 0 });
    const { observers } = internalsOf(session.session);
    const count = observers.size;
    await session.stream("Look at it.").next();
    while (session.visible.length < 2) await new Promise((resolve) => setImmediate(resolve));
    await palimpsest.close();
    expect(observers.size).toBe(count);
  });

  it("does nothing until it is read", async () => {
    const { session, palimpsest, model } = await setTheStage({ calls: 0 });
    await session.stream("Look at it.").return();
    session.stream("Look at it.");
    expect((await session.turn("Go.")).text).toBe("Done.");
    expect(model.requests).toHaveLength(1);
    await palimpsest.close();
  });
});
