/** The same engine and store: messages are in a session's log, and the context comes from the engine's window. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock, seededIds } from "palimpsest-testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MemoryManager } from "#host/memory-manager.ts";
import { openSession } from "#session/lifecycle/open-session.ts";
import type { Session } from "#session/session.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import {
  aMemory,
  conversation,
  reported,
  sentence,
  type TestMemory,
} from "#test/helpers/conversation-memory.ts";
import { blockText } from "#transcript/blocks.ts";

const openIn = (store: TestMemory["store"], id = "s1"): Promise<Session> =>
  openSession(id, { store, clock: new FakeClock(), ids: seededIds(9), hasher: nodeHasher });

/** The visible messages, one text each, without labels of unknown content. */
const shown = ({ visible }: Session): readonly string[] =>
  visible.map(({ blocks }) => blockText(blocks.at(-1)?.block ?? { type: "text", text: "" }));

describe("the engine's window", () => {
  it("has calls and results as the real pair, and tells the result in words once its call is compressed", async () => {
    const { memory, store } = aMemory({ recentWindow: 2, minEntriesToCompress: 1 });
    await memory.addUserMessage("s1", sentence(0).repeat(5));
    const call = await memory.addToolCall("s1", "ls", { path: "." });
    await memory.addToolResult("s1", "ls", "a.ts");
    await memory.close();
    const before = await openIn(store);
    const blocks = before.visible.flatMap((message) => message.blocks.map(({ block }) => block));
    expect(blocks.slice(1)).toEqual([
      { type: "tool_use", id: call.id, name: "ls", input: { path: "." } },
      { type: "tool_result", tool_use_id: call.id, content: "a.ts" },
    ]);
    await before.close();
    await memory.addUserMessage("s1", "Thanks.");
    expect(await memory.compress("s1")).toMatchObject({ originalEntryIds: { length: 2 } });
    await memory.close();
    const after = await openIn(store);
    expect(shown(after).slice(1)).toEqual(["Tool result (ls): a.ts", "Thanks."]);
    await memory.loadSession("s1");
    expect(memory.getContextForLLM("s1")).toContain("Tool result (ls): a.ts");
  });

  it("hides what was cleared, and keeps it: a rewind brings it back", async () => {
    const { memory, store } = aMemory();
    await conversation(memory, 3);
    const before = reported(memory);
    memory.clearSession("s1");
    await memory.close();
    const session = await openIn(store);
    expect(session.visible).toEqual([]);
    expect(await session.history.search("sentence number 1")).not.toEqual([]);
    await session.rewind(4);
    await session.close();
    await memory.loadSession("s1");
    expect(reported(memory)).toEqual(before);
  });

  it("shows entries again whose compression was undone, and the memory follows", async () => {
    const { memory, store } = aMemory();
    await conversation(memory, 20);
    const before = reported(memory);
    await memory.compress("s1");
    await memory.close();
    const session = await openIn(store);
    await session.undo(22);
    expect(session.visible).toHaveLength(20);
    await session.close();
    await memory.loadSession("s1");
    expect(reported(memory)).toEqual(before);
  });

  it("of a session that an agent wrote is remembered, too", async () => {
    const { memory, store } = aMemory();
    await memory.addUserMessage("s1", "x");
    await memory.close();
    const session = await openIn(store);
    await session.append([
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm" },
          { type: "text", text: "I will look." },
          { type: "tool_use", id: "t1", name: "ls", input: {} },
        ],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t1", content: "a.ts", is_error: true }],
      },
    ]);
    await session.close();
    await memory.loadSession("s1");
    expect(memory.getContextForLLM("s1").split("\n").slice(2)).toEqual([
      "User: x",
      "Assistant: I will look.",
      "ls({})",
      "Tool result, failed (ls): a.ts",
    ]);
  });
});

