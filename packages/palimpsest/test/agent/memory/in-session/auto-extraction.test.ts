/** Extraction by default: requests at once by rules, the rest by the model within its share of the cost. */
import { describe, expect, it } from "vitest";
import { createPalimpsest } from "#host/create-palimpsest.ts";
import type { ModelAnswer, ModelRequest } from "#ports/model-client.ts";
import type { SessionEvent } from "#session/events/events.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { fakeModel } from "#test/agent/fake-model.ts";
import { aPersistentMemory } from "#test/agent/memory/a-persistent-memory.ts";
import { setTheStage } from "#test/agent/stage.ts";
import { blockText } from "#transcript/blocks.ts";

const FACT = "Jonas took over the design team in spring.";
const usage = (inputTokens: number, outputTokens: number) => ({
  inputTokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens,
});
const answered = (text: string, inputTokens: number): ModelAnswer => ({
  messages: [{ role: "assistant", content: [{ type: "text", text }] }],
  stopReason: "end",
  usage: usage(inputTokens, 50),
});

/** A session without any option of extraction, whose answers cost so much. */
async function stage(answerTokens: number) {
  const requests: ModelRequest[] = [];
  const lightModel = fakeModel((request) => {
    if (request.system?.startsWith("You choose which notes")) return '{"choose": []}';
    requests.push(request);
    const input = { name: "Design", description: "", type: "project", text: FACT, messages: ["m1.0"] };
    return {
      messages: [
        { role: "assistant", content: [{ type: "tool_use", id: "w1", name: "memory_write", input }] },
      ],
      stopReason: "tool-use",
      usage: usage(1_000, 100),
    };
  });
  const { memory } = aPersistentMemory();
  const staged = await setTheStage({
    memory,
    lightModel,
    answer: () => answered("All right.", answerTokens),
  });
  return { ...staged, memory, requests };
}

const extractedBy = (events: readonly SessionEvent[]) =>
  events.flatMap((event) => (event.type === "memory-extracted" ? [event.by] : []));

describe("extraction by default", () => {
  it("keeps a request at the end of its turn, without a model", async () => {
    const { session, memory, events, requests } = await stage(100);
    await session.turn("Remember that the deploy host is delta-7.");
    await session.memorySettled();
    expect((await memory.list()).memories.map(({ body }) => body)).toEqual(["The deploy host is delta-7."]);
    expect([extractedBy(events), requests.length]).toEqual([["rules"], 0]);
    await session.close();
    expect([extractedBy(events), requests.length]).toEqual([["rules"], 0]);
  });

  it("asks the model once that is a small part of the cost, and keeps what it finds beside the requests", async () => {
    const { session, memory, events, requests } = await stage(400_000);
    await session.turn(`${FACT} Remember that the deploy host is delta-7.`);
    await session.memorySettled();
    expect(requests).toHaveLength(0);
    await session.close();
    expect([extractedBy(events), requests.length]).toEqual([["rules", "model"], 1]);
    const { memories } = await memory.list();
    expect(memories.map(({ body }) => body).sort()).toEqual([FACT, "The deploy host is delta-7."]);
    const asked = requests[0]!.messages.flatMap(({ content }) => content.map(blockText)).join("\n");
    // The model sees that the request is kept already.
    expect(asked).toContain("The deploy host is delta-7");
    expect(asked).toContain(FACT);
  });

  it("asks no model where that would cost more than a twentieth of the session", async () => {
    const { session, events, requests } = await stage(2_000);
    for (let turn = 0; turn < 6; turn++)
      await session.turn(`Turn ${turn}: ${"the parser reads tokens one by one ".repeat(140)}`);
    await session.close();
    expect([extractedBy(events), requests.length]).toEqual([[], 0]);
  });

  it("is by the session's own model where there is no light one", async () => {
    const requests: ModelRequest[] = [];
    const model = fakeModel((request) => {
      requests.push(request);
      return request.system?.startsWith("You keep the long-term memory") === true
        ? "Nothing."
        : answered("All right.", 900_000);
    });
    const { memory } = aPersistentMemory();
    const palimpsest = createPalimpsest({ model, memory, notes: "off", store: new InMemorySessionStore() });
    const session = await palimpsest.session("s1");
    await session.turn(FACT);
    await session.close();
    expect(requests.map(({ system }) => system?.slice(0, 31))).toContain("You keep the long-term memory o");
  });
});
