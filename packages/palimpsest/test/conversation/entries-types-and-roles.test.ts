/** Entries: fields, types and roles, and what each adding method makes of its arguments. */
import { describe, expect, it } from "vitest";
import type { ConversationMemory } from "#conversation/conversation-manager.ts";
import { aMemory } from "#test/helpers/conversation-memory.ts";

const START = new Date("2026-01-01T00:00:00.000Z");

describe("an entry", () => {
  it("has id, type, role, content, timestamp, token count and whether it is compressed", async () => {
    const { memory } = aMemory();
    const entry = await memory.addUserMessage("s1", "What is a monad?");
    expect(entry).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      type: "message",
      role: "user",
      content: "What is a monad?",
      timestamp: START,
      tokenCount: expect.any(Number) as number,
      compressed: false,
    });
    expect(entry.timestamp).toBeInstanceOf(Date);
    expect(Number.isInteger(entry.tokenCount) && entry.tokenCount >= 3 && entry.tokenCount <= 8).toBe(true);
  });

  it.each<{
    readonly method: string;
    readonly add: (memory: ConversationMemory) => Promise<unknown>;
    readonly makes: Record<string, unknown>;
    readonly why: string;
  }>([
    {
      method: "addUserMessage",
      add: (memory) => memory.addUserMessage("s1", "Hello"),
      makes: { type: "message", role: "user", content: "Hello" },
      why: "a message of the user",
    },
    {
      method: "addAssistantMessage",
      add: (memory) => memory.addAssistantMessage("s1", "Hi"),
      makes: { type: "message", role: "assistant", content: "Hi" },
      why: "a message of the assistant",
    },
    {
      method: "addToolCall",
      add: (memory) => memory.addToolCall("s1", "read_file", { path: "a.ts" }),
      makes: {
        type: "tool_call",
        role: "assistant",
        content: 'read_file({"path":"a.ts"})',
        metadata: { tool: "read_file", args: { path: "a.ts" }, callId: expect.any(String) },
      },
      why: "a tool call is the assistant's",
    },
    {
      method: "addToolResult",
      add: (memory) => memory.addToolResult("s1", "read_file", "12 lines"),
      makes: { type: "tool_result", role: "system", content: "12 lines", metadata: { tool: "read_file" } },
      why: "a tool result is the system's",
    },
    {
      method: "addContext",
      add: (memory) => memory.addContext("s1", "Ada likes tea.", "profile.md"),
      makes: {
        type: "context",
        role: "system",
        content: "Ada likes tea.",
        metadata: { source: "profile.md" },
      },
      why: "context is the system's, and says where it is from",
    },
  ])("of $method: $why", async ({ add, makes }) => {
    const { memory } = aMemory();
    expect(await add(memory)).toMatchObject(makes);
    expect(memory.getActiveEntries("s1")).toMatchObject([makes]);
  });

  it("can be a summary of the system's, where one is imported", () => {
    const { memory } = aMemory();
    const entry = { id: "e1", type: "summary", role: "system", content: "Before: tea." } as const;
    const rest = { timestamp: START, tokenCount: 4, compressed: false };
    memory.importSession({
      sessionId: "s1",
      entries: [{ ...entry, ...rest }],
      summaries: [],
      totalTokens: 4,
    });
    expect(memory.getActiveEntries("s1")).toMatchObject([entry]);
  });

  it("says whose summary stands for it once it is compressed, and stays in the export", async () => {
    const { memory } = aMemory({ recentWindow: 1 });
    for (let index = 0; index < 7; index++) await memory.addUserMessage("s1", `Message ${index} `.repeat(20));
    const summary = await memory.compress("s1");
    const { entries } = memory.exportSession("s1");
    expect(entries.map(({ compressed }) => compressed)).toEqual([true, true, true, true, true, true, false]);
    expect(entries.map(({ summaryId }) => summaryId)).toEqual([
      ...Array<unknown>(6).fill(summary?.id),
      undefined,
    ]);
    expect(entries[6]).not.toHaveProperty("summaryId");
  });
});

