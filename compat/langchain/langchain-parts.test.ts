/** The other parts of the adapter with LangChain's own classes: store, chat history, converters, and what their types accept. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChatAnthropic } from "@langchain/anthropic";
import {
  type BaseChatMessageHistory,
  type BaseListChatMessageHistory,
  InMemoryChatMessageHistory,
} from "@langchain/core/chat_history";
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  ChatMessage,
  HumanMessage,
  mapStoredMessagesToChatMessages,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { RunnableLambda, RunnableWithMessageHistory } from "@langchain/core/runnables";
import { type BaseStore, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { createAgent, createMiddleware, tool } from "langchain";
import { createPalimpsest, type Palimpsest, type SessionEvent } from "palimpsest";
import {
  chatHistory,
  fromLangChain,
  langchainModel,
  memoryStore,
  palimpsestMiddleware,
  toLangChain,
} from "palimpsest/langchain";
import { createMemory } from "palimpsest/memory";
import {
  callTool,
  type ScriptedProvider,
  type ScriptedRequest,
  type ScriptStep,
  say,
  scriptedProvider,
} from "palimpsest-testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { GOOD_SUMMARY, isSummaryRequest } from "../../test/helpers/recorded-agent.ts";

const MODEL = "claude-opus-4-6";
let folder: string;
let provider: ScriptedProvider;
let palimpsest: Palimpsest;
let events: SessionEvent[] = [];
let steps: ScriptStep[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "palimpsest-langchain-"));
  steps = [];
  events = [];
  const script = (request: ScriptedRequest) =>
    isSummaryRequest(request) ? GOOD_SUMMARY : (steps.shift() ?? say("Done."));
  provider = await scriptedProvider({ script, windowTokens: 32_000 });
  palimpsest = createPalimpsest({
    model: langchainModel(chatModel()),
    folder,
    window: { windowTokens: 200_000 },
    observer: { onEvent: (event) => events.push(event) },
  });
});

afterEach(async () => {
  await palimpsest.close();
  await provider.close();
  await rm(folder, { recursive: true, force: true });
});

const chatModel = (streaming = false) =>
  new ChatAnthropic({ model: MODEL, apiKey: "key", anthropicApiUrl: provider.url, maxRetries: 0, streaming });

describe("LangChain's own classes", () => {
  it("come back from a session as they were", () => {
    const call = { name: "read", args: { path: "a" }, id: "call_1", type: "tool_call" as const };
    const messages: BaseMessage[] = [
      new SystemMessage("Be brief."),
      new HumanMessage({ content: [{ type: "text", text: "Hello" }], id: "m-1", name: "Ada" }),
      new AIMessage({
        content: [
          { type: "text", text: "I read." },
          { type: "tool_use", id: "call_1", name: "read", input: { path: "a" } },
        ],
        tool_calls: [call],
        usage_metadata: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
        response_metadata: { stop_reason: "tool_use" },
      }),
      new ToolMessage({ content: "ran", tool_call_id: "call_1", status: "error", artifact: { rows: [1] } }),
      new ChatMessage({ content: "Once", role: "narrator" }),
      new AIMessage(""),
    ];
    const back: BaseMessage[] = toLangChain(fromLangChain(messages), mapStoredMessagesToChatMessages);
    expect(back.map((message) => message.constructor)).toEqual(
      messages.map((message) => message.constructor),
    );
    const plain = (list: readonly BaseMessage[]) =>
      JSON.parse(JSON.stringify(list.map(({ lc_kwargs, ...all }) => all)));
    expect(plain(back)).toEqual(plain(messages));
  });

  it("may be streamed chunks", () => {
    const chunk = new AIMessageChunk({
      content: "I read.",
      tool_call_chunks: [
        { name: "read", args: '{"path":"a"}', id: "call_1", index: 0, type: "tool_call_chunk" },
      ],
    });
    const [own] = fromLangChain([chunk]);
    expect(own?.content.map(({ type }) => type)).toEqual(["text", "tool_use"]);
    const [back] = toLangChain(own === undefined ? [] : [own], mapStoredMessagesToChatMessages);
    expect(back).toMatchObject({ content: "I read.", tool_calls: chunk.tool_calls });
  });
});

describe("the middleware", () => {
  it("serves the threads of one agent, each with its session, streamed as well", async () => {
    steps = [say("Hi, Ada."), say("Hi, Bob."), say("You are Ada.")];
    const agent = createAgent({
      model: chatModel(true),
      tools: [],
      checkpointer: new MemorySaver(),
      middleware: [
        createMiddleware(
          palimpsestMiddleware(({ configurable }) => palimpsest.session(configurable?.thread_id ?? "none")),
        ),
      ],
    });
    const ask = async (thread_id: string, content: string) => {
      const result = await agent.invoke(
        { messages: [{ role: "user", content }] },
        { configurable: { thread_id } },
      );
      return result.messages.at(-1)?.text;
    };
    expect(await ask("ada", "I am Ada.")).toBe("Hi, Ada.");
    expect(await ask("bob", "I am Bob.")).toBe("Hi, Bob.");
    expect(await ask("ada", "Who am I?")).toBe("You are Ada.");
    const { visible } = await palimpsest.session("ada");
    expect(visible.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(JSON.stringify(provider.requests.at(-1)?.body)).not.toContain("Bob");
    expect(events.filter(({ type }) => type === "host-edit")).toEqual([]);
  });

  it("makes a refused prompt smaller, and the agent never sees the refusal", async () => {
    const readFile = tool(async () => "a line of a file\n".repeat(800), {
      name: "read_file",
      description: "Reads a file.",
      schema: z.object({}),
    });
    steps = [...Array.from({ length: 12 }, () => callTool("read_file", {})), say("Done.")];
    const agent = createAgent({
      model: chatModel(),
      tools: [readFile],
      // The session believes in a larger window than the provider has.
      middleware: [createMiddleware(palimpsestMiddleware(await palimpsest.session("small")))],
    });
    const result = await agent.invoke(
      { messages: [{ role: "user", content: "Read twelve files." }] },
      { recursionLimit: 50 },
    );
    expect(result.messages.at(-1)?.text).toBe("Done.");
    expect(provider.overflows.length).toBeGreaterThan(0);
    expect(events.filter(({ type }) => type === "host-edit")).toEqual([]);
    expect(provider.violations).toEqual([]);
  });
});

describe("memory as a store", () => {
  it("is a store of LangGraph's graphs", async () => {
    const memory = createMemory({ folder: join(folder, "memory") });
    const store: BaseStore = memoryStore(memory);
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("remember", async (_, { store: own }) => {
        await own?.put(["users", "ada"], "editor", { content: "Ada writes in Vim." });
        const found = await own?.search(["users"], { query: "editor", limit: 5 });
        return { messages: [new HumanMessage(String(found?.[0]?.value["content"]))] };
      })
      .addEdge(START, "remember")
      .compile({ store });
    const { messages } = await graph.invoke({ messages: [] });
    expect(messages.at(-1)?.text).toBe("Ada writes in Vim.");
    expect((await memory.list()).memories.map(({ path }) => path)).toEqual(["users/ada/editor.md"]);
    await memory.close();
  });
});

describe("a session as chat history", () => {
  it("is the history of a chain", async () => {
    const session = await palimpsest.session("chain");
    const history = chatHistory(session, new InMemoryChatMessageHistory(), mapStoredMessagesToChatMessages);
    const typed: BaseListChatMessageHistory | BaseChatMessageHistory = history;
    const chain = new RunnableWithMessageHistory({
      runnable: RunnableLambda.from(
        (messages: BaseMessage[]) => new AIMessage(`I know ${messages.length} messages.`),
      ),
      getMessageHistory: () => typed,
    });
    const config = { configurable: { sessionId: "chain" } };
    expect((await chain.invoke([new HumanMessage("One")], config)).text).toBe("I know 1 messages.");
    expect((await chain.invoke([new HumanMessage("Two")], config)).text).toBe("I know 3 messages.");
    expect((await history.getMessages()).map((message) => [message.constructor.name, message.text])).toEqual([
      ["HumanMessage", "One"],
      ["AIMessage", "I know 1 messages."],
      ["HumanMessage", "Two"],
      ["AIMessage", "I know 3 messages."],
    ]);
    await history.clear();
    expect(await history.getMessages()).toEqual([]);
  });
});
