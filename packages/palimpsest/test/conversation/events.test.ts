/** Events: entry:added, compressed, session:cleared, and failures in the background. */
import { describe, expect, it } from "vitest";
import type { ConversationEntry, MemorySummary } from "#conversation/entries/conversation-entry.ts";
import type { SessionLog } from "#ports/session-store.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { aMemory, conversation } from "#test/helpers/conversation-memory.ts";

describe("listeners", () => {
  it("of entry:added are told session and entry", async () => {
    const { memory } = aMemory();
    const heard: unknown[] = [];
    memory.on("entry:added", (session, entry) => heard.push([session, entry]));
    const first = await memory.addUserMessage("s1", "a");
    const second = await memory.addContext("s2", "b", "c.md");
    expect(heard).toEqual([
      ["s1", first],
      ["s2", second],
    ]);
  });

  it("of compressed are told session, tokens saved, summary, and how it came about", async () => {
    const { memory } = aMemory();
    const heard: unknown[] = [];
    memory.on("compressed", (session, report) => heard.push([session, report]));
    await conversation(memory, 20);
    const before = memory.getStats("s1").activeTokens;
    const summary = await memory.compress("s1");
    const tokensSaved = before - memory.getStats("s1").activeTokens;
    const how = { trigger: "manual", writtenBy: "heuristic", entriesCompressed: 10, summariesFolded: 0 };
    expect(heard).toEqual([["s1", { tokensSaved, summary, ...how }]]);
    expect(tokensSaved).toBeGreaterThan(0);
  });

  it("of entry:added are told the entry of type summary that stands for the compressed ones", async () => {
    const { memory } = aMemory();
    const heard: unknown[] = [];
    await conversation(memory, 20);
    memory.on("entry:added", (session, entry) => heard.push([session, entry]));
    memory.on("compressed", () => heard.push("compressed"));
    const { id, content, tokenCount, createdAt } = (await memory.compress("s1")) as MemorySummary;
    const entry = { id, content, tokenCount, type: "summary", role: "system", timestamp: createdAt };
    expect(heard).toEqual([["s1", { ...entry, compressed: false }], "compressed"]);
    expect(memory.getStats("s1")).toMatchObject({ totalEntries: 20, activeEntries: 10, summaries: 1 });
  });

  it("a host that keeps the entries it is told of can import them: a summary is in the context once", async () => {
    const { memory } = aMemory();
    const reported: ConversationEntry[] = [];
    memory.on("entry:added", (_, entry) => reported.push(entry));
    await conversation(memory, 20);
    await memory.compress("s1");
    const state = memory.exportSession("s1");
    const summaries = reported.filter(({ type }) => type === "summary");
    expect(summaries).toHaveLength(1);
    const other = aMemory().memory;
    other.importSession({ ...state, entries: [...state.entries, ...summaries] });
    expect(other.exportSession("s1")).toEqual(state);
    expect(other.getContextForLLM("s1")).toBe(memory.getContextForLLM("s1"));
  });

  it("of session:cleared are told the session, which is empty by then", async () => {
    const { memory } = aMemory();
    const heard: unknown[] = [];
    memory.on("session:cleared", (session) => heard.push([session, memory.getStats(session).totalEntries]));
    await conversation(memory, 3);
    memory.clearSession("s1");
    expect(heard).toEqual([["s1", 0]]);
  });

  it("are told in the order in which it happened: the entry, then the compression it set off", async () => {
    const { memory } = aMemory({ maxEntries: 15, recentWindow: 5 });
    const heard: string[] = [];
    memory.on("entry:added", () => heard.push("added")).on("compressed", () => heard.push("compressed"));
    await conversation(memory, 16);
    expect(heard.slice(-2)).toEqual(["added", "compressed"]);
  });

  it("can be taken back, and be told once", async () => {
    const { memory } = aMemory();
    const heard: string[] = [];
    const always = (): unknown => heard.push("always");
    memory.once("entry:added", () => heard.push("once")).on("entry:added", always);
    await conversation(memory, 2);
    memory.off("entry:added", always);
    await conversation(memory, 1);
    expect(heard).toEqual(["once", "always", "always"]);
  });

  it("that throw, now or later, or change what they are handed, break nothing", async () => {
    const { memory } = aMemory();
    const heard: unknown[] = [];
    memory.on("entry:added", (_session, entry) => {
      entry.timestamp.setTime(0);
      throw new TypeError("broken");
    });
    memory.on("entry:added", async () => Promise.reject(new TypeError("broken later")));
    memory.on("entry:added", (_session, entry) => heard.push(entry.timestamp.getTime()));
    const entry = await memory.addUserMessage("s1", "a");
    expect(heard).toEqual([Date.UTC(2026, 0, 1)]);
    expect(entry.timestamp.getTime()).toBe(Date.UTC(2026, 0, 1));
    expect(memory.getStats("s1").totalEntries).toBe(1);
  });

  it("may call the memory again", async () => {
    const { memory } = aMemory();
    memory.once("entry:added", (session) => memory.addAssistantMessage(session, "echo"));
    await memory.addUserMessage("s1", "a");
    await memory.flush();
    expect(memory.getActiveEntries("s1").map(({ content }) => content)).toEqual(["a", "echo"]);
  });
});