describe("a session in the store", () => {
  it("reads as empty until it is loaded, or until something is added to it", async () => {
    const { memory, another } = aMemory();
    await memory.addUserMessage("s1", "before");
    await memory.close();
    expect(memory.getStats("s1").totalEntries).toBe(0);
    expect(await memory.loadSession("s1")).toBe(true);
    expect(memory.getStats("s1").totalEntries).toBe(1);
    const other = another();
    await other.addUserMessage("s1", "after");
    expect(other.getActiveEntries("s1").map(({ content }) => content)).toEqual(["before", "after"]);
  });

  it("is not there for who asks for it, and asking leaves nothing", async () => {
    const { memory, store } = aMemory();
    expect(await memory.loadSession("nobody")).toBe(false);
    await memory.close();
    expect(await store.list()).toEqual([]);
  });

  it("has one writer, and as many readers as want to; the next writer sees what was written", async () => {
    const { memory, another } = aMemory();
    const other = another();
    await memory.addUserMessage("s1", "one");
    await expect(other.addUserMessage("s1", "two")).rejects.toMatchObject({ code: "SESSION_IN_USE" });
    await other.loadSession("s1");
    expect(other.getStats("s1").totalEntries).toBe(1);
    await memory.addUserMessage("s1", "two");
    await other.flush();
    await other.loadSession("s1");
    expect(other.getStats("s1").totalEntries).toBe(2);
    await memory.close("s1");
    await other.addUserMessage("s1", "three");
    expect(other.getActiveEntries("s1").map(({ content }) => content)).toEqual(["one", "two", "three"]);
  });

  it("can have any name, and no two names meet", async () => {
    const made = `a-b-${nodeHasher.sha256('"a b"')}`;
    const names = [
      "a/b",
      "a b",
      made,
      "a.jsonl",
      "A",
      "../../etc/passwd",
      "ü",
      "x".repeat(500),
      "\ud800",
      "\ud801",
      "..",
    ];
    const { memory, store, another } = aMemory();
    for (const name of names) await memory.addUserMessage(name, name);
    expect(await store.list()).toHaveLength(names.length);
    const other = another();
    for (const name of names) {
      expect(await other.loadSession(name)).toBe(true);
      expect(other.exportSession(name)).toMatchObject({ sessionId: name, entries: [{ content: name }] });
    }
  });

  it("belongs to its scope", async () => {
    const { memory, another } = aMemory({ scope: { tenant: "acme" } });
    await memory.addUserMessage("s1", "ours");
    expect(await another({ scope: { tenant: "other" } }).loadSession("s1")).toBe(false);
    expect(await another({ scope: { tenant: "acme" } }).loadSession("s1")).toBe(true);
  });
});

describe("MemoryManager", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "palimpsest-memory-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("needs nothing to be made, and keeps sessions in memory then", async () => {
    const memory = new MemoryManager();
    await memory.addUserMessage("s1", "Hello");
    expect(memory.getContextForLLM("s1")).toBe("=== Recent Conversation ===\n\nUser: Hello");
    expect(memory).toBeInstanceOf(MemoryManager);
  });

  it("keeps them in a folder where one is named, for the owner only, and goes on with them", async () => {
    const memory = new MemoryManager({ folder, recentWindow: 2 });
    await conversation(memory, 10);
    await memory.compress("s1");
    const before = reported(memory);
    await memory.close();
    const [log] = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
    expect(statSync(join(folder, log!)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, log!), "utf8")).toContain("sentence number 9");
    const later = new MemoryManager({ folder });
    await later.loadSession("s1");
    expect(reported(later)).toEqual(before);
    await later.addUserMessage("s1", "And on it goes.");
    expect(later.getStats("s1").totalEntries).toBe(11);
    await later.close();
  });

  it("does not take both a folder and a store", () => {
    const { store } = aMemory();
    const make = () => new MemoryManager({ folder, store });
    expect(make).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }) as Error);
  });

  it("survives texts beyond what a line of a log is made for", async () => {
    const memory = new MemoryManager({ folder, autoCompress: false });
    const large = "word ".repeat(400_000);
    await memory.addToolResult("s1", "read_file", large);
    await memory.close();
    await memory.loadSession("s1");
    expect(memory.getActiveEntries("s1")[0]?.content === large).toBe(true);
  });
});
