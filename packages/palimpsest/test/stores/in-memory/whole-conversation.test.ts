/**
 * A conversation of several turns through each client, from a session's `prepare` to its `record`, with a
 * provider that refuses what the vendors refuse and checks every signature of reasoning.
 */

import {
  callTool,
  FakeClock,
  type ScriptedProvider,
  say,
  scriptedProvider,
  seededIds,
  think,
} from "palimpsest-testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StreamingModelClient } from "#ports/model-client.ts";
import { createSession } from "#session/lifecycle/open-session.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { CLIENTS, type ConnectedClient } from "#test/wire/ai-sdk/clients.ts";
import type { ContentBlock } from "#transcript/blocks.ts";

const FILE = "The quick brown fox jumps over the lazy dog. ".repeat(150);

let provider: ScriptedProvider;
beforeEach(async () => {
  provider = await scriptedProvider({
    script: ({ index }) =>
      index % 3 === 2
        ? [think("That is all."), say("Done.")]
        : [
            think("I need a file."),
            say("I look."),
            callTool("weather", { city: "Oslo" }),
            callTool("weather", { city: "Rome" }),
          ],
  });
});
afterEach(() => provider.close());

const parameters = (client: ConnectedClient) => {
  if (client.name === "anthropicModel")
    return { thinking: { type: "enabled", budget_tokens: 1_024 }, max_tokens: 4_000 };
  if (client.wire.name !== "Anthropic Messages") return {};
  const thinking = { type: "enabled", budgetTokens: 1_024 };
  return { maxOutputTokens: 3_000, providerOptions: { anthropic: { thinking } } };
};

/** Asks and runs the called tools until the model calls none. */
async function converse(connected: ConnectedClient, way: "generate" | "stream"): Promise<readonly string[]> {
  const client: StreamingModelClient = connected.connect(provider.url);
  const store = new InMemorySessionStore();
  const session = await createSession({
    store,
    clock: new FakeClock(),
    ids: seededIds(7),
    hasher: nodeHasher,
  });
  const texts: string[] = [];
  for (const question of ["How warm is it?", "And now?"]) {
    await session.append({ role: "user", content: [{ type: "text", text: question }] });
    for (let isDone = false; !isDone; ) {
      const system = "You tell the weather. ".repeat(1_000);
      const call = await session.prepare({ model: connected.model, system, tools: [connected.tool] });
      const answer = await client[way]({
        ...call,
        system,
        tools: [connected.tool],
        parameters: parameters(connected),
      });
      await session.record({
        messages: answer.messages,
        ...(answer.usage === undefined ? {} : { usage: answer.usage }),
        stopReason: answer.stopReason,
      });
      const content = answer.messages.flatMap((message) => message.content);
      texts.push(...content.flatMap((block) => (block.type === "text" ? [block.text] : [])));
      const results = content.flatMap((block): readonly ContentBlock[] =>
        block.type === "tool_use" ? [{ type: "tool_result", tool_use_id: block.id, content: FILE }] : [],
      );
      if (results.length > 0) await session.append({ role: "user", content: results });
      isDone = results.length === 0;
    }
  }
  await session.close();
  return texts;
}

describe("a conversation through a session", () => {
  const whole = CLIENTS.flatMap((client) =>
    (["generate", "stream"] as const).map((way) => ({ client, way })),
  );

  it.each(whole)("$client.name, $way: nothing is refused, and the cache is read", async ({ client, way }) => {
    expect(await converse(client, way)).toEqual([
      "I look.",
      "I look.",
      "Done.",
      "I look.",
      "I look.",
      "Done.",
    ]);
    expect(provider.violations).toEqual([]);
    expect(provider.requests).toHaveLength(6);
    expect(provider.requests.slice(1).every(({ cache }) => cache.readTokens > 0)).toBe(true);
    // Chat Completions have no reasoning that could go back.
    const keptCount = client.wire.returnedReasoning === undefined ? 0 : 5;
    expect(provider.requests.at(-1)?.reasoning).toEqual({ keptCount, droppedCount: 0 });
  });
});
