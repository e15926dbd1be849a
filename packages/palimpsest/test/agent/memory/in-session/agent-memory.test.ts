/** Long-term memory in a session with a model: each text is shown at its time, and once. */
import { describe, expect, it } from "vitest";
import type { ModelRequest } from "#ports/model-client.ts";
import type { SessionEvent } from "#session/events/events.ts";
import { inMemoryMemoryStore } from "#stores/in-memory/in-memory-memory-store.ts";
import { aPersistentMemory } from "#test/agent/memory/a-persistent-memory.ts";
import { setTheStage } from "#test/agent/stage.ts";
import { blockText } from "#transcript/blocks.ts";

const textsOf = ({ messages }: ModelRequest): readonly string[] =>
  messages.flatMap(({ content }) => content.map(blockText));
const recalledIn = (request: ModelRequest) =>
  textsOf(request).filter((text) => text.startsWith("<recalled-memories>"));
const indexIn = (request: ModelRequest) =>
  textsOf(request).filter((text) => text.startsWith("<memory-index>"));
const deltaIn = (request: ModelRequest) =>
  textsOf(request).filter((text) => text.startsWith("<memory-index-news>"));
const isRecall = (event: SessionEvent) => event.type === "memory-recalled";

describe("a session with long-term memory", () => {
  it("is told the index at its start and what a message calls for, behind what was said", async () => {
    const { memory } = aPersistentMemory();
    await memory.remember("We deploy on Tuesdays only.", { source: "user" });
    const { session, model, events } = await setTheStage({ memory, calls: 0 });
    await session.turn("When can I deploy?", { system: "Be exact." });
    const [request] = model.requests;
    expect(request!.system).toBe("Be exact.");
    expect(indexIn(request!)).toHaveLength(1);
    expect(recalledIn(request!)[0]).toContain("> We deploy on Tuesdays only.");
    expect(textsOf(request!)[0]).toBe("When can I deploy?");
    expect(events.filter(isRecall)).toMatchObject([
      { paths: ["we-deploy-on-tuesdays-only.md"], chosenBy: "rank" },
    ]);
    expect((await memory.injections())[0]).toMatchObject({
      path: "we-deploy-on-tuesdays-only.md",
      sessionId: "s1",
    });
  });

  it("is told nothing twice, and never rewrites what it was told", async () => {
    const { memory } = aPersistentMemory();
    await memory.remember("We deploy on Tuesdays only.", { source: "user" });
    const { session, model } = await setTheStage({ memory, answer: () => "Done." });
    await session.turn("When can I deploy?");
    await session.turn("And when can I deploy again?");
    const [first, second] = model.requests;
    expect(recalledIn(second!)).toHaveLength(1);
    expect(indexIn(second!)).toHaveLength(1);
    const before = textsOf(first!);
    expect(textsOf(second!).slice(0, before.length)).toEqual(before);
  });

  it("hears of what changes while it runs, as news", async () => {
    const { memory } = aPersistentMemory();
    const { path } = await memory.remember("We deploy on Tuesdays only.", { source: "user" });
    const { session, model } = await setTheStage({ memory, answer: () => "Done." });
    await session.turn("Hello.");
    await memory.supersede(path!, "We deploy on Thursdays.", { source: "user" });
    await session.turn("Hello again.");
    await session.turn("And again.");
    const last = model.requests.at(-1)!;
    expect(indexIn(last)).toHaveLength(1);
    expect(deltaIn(last)).toHaveLength(1);
    expect(deltaIn(last)[0]).toMatch(/- > .*Tuesdays[\s\S]*\+ > .*Thursdays/);
  });

  it("is recalled once for a message, not for each call of the turn", async () => {
    const { memory } = aPersistentMemory();
    await memory.remember("We deploy on Tuesdays only.", { source: "user" });
    const { session, events } = await setTheStage({ memory, calls: 3 });
    await session.turn("When can I deploy?", { tools: [] });
    expect(events.filter(isRecall)).toHaveLength(1);
  });

  it("serves hosts with a loop of their own, too", async () => {
    const { memory } = aPersistentMemory();
    await memory.remember("We deploy on Tuesdays only.", { source: "user" });
    const { session } = await setTheStage({ memory });
    await session.append({ role: "user", content: [{ type: "text", text: "When can I deploy?" }] });
    const { messages } = await session.prepare();
    expect(recalledIn({ messages } as ModelRequest)).toHaveLength(1);
  });

  it("knows after a restart what it was told", async () => {
    const { memory } = aPersistentMemory();
    await memory.remember("We deploy on Tuesdays only.", { source: "user" });
    const { palimpsest, session, model } = await setTheStage({ memory, answer: () => "Done." });
    await session.turn("When can I deploy?");
    await session.close();
    const resumed = await palimpsest.session("s1");
    await resumed.turn("And when can I deploy again?");
    expect(recalledIn(model.requests.at(-1)!)).toHaveLength(1);
    expect(indexIn(model.requests.at(-1)!)).toHaveLength(1);
    expect(deltaIn(model.requests.at(-1)!)).toHaveLength(0);
  });

  it("is told the index anew behind a compaction, as it is by then", async () => {
    const { memory } = aPersistentMemory();
    await memory.remember("We deploy on Tuesdays only.", { source: "user" });
    const { session, model } = await setTheStage({ memory, answer: () => "Done." });
    await session.turn("When can I deploy?");
    await memory.remember("The office is in Ghent.", { source: "user" });
    for (let turn = 0; turn < 8; turn++) await session.turn(`Say it again, ${"please ".repeat(300)}`);
    await session.compact();
    await session.turn("When can I deploy, once more?");
    const last = model.requests.at(-1)!;
    expect(indexIn(last)).toHaveLength(1);
    expect(indexIn(last)[0]).toContain("The office is in Ghent.");
    expect(deltaIn(last)).toEqual([]);
    expect(recalledIn(last)).toHaveLength(1);
  });

  it("goes on without it where it cannot be read", async () => {
    const store = inMemoryMemoryStore();
    const { memory } = aPersistentMemory({ store });
    await memory.remember("We deploy on Tuesdays only.", { source: "user" });
    const { session, events } = await setTheStage({ memory, answer: () => "Done." });
    await store.close();
    expect((await session.turn("When can I deploy?")).text).toBe("Done.");
    expect(events.filter(({ type }) => type === "memory-failed")).toHaveLength(1);
  });
});
