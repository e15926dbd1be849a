/** The settings and their defaults, and when a session is compressed: tokens, entries, or by hand. */
import { describe, expect, it } from "vitest";
import { DEFAULT_MEMORY_CONFIG } from "#conversation/compression/compression-config.ts";
import type { ConversationMemoryOptions } from "#conversation/conversation-manager.ts";
import { aMemory, conversation, sentence } from "#test/helpers/conversation-memory.ts";

describe("settings", () => {
  it("have their defaults", () => {
    expect(DEFAULT_MEMORY_CONFIG).toEqual({
      maxEntries: 100,
      maxTokens: 50_000,
      recentWindow: 10,
      minEntriesToCompress: 5,
      autoCompress: true,
      compressionRatio: 0.3,
    });
  });

  it.each<{ readonly changes: unknown; readonly why: string }>([
    { changes: { maxEntries: 0 }, why: "nothing fits" },
    { changes: { maxEntries: 2.5 }, why: "half an entry" },
    { changes: { maxTokens: Number.NaN }, why: "no number" },
    { changes: { maxTokens: "50000" }, why: "a number as text" },
    { changes: { recentWindow: -1 }, why: "below nothing" },
    { changes: { minEntriesToCompress: 0 }, why: "a summary of nothing" },
    { changes: { autoCompress: 1 }, why: "neither true nor false" },
    { changes: { compressionRatio: 1 }, why: "a summary as large as its original" },
    { changes: { compressionRatio: 0 }, why: "a summary of no size" },
    { changes: { maxToken: 5 }, why: "a name that nobody knows" },
    { changes: { constructor: 5 }, why: "a name that every object has" },
    { changes: null, why: "no settings" },
  ])("are refused, by updateConfig and when a manager is made: $why", ({ changes }) => {
    const { memory } = aMemory();
    const refused = expect.objectContaining({ code: "OPTION_INVALID" }) as Error;
    expect(() => memory.updateConfig(changes as never)).toThrow(refused);
    if (changes !== null) expect(() => aMemory(changes as never)).toThrow(refused);
  });

  it("are changed together or not at all", async () => {
    const { memory, reports } = aMemory({ maxEntries: 20 });
    expect(() => memory.updateConfig({ maxEntries: 1_000, maxTokens: -1 })).toThrow();
    await conversation(memory, 21);
    expect(reports).toHaveLength(1);
  });

  it("stay as they are where a change leaves them out", async () => {
    const { memory, reports } = aMemory({ maxEntries: 20, recentWindow: 3 });
    memory.updateConfig({ recentWindow: 5, maxEntries: undefined as never });
    await conversation(memory, 21);
    expect(reports).toMatchObject([{ entriesCompressed: 16 }]);
  });

  it.each([
    0,
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2 ** 31,
    "60",
  ])("a time limit of %s is refused", (summarizeTimeoutMs) => {
    const options = { summarizeTimeoutMs } as Partial<ConversationMemoryOptions>;
    expect(() => aMemory(options)).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }) as Error);
  });
});

describe("a session is compressed", () => {
  it("when it has more entries than maxEntries, by the add that goes over it", async () => {
    const { memory, reports } = aMemory({ maxEntries: 20 });
    await conversation(memory, 20);
    expect(reports).toEqual([]);
    await memory.addUserMessage("s1", sentence(20));
    expect(reports).toMatchObject([{ trigger: "entries", entriesCompressed: 11 }]);
    expect(memory.getStats("s1")).toMatchObject({
      totalEntries: 21,
      activeEntries: 10,
      compressedEntries: 11,
    });
  });

  it("by default at 101 entries", async () => {
    const { memory, reports } = aMemory();
    await conversation(memory, 100);
    expect(reports).toEqual([]);
    await memory.addUserMessage("s1", sentence(100));
    expect(reports).toMatchObject([{ trigger: "entries", entriesCompressed: 91 }]);
  });

  it("when it has more tokens than maxTokens", async () => {
    const { memory, reports } = aMemory({ recentWindow: 2 });
    await conversation(memory, 16);
    const { activeTokens } = memory.getStats("s1");
    memory.updateConfig({ maxTokens: activeTokens + 20 });
    await memory.addUserMessage("s1", "A few words.");
    expect(reports).toEqual([]);
    await memory.addUserMessage("s1", sentence(17));
    expect(reports).toMatchObject([{ trigger: "tokens", entriesCompressed: 16 }]);
  });

  it("by hand, whatever its size", async () => {
    const { memory, reports } = aMemory({ autoCompress: false });
    await conversation(memory, 16);
    expect(await memory.compress("s1")).toMatchObject({ originalEntryIds: { length: 6 } });
    expect(reports).toMatchObject([{ trigger: "manual", entriesCompressed: 6 }]);
  });

  it("never by itself without autoCompress", async () => {
    const { memory, reports } = aMemory({ autoCompress: false, maxEntries: 11, maxTokens: 50 });
    await conversation(memory, 30);
    expect(reports).toEqual([]);
    expect(memory.getStats("s1")).toMatchObject({ activeEntries: 30, summaries: 0 });
  });

  it("never because of another session", async () => {
    const { memory, reports } = aMemory({ maxEntries: 20 });
    await conversation(memory, 15, "s1");
    await conversation(memory, 15, "s2");
    expect(reports).toEqual([]);
  });
});

describe("eligible is what is", () => {
  it.each([
    { entries: 14, compressed: 0, why: "4 entries are older than the recent window, 5 are needed" },
    { entries: 15, compressed: 5, why: "5 entries are older" },
    { entries: 30, compressed: 20, why: "all that are older are compressed together" },
    { entries: 3, compressed: 0, why: "everything is recent" },
  ])("older than the recent window: $why", async ({ entries, compressed }) => {
    const { memory } = aMemory();
    await conversation(memory, entries);
    const summary = await memory.compress("s1");
    expect(summary?.originalEntryIds?.length ?? 0).toBe(compressed);
    const ids = memory.exportSession("s1").entries.map(({ id }) => id);
    expect(summary?.originalEntryIds ?? []).toEqual(ids.slice(0, compressed));
  });

  it("not compressed already", async () => {
    const { memory } = aMemory();
    await conversation(memory, 20);
    const first = await memory.compress("s1");
    expect(await memory.compress("s1")).toEqual({
      refused: "too-few-entries",
      reason: "0 entries are older than the recent window of 10; a summary replaces at least 5.",
    });
    await conversation(memory, 6);
    const second = await memory.compress("s1");
    expect(first?.originalEntryIds).toHaveLength(10);
    expect(second?.originalEntryIds).toHaveLength(6);
    expect(new Set([...(first?.originalEntryIds ?? []), ...(second?.originalEntryIds ?? [])]).size).toBe(16);
  });

  it("all of it, where there is no recent window", async () => {
    const { memory } = aMemory({ recentWindow: 0 });
    await conversation(memory, 6);
    expect((await memory.compress("s1"))?.originalEntryIds).toHaveLength(6);
    expect(memory.getActiveEntries("s1")).toEqual([]);
  });
});
