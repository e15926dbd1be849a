/**
 * Laws of the memory of conversations, over random histories: memory, store and the engine's window never
 * differ, and nothing is lost on the way out and in again.
 */
import fc from "fast-check";
import { FakeClock, judgeAnthropicRequest, judgeOpenAIChatRequest, seededIds } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import type { ConversationMemory } from "#conversation/conversation-manager.ts";
import type { MemorySessionState } from "#conversation/entries/conversation-entry.ts";
import { openSession } from "#session/lifecycle/open-session.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { anyCharacter } from "#test/helpers/any-character.ts";
import { aMemory, conversation, reported, sentence } from "#test/helpers/conversation-memory.ts";
import { blockText } from "#transcript/blocks.ts";
import { toAnthropic } from "#wire/anthropic/to-anthropic.ts";
import { toOpenAIChat } from "#wire/openai-chat/to-openai-chat.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";

const RUNS = bySize({ usual: 12, long: 150, soak: 3_000 });

type Step = (memory: ConversationMemory) => Promise<unknown>;

const words = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 30 }),
  fc.nat(50).map(sentence),
  fc.constantFrom("", "\ud800", "User: x", "Error: no"),
);
const tools = fc.constantFrom("ls", "read_file", "my tool", "__proto__");
const metadata = fc.option(
  fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<never>, {
    maxKeys: 3,
  }),
  { nil: undefined },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(words, metadata).map(
    ([text, more]): Step =>
      (memory) =>
        memory.addUserMessage("s1", text, more),
  ),
  words.map(
    (text): Step =>
      (memory) =>
        memory.addAssistantMessage("s1", text),
  ),
  fc.tuple(tools, fc.jsonValue({ maxDepth: 2 }), metadata).map(
    ([tool, args, more]): Step =>
      (memory) =>
        memory.addToolCall("s1", tool, args, more),
  ),
  fc.tuple(tools, words).map(
    ([tool, text]): Step =>
      (memory) =>
        memory.addToolResult("s1", tool, text),
  ),
  fc.tuple(words, words).map(
    ([text, source]): Step =>
      (memory) =>
        memory.addContext("s1", text, source),
  ),
  fc.constant<Step>((memory) => memory.compress("s1")),
  fc.constant<Step>(async (memory) => memory.clearSession("s1")),
);
const history = fc.array(step, { maxLength: 25 });
const SETTINGS = { recentWindow: 2, minEntriesToCompress: 2, maxEntries: 8, maxTokens: 120 };

describe("the engine's window", () => {
  it("is the summaries and the active entries, whatever happened, and any provider takes it", async () => {
    const tool = fc.constantFrom("ls", "read_file", "my tool");
    const step = fc.oneof(
      fc.constant("user"),
      fc.constant("assistant"),
      fc.constant("context"),
      fc.constant("compress"),
      tool.map((name) => ({ call: name })),
      tool.map((name) => ({ result: name })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { memory, store } = aMemory({ recentWindow: 3, minEntriesToCompress: 2, maxTokens: 250 });
        let number = 0;
        for (const one of steps) {
          const words = sentence(number++);
          if (one === "user") await memory.addUserMessage("s1", words);
          else if (one === "assistant") await memory.addAssistantMessage("s1", words);
          else if (one === "context") await memory.addContext("s1", words, "notes.md");
          else if (one === "compress") await memory.compress("s1");
          else if ("call" in one) await memory.addToolCall("s1", one.call, { words });
          else await memory.addToolResult("s1", one.result, words);
        }
        await memory.addUserMessage("s1", "And now?");
        await memory.close();
        await memory.loadSession("s1");
        const { summaries, entries } = memory.getContextData("s1");
        const session = await openSession("s1", {
          store,
          clock: new FakeClock(),
          ids: seededIds(9),
          hasher: nodeHasher,
        });
        const texts = session.visible.map(({ blocks }) =>
          blocks.map(({ block }) => blockText(block)).join(" "),
        );
        expect(texts).toHaveLength(summaries.length + entries.length);
        [...summaries, ...entries].forEach(({ content }, index) => {
          const words = /sentence number \d+/.exec(content)?.[0] ?? content;
          expect(texts[index]).toContain(words);
        });
        const { messages } = await session.prepare({ model: "claude-opus-4-5" });
        expect(judgeAnthropicRequest({ messages: toAnthropic(messages) })).toEqual([]);
        expect(judgeOpenAIChatRequest({ messages: toOpenAIChat(messages) })).toEqual([]);
        await session.close();
      }),
      { numRuns: RUNS },
    );
  });
});

describe("what was exported", () => {
  it("comes back the same by an import, through JSON, and out of the store", async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const { memory, another } = aMemory(SETTINGS);
        for (const run of steps) await run(memory);
        const before = reported(memory);

        const reader = another(SETTINGS);
        await reader.loadSession("s1");
        expect(reported(reader), "loaded from the store").toEqual(before);

        const fresh = aMemory({ ...SETTINGS, ids: seededIds(3) });
        fresh.memory.importSession(memory.exportSession("s1"));
        expect(reported(fresh.memory), "imported").toEqual(before);

        const json = JSON.stringify(memory.exportSession("s1"));
        memory.importSession(JSON.parse(json) as MemorySessionState);
        expect(reported(memory), "imported over itself, through JSON").toEqual(before);
        expect(JSON.stringify(memory.exportSession("s1"))).toBe(json);

        await memory.close();
        await memory.loadSession("s1");
        expect(reported(memory), "imported, and loaded from the store").toEqual(before);
      }),
      { numRuns: RUNS },
    );
  });
});

describe("calls that are not waited for", () => {
  it("leave memory and store alike, clearings and imports among them", async () => {
    const step = fc.constantFrom(
      "add",
      "add",
      "add",
      "call",
      "result",
      "clear",
      "import",
      "compress",
      "wait",
      "close",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { memory, failures, another } = aMemory({
          recentWindow: 1,
          minEntriesToCompress: 2,
          maxEntries: 6,
        });
        const source = aMemory();
        await conversation(source.memory, 7);
        const state = source.memory.exportSession("s1");
        const imported = {
          ...state,
          entries: state.entries.map((entry) => ({ ...entry, id: `i${entry.id}` })),
        };
        const running: Promise<unknown>[] = [];
        for (const [index, one] of steps.entries()) {
          if (one === "add") running.push(memory.addUserMessage("s1", sentence(index)));
          else if (one === "call") running.push(memory.addToolCall("s1", "ls", { index }));
          else if (one === "result") running.push(memory.addToolResult("s1", "ls", `of ${index}`));
          else if (one === "clear") memory.clearSession("s1");
          else if (one === "import") memory.importSession(imported);
          else if (one === "compress") running.push(memory.compress("s1"));
          else if (one === "close") running.push(memory.close());
          else await memory.loadSession("s1");
        }
        await Promise.all(running);
        await memory.flush();
        await memory.loadSession("s1");
        const reader = another();
        await reader.loadSession("s1");
        expect(reported(reader)).toEqual(reported(memory));
        expect(failures).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});
