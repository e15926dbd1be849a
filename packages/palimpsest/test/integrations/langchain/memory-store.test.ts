/** Long-term memory as LangGraph's store, and a session as LangChain's chat history. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemory } from "#host/create-memory.ts";
import { chatHistory } from "#integrations/langchain/chat-history.ts";
import { memoryStore } from "#integrations/langchain/memory-store.ts";
import { inMemoryMemoryStore } from "#stores/in-memory/in-memory-memory-store.ts";
import { setTheStage } from "../../agent/stage.ts";

const NOW_MS = Date.UTC(2026, 0, 1);
function openMemory() {
  let nowMs = NOW_MS;
  const memory = createMemory({ store: inMemoryMemoryStore(), clock: { nowMs: () => (nowMs += 1_000) } });
  return { memory, store: memoryStore(memory) };
}

describe("memory as LangGraph's store", () => {
  it("keeps items whatever their names and values are", async () => {
    const label = fc.string({ minLength: 1, maxLength: 12 });
    const name = fc.oneof(
      label,
      fc.constantFrom("MEMORY", "memory", "con", "..", "A", "a", "x.md", "日本", "a=41"),
    );
    // Others are cleaned, as everything is that a program or a model stores.
    const text = fc.stringMatching(/^[\w .,'"{}$\n-]{0,20}$/);
    const value = fc.oneof(text, fc.integer(), fc.constant(null), fc.array(text, { maxLength: 2 }));
    const item = fc.record({
      namespace: fc.array(name, { minLength: 1, maxLength: 3 }),
      key: name,
      value: fc.dictionary(fc.constantFrom("text", "content", "kind", "n"), value, {
        maxKeys: 3,
      }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(item, { minLength: 1, maxLength: 4 }), async (puts) => {
        const { store } = openMemory();
        const wanted = new Map<string, (typeof puts)[number]>();
        for (const put of puts) {
          await store.put(put.namespace, put.key, put.value);
          wanted.set(JSON.stringify([put.namespace, put.key]), put);
        }
        for (const { namespace, key, value } of wanted.values())
          expect(await store.get(namespace, key)).toMatchObject({ namespace, key, value });
      }),
      { numRuns: 40 },
    );
  });

  it("shows an item as a memory, and a memory as an item", async () => {
    const { memory, store } = openMemory();
    await store.put(["users", "ada"], "editor", { content: "Ada writes in Vim.", kind: "preference" });
    const { memories } = await memory.list();
    expect(memories.map(({ path, body }) => [path, body])).toEqual([
      ["users/ada/editor.md", 'Ada writes in Vim.\n\n```json\n{"content":"$text","kind":"preference"}\n```'],
    ]);
    expect((await memory.recall("Which editor does Ada use?")).memories.map(({ path }) => path)).toEqual([
      "users/ada/editor.md",
    ]);
    await memory.remember("Releases are on Tuesdays.", { name: "Release day", source: "user" });
    expect(await store.search([], { query: "When is a release?", limit: 1 })).toMatchObject([
      { namespace: [], key: "release-day", value: { text: "Releases are on Tuesdays." } },
    ]);
  });

  it.each([
    { given: "a\u2028b", kept: "a\\u{2028}b" },
    { given: "![](http://x/y.png)", kept: "!\\[](http://x/y.png)" },
    { given: "C:\\u{41} \\[", kept: "C:\\u{41} \\[" },
  ])("keeps the form of a value that is cleaned: $kept", async ({ given, kept }) => {
    const { store } = openMemory();
    await store.put(["a"], "k", { text: "A line.\r\nAnother.", lines: [given] });
    expect((await store.get(["a"], "k"))?.value).toEqual({ text: "A line.\r\nAnother.", lines: [kept] });
  });

  it("stores the last of several values at once, and refuses what a memory would cut", async () => {
    const { store } = openMemory();
    const put = (text: string) => store.put(["a"], "k", { text });
    await Promise.all([put("one"), put("two")]);
    await Promise.all([put("three"), put("four")]);
    await expect(put("many words ".repeat(3_000).trim())).rejects.toThrow("does not fit into a memory");
    expect((await store.get(["a"], "k"))?.value).toEqual({ text: "four" });
  });

  it("changes, deletes and dates items", async () => {
    const { memory, store } = openMemory();
    await store.put(["a"], "k", { text: "one" });
    const first = await store.get(["a"], "k");
    await store.put(["a"], "k", { text: "two" });
    const second = await store.get(["a"], "k");
    expect(second?.value).toEqual({ text: "two" });
    expect(second?.createdAt).toEqual(first?.createdAt);
    expect(second?.updatedAt.getTime()).toBeGreaterThan(first!.updatedAt.getTime());
    await store.delete(["a"], "k");
    await store.delete(["a"], "k");
    expect(await store.get(["a"], "k")).toBeNull();
    expect(await memory.archived()).toHaveLength(1);
  });

  it("searches below a namespace, by fields and page by page", async () => {
    const { store } = openMemory();
    for (const n of [1, 2, 3, 4])
      await store.put(["docs", n % 2 === 0 ? "even" : "odd"], `d${n}`, { n, tag: { a: n } });
    await store.put(["docsets"], "d5", { n: 5 });
    const keys = async (...search: Parameters<typeof store.search>) =>
      (await store.search(...search)).map(({ key }) => key).sort();
    expect(await keys(["docs"])).toEqual(["d1", "d2", "d3", "d4"]);
    expect(await keys(["docs", "*"])).toEqual(["d1", "d2", "d3", "d4"]);
    expect(await keys([], { filter: { n: { $gte: 2, $lt: 5, $ne: 3 } } })).toEqual(["d2", "d4"]);
    expect(await keys([], { filter: { tag: { a: 3 } } })).toEqual(["d3"]);
    expect(await keys([], { filter: { n: { $lte: 1 } } })).toEqual(["d1"]);
    expect(await keys([], { limit: 2, offset: 4 })).toHaveLength(1);
  });

  it("lists namespaces, and runs batches", async () => {
    const { store } = openMemory();
    const results = await store.batch<unknown[]>([
      { namespace: ["u", "1", "notes"], key: "a", value: { text: "x" } },
      { namespace: ["u", "2", "notes"], key: "a", value: { text: "y" } },
      { namespace: ["u", "2", "notes"], key: "a" },
      { namespacePrefix: ["u"], limit: 1 },
      { maxDepth: 2, limit: 10, offset: 0 },
      { namespace: ["u", "1", "notes"], key: "a", value: null },
    ]);
    expect(results.slice(2, 5)).toMatchObject([
      { value: { text: "y" } },
      [{ key: "a" }],
      [
        ["u", "1"],
        ["u", "2"],
      ],
    ]);
    expect(await store.listNamespaces({ prefix: ["u", "*"], suffix: ["notes"] })).toEqual([
      ["u", "2", "notes"],
    ]);
    expect(await store.listNamespaces({ suffix: ["other"] })).toEqual([]);
  });
});

describe("a session as LangChain's chat history", () => {
  it("returns what was added, whatever the window shows of it, and begins again when it is cleared", async () => {
    const { session } = await setTheStage({ window: { windowTokens: 16_000 } });
    const history = chatHistory(session, {} as History, (stored) => stored);
    const large = "a line of a file\n".repeat(4_000);
    const messages = [
      { type: "human", content: "List the files", id: "1" },
      { type: "ai", content: "", tool_calls: [{ name: "ls", args: {}, id: "c", type: "tool_call" }] },
      { type: "tool", content: large, tool_call_id: "c" },
    ];
    await history.addMessages(messages.slice(0, 2));
    await history.addMessage(messages[2]!);
    await session.prepare({ system: "Be brief." });
    expect(await history.getMessages()).toEqual(messages.map(({ type, ...data }) => ({ type, data })));
    await history.clear();
    expect(await history.getMessages()).toEqual([]);
    await history.addMessage(messages[0]!);
    expect(await history.getMessages()).toHaveLength(1);
  });
});

interface History {
  addMessages(messages: readonly object[]): Promise<void>;
  addMessage(message: object): Promise<void>;
  getMessages(): Promise<readonly object[]>;
  clear(): Promise<void>;
}
