/** Each layer has a breaker: one that fails is passed over, and after some failures in a row it rests, also after reopening. */
import { expect, it } from "vitest";
import { createPalimpsest } from "#host/create-palimpsest.ts";
import type { SessionEvent } from "#session/events/events.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { asksForSummary, fakeModel, SUMMARY } from "#test/agent/fake-model.ts";
import { wordsOf } from "#test/agent/stage.ts";

/** A program that changes its list after it was checked: the layer that reads the list throws. */
function aHost(store: InMemorySessionStore) {
  const events: SessionEvent[] = [];
  const clearableTools: unknown[] = ["mcp__docs__get"];
  let calls = 0;
  const model = fakeModel((request) => {
    if (asksForSummary(request)) return SUMMARY;
    const id = `c${calls++}`;
    const file_path = `/src/${id}.ts`;
    return calls % 2 === 1 ? [{ type: "tool_use", id, name: "Read", input: { file_path } }] : "Read.";
  });
  const window = { windowTokens: 32_000, policy: "faithful", editSafety: "permissive" } as const;
  const palimpsest = createPalimpsest({
    model,
    store,
    notes: "off",
    observer: { onEvent: (event) => void events.push(event) },
    window: { ...window, disabledLayers: ["offload"], clearableTools: clearableTools as string[] },
  });
  return {
    palimpsest,
    clearableTools,
    failures: () => events.flatMap((event) => (event.type === "layer-failed" ? [event.failures] : [])),
    first: () => events.find(({ type }) => type === "layer-failed"),
    layers: () => events.flatMap((event) => (event.type === "layer" ? [event.layer] : [])),
  };
}

const tools = [
  { name: "Read", description: "Reads.", inputSchema: { type: "object" as const }, run: () => wordsOf(700) },
];

it("a layer that fails is passed over, rests after three failures in a row, and is tried again after a compaction by hand", async () => {
  const store = new InMemorySessionStore();
  const before = aHost(store);
  const session = await before.palimpsest.session("s1");
  before.clearableTools[0] = 7;
  for (let turn = 0; turn < 60; turn++) await session.turn(`Read ${turn}.`, { tools });
  expect(before.failures()).toEqual([1, 2, 3]);
  expect(before.first()).toMatchObject({
    layer: "microcompact",
    reason: expect.stringContaining("not a function"),
  });
  expect(new Set(before.layers())).toEqual(new Set(["full"]));
  await before.palimpsest.close();

  const after = aHost(store);
  const again = await after.palimpsest.session("s1");
  for (let turn = 0; turn < 30; turn++) await again.turn(`Read more ${turn}.`, { tools });
  expect(after.failures()).toEqual([]);
  expect(after.layers()).not.toContain("microcompact");
  await again.compact();
  for (let turn = 0; !after.layers().includes("microcompact") && turn < 60; turn++)
    await again.turn(`Read again ${turn}.`, { tools });
  expect(after.layers()).toContain("microcompact");
  await after.palimpsest.close();
});