/** A store whose logs refuse to append while `isBroken`. */
class BreakableStore extends InMemorySessionStore {
  isBroken = false;

  override async create(...args: Parameters<InMemorySessionStore["create"]>): Promise<SessionLog> {
    return this.#breakable(await super.create(...args));
  }

  override async open(...args: Parameters<InMemorySessionStore["open"]>): Promise<SessionLog> {
    return this.#breakable(await super.open(...args));
  }

  #breakable(log: SessionLog): SessionLog {
    const append = log.append.bind(log);
    log.append = async (entries) => {
      if (this.isBroken) throw Object.assign(new TypeError("disk full"), { code: "ENOSPC" });
      return append(entries);
    };
    return log;
  }
}

describe("a store that fails", () => {
  it("fails the add, which leaves nothing behind; the next one goes on", async () => {
    const store = new BreakableStore();
    const { memory, another } = aMemory({ store });
    await memory.addUserMessage("s1", "before");
    store.isBroken = true;
    await expect(memory.addUserMessage("s1", "lost")).rejects.toThrow("disk full");
    store.isBroken = false;
    await memory.addUserMessage("s1", "after");
    const reader = another();
    await reader.loadSession("s1");
    for (const one of [memory, reader])
      expect(one.getActiveEntries("s1").map(({ content }) => content)).toEqual(["before", "after"]);
  });

  it("while an add compresses costs the compression, never the entry, and background:failed says so", async () => {
    const store = new BreakableStore();
    const { memory, failures, reports } = aMemory({ store, maxEntries: 15 });
    await conversation(memory, 15);
    memory.once("entry:added", () => {
      store.isBroken = true;
    });
    const entry = await memory.addUserMessage("s1", "the last drop");
    expect(failures).toMatchObject([{ message: "disk full" }]);
    expect(memory.getActiveEntries("s1").at(-1)).toEqual(entry);
    expect(memory.getStats("s1")).toMatchObject({ totalEntries: 16, activeEntries: 16 });
    store.isBroken = false;
    await memory.addUserMessage("s1", "and one more");
    expect(reports).toHaveLength(1);
    expect(memory.getStats("s1")).toMatchObject({ totalEntries: 17, activeEntries: 10 });
  });

  it("fails compress where somebody waits for it", async () => {
    const store = new BreakableStore();
    const { memory } = aMemory({ store });
    await conversation(memory, 20);
    store.isBroken = true;
    await expect(memory.compress("s1")).rejects.toThrow("disk full");
    expect(memory.getStats("s1")).toMatchObject({ activeEntries: 20, summaries: 0 });
  });

  it("while a session is cleared: it is empty here, background:failed says so, and the next call writes it", async () => {
    const store = new BreakableStore();
    const { memory, failures, another } = aMemory({ store });
    await conversation(memory, 3);
    store.isBroken = true;
    memory.clearSession("s1");
    await expect(memory.flush()).rejects.toThrow("disk full");
    await expect(memory.addUserMessage("s1", "not yet")).rejects.toThrow("disk full");
    expect(failures).toMatchObject([{ message: "disk full" }]);
    expect(memory.getStats("s1").totalEntries).toBe(0);
    store.isBroken = false;
    await memory.addUserMessage("s1", "afresh");
    const reader = another();
    await reader.loadSession("s1");
    expect(reader.getActiveEntries("s1").map(({ content }) => content)).toEqual(["afresh"]);
  });
});
