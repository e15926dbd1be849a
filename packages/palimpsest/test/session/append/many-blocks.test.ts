/** Messages of more blocks than a function takes arguments go in, through every layer, and out to every API. */
import { FakeClock, seededIds } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import { createSession } from "#session/lifecycle/open-session.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import type { Message } from "#transcript/blocks.ts";
import { fromOpenAIAgents } from "#wire/openai-agents/from-openai-agents.ts";
import { fromOpenAIChat } from "#wire/openai-chat/from-openai-chat.ts";
import { toOpenAIChat } from "#wire/openai-chat/to-openai-chat.ts";
import { fromOpenAIResponses } from "#wire/openai-responses/from-openai-responses.ts";

const COUNT = 150_000;
const many = <Value>(value: Value): readonly Value[] => new Array<Value>(COUNT).fill(value);
const blocks = many({ type: "text", text: "x" } as const);

describe("a message of 150,000 blocks", () => {
  it("is appended and prepared", async () => {
    const session = await createSession({
      store: new InMemorySessionStore(),
      clock: new FakeClock(),
      ids: seededIds(1),
      hasher: nodeHasher,
      window: { windowTokens: 2_000_000 },
    });
    await session.append({ role: "user", content: blocks.slice(0, 1) });
    await session.append({ role: "user", content: blocks });
    const { messages } = await session.prepare({ model: "claude-sonnet-4-5" });
    expect(messages).toHaveLength(1);
    expect(messages[0]!.content.length).toBeGreaterThan(COUNT);
    await session.close();
  });

  it.each<{ wire: string; read: () => readonly Message[] }>([
    {
      wire: "Chat Completions",
      read: () =>
        fromOpenAIChat(
          toOpenAIChat([
            { role: "assistant", content: blocks },
            { role: "user", content: blocks },
          ]) as never,
        ).messages,
    },
    {
      wire: "Responses",
      read: () => {
        const content = many({ type: "output_text", text: "x" });
        const item = { type: "message", role: "assistant", content };
        return fromOpenAIResponses([item, item]).messages;
      },
    },
    {
      wire: "OpenAI Agents",
      read: () => {
        const content = many({ type: "output_text", text: "x" });
        const item = { role: "assistant", status: "completed", content };
        return fromOpenAIAgents([item, item]);
      },
    },
  ])("goes through $wire", ({ read }) => {
    expect(read()[0]!.content.length).toBeGreaterThanOrEqual(COUNT);
  });
});