describe("metadata", () => {
  it("that the host passes stands beside ours, which it cannot change", async () => {
    const { memory } = aMemory();
    const mine = { userId: 7, tags: ["a"] };
    expect((await memory.addUserMessage("s1", "x", mine)).metadata).toEqual(mine);
    const call = await memory.addToolCall("s1", "ls", {}, { tool: "rm", span: "z" });
    expect(call.metadata).toEqual({ tool: "ls", args: {}, callId: call.id, span: "z" });
    expect((await memory.addContext("s1", "x", "a.md", { source: "b.md", page: 2 })).metadata).toEqual({
      source: "a.md",
      page: 2,
    });
  });

  it("is copied: what a host does with its objects afterwards changes nothing", async () => {
    const { memory } = aMemory();
    const args = { path: "a.ts" };
    const adding = memory.addToolCall("s1", "read_file", args);
    args.path = "b.ts";
    const entry = (await adding) as unknown as { metadata: { args: { path: string } }; timestamp: Date };
    entry.metadata.args.path = "c.ts";
    entry.timestamp.setTime(0);
    const read = memory.getActiveEntries("s1")[0]!;
    expect(read).toMatchObject({
      content: 'read_file({"path":"a.ts"})',
      metadata: { args: { path: "a.ts" } },
    });
    expect(read.timestamp).toEqual(START);
  });
});

describe("a tool result", () => {
  it("belongs to the oldest call of its tool that has no answer, or to the one that it names", async () => {
    const { memory } = aMemory();
    const first = await memory.addToolCall("s1", "ls", { path: "a" });
    const second = await memory.addToolCall("s1", "ls", { path: "b" }, { callId: "toolu_2" });
    const named = await memory.addToolResult("s1", "ls", "of b", { callId: "toolu_2" });
    const oldest = await memory.addToolResult("s1", "ls", "of a");
    const stray = await memory.addToolResult("s1", "ls", "of nobody");
    expect(second.metadata?.["callId"]).toBe("toolu_2");
    expect(named.metadata).toEqual({ tool: "ls", callId: "toolu_2" });
    expect(oldest.metadata).toEqual({ tool: "ls", callId: first.id });
    expect(stray.metadata).toEqual({ tool: "ls" });
  });

  it.each([
    { output: "text", content: "text", isError: undefined, why: "text as it is" },
    { output: { rows: [1, 2] }, content: '{"rows":[1,2]}', isError: undefined, why: "data as its JSON" },
    { output: undefined, content: "", isError: undefined, why: "a tool that said nothing" },
    { output: null, content: "", isError: undefined, why: "a tool that answered null" },
    { output: 0, content: "0", isError: undefined, why: "a number" },
    {
      output: new TypeError("no such file"),
      content: "TypeError: no such file",
      isError: true,
      why: "an error",
    },
  ])("takes $why", async ({ output, content, isError }) => {
    const { memory } = aMemory();
    const entry = await memory.addToolResult("s1", "ls", output);
    expect(entry.content).toBe(content);
    expect(entry.metadata?.["isError"]).toBe(isError);
  });
});

describe("what cannot be kept is refused", () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  it.each<{ readonly why: string; readonly add: (memory: ConversationMemory) => Promise<unknown> }>([
    { why: "no session", add: (memory) => memory.addUserMessage("", "x") },
    { why: "a session that is no string", add: (memory) => memory.addUserMessage(5 as never, "x") },
    { why: "a text that is none", add: (memory) => memory.addUserMessage("s1", { text: "x" } as never) },
    { why: "missing text", add: (memory) => memory.addAssistantMessage("s1", undefined as never) },
    { why: "a tool without a name", add: (memory) => memory.addToolCall("s1", "", {}) },
    { why: "arguments that JSON cannot hold", add: (memory) => memory.addToolCall("s1", "ls", { big: 1n }) },
    { why: "arguments that hold themselves", add: (memory) => memory.addToolCall("s1", "ls", circular) },
    { why: "a context without a source", add: (memory) => memory.addContext("s1", "x", undefined as never) },
    { why: "metadata that is a list", add: (memory) => memory.addUserMessage("s1", "x", [] as never) },
  ])("$why", async ({ add }) => {
    const { memory, store } = aMemory();
    await expect(add(memory)).rejects.toMatchObject({ code: "OPTION_INVALID" });
    expect(memory.getStats("s1").totalEntries).toBe(0);
    expect(await store.list()).toEqual([]);
  });

  it("empty words are kept: models do answer with nothing but a call", async () => {
    const { memory } = aMemory();
    expect(await memory.addAssistantMessage("s1", "")).toMatchObject({ content: "", tokenCount: 0 });
  });
});
