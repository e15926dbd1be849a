/** exportSession, importSession and clearSession: the round trip, also through JSON and the store, and hostile states. */
import fc from "fast-check";
import { seededIds } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import type { ConversationMemory } from "#conversation/conversation-manager.ts";
import type { MemorySessionState } from "#conversation/entries/conversation-entry.ts";
import { anyCharacter } from "#test/helpers/any-character.ts";
import { aMemory, conversation, reported, sentence } from "#test/helpers/conversation-memory.ts";

const words = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 30 }),
  fc.nat(50).map(sentence),
  fc.constantFrom("", "\ud800", "User: x", "Error: no"),
);
const metadata = fc.option(
  fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<never>, {
    maxKeys: 3,
  }),
  { nil: undefined },
);
describe("what was exported", () => {
  it("has session, entries, summaries and the tokens of all entries", async () => {
    const { memory } = aMemory();
    await conversation(memory, 20);
    await memory.compress("s1");
    const state = memory.exportSession("s1");
    expect(Object.keys(state)).toEqual(["sessionId", "entries", "summaries", "totalTokens"]);
    expect(state.sessionId).toBe("s1");
    expect(state.entries).toHaveLength(20);
    expect(state.summaries).toHaveLength(1);
    expect(state.totalTokens).toBe(state.entries.reduce((sum, { tokenCount }) => sum + tokenCount, 0));
  });

  it("has the zero of JSON where a tool was called with a negative one, before and after a load", async () => {
    const { memory, another } = aMemory();
    await memory.addToolCall("s1", "ls", { at: -0 }, { offset: -0 });
    const [entry] = memory.exportSession("s1").entries;
    expect(entry!.metadata).toEqual({ tool: "ls", args: { at: 0 }, callId: entry!.id, offset: 0 });
    const reader = another();
    await reader.loadSession("s1");
    expect(reported(reader)).toEqual(reported(memory));
  });

  it("goes on where it was: what is added to an import is the same as what is added to the original", async () => {
    const settings = { recentWindow: 2, minEntriesToCompress: 4, maxEntries: 8 };
    const { memory } = aMemory(settings);
    const copy = aMemory({ ...settings, ids: seededIds(3) });
    await conversation(memory, 12);
    copy.memory.importSession(memory.exportSession("s1"));
    for (const one of [memory, copy.memory]) await conversation(one, 12);
    const contents = (one: ConversationMemory) => {
      const { entries, summaries } = one.exportSession("s1");
      return [...entries, ...summaries].map(({ content }) => content);
    };
    expect(contents(copy.memory)).toEqual(contents(memory));
    expect(copy.memory.getContextForLLM("s1")).toBe(memory.getContextForLLM("s1"));
  });
});

describe("an import", () => {
  it("takes the place of what was remembered, at once and in the store", async () => {
    const { memory, another } = aMemory();
    await conversation(memory, 5);
    const other = aMemory();
    await other.memory.addUserMessage("s1", "from elsewhere");
    memory.importSession(other.memory.exportSession("s1"));
    expect(memory.getActiveEntries("s1").map(({ content }) => content)).toEqual(["from elsewhere"]);
    await memory.flush();
    const reader = another();
    await reader.loadSession("s1");
    expect(reader.getActiveEntries("s1").map(({ content }) => content)).toEqual(["from elsewhere"]);
  });

  it("keeps the figures of another counter, ids of another shape, and summaries whose entries are gone", async () => {
    const date = new Date("2020-02-02T02:02:02.020Z");
    const state: MemorySessionState = {
      sessionId: "s1",
      entries: [
        entryOf({ id: "über/1", tokenCount: 999, compressed: true, summaryId: "s 1" }),
        entryOf({ id: "2", type: "tool_call", role: "assistant", content: "Called ls with nothing" }),
        entryOf({ id: "3", type: "tool_result", role: "system", metadata: { callId: "2", tool: "ls" } }),
        entryOf({ id: "4", type: "summary", role: "system", content: "Long ago." }),
      ],
      summaries: [
        {
          id: "s 1",
          content: "A long time ago, in a galaxy far away",
          originalEntryIds: ["gone", "über/1"],
          tokenCount: 7,
          originalTokenCount: 24.5 * 2,
          compressionRatio: 3.5,
          createdAt: date,
          timeRange: { start: date, end: date },
        },
      ],
      totalTokens: 5,
    };
    const { memory } = aMemory();
    memory.importSession(state);
    const before = memory.exportSession("s1");
    expect(before).toEqual({ ...state, totalTokens: 999 + 3 });
    await memory.close();
    await memory.loadSession("s1");
    expect(memory.exportSession("s1")).toEqual(before);
  });

  it.each<{ readonly why: string; readonly state: unknown; readonly place: string }>([
    { why: "nothing", state: undefined, place: "state" },
    { why: "a list", state: [], place: "state" },
    { why: "no session", state: { entries: [], summaries: [] }, place: "state.sessionId" },
    { why: "an empty session", state: stateOf({ sessionId: "" }), place: "state.sessionId" },
    { why: "entries that are no list", state: stateOf({ entries: { length: 1 } }), place: "state.entries" },
    { why: "an entry that is null", state: stateOf({ entries: [null] }), place: "state.entries[0]" },
    { why: "an unknown type", state: withEntry({ type: "constructor" }), place: "state.entries[0].type" },
    {
      why: "a role of another type",
      state: withEntry({ type: "tool_call" }),
      place: "state.entries[0].role",
    },
    { why: "content that is no text", state: withEntry({ content: 5 }), place: "state.entries[0].content" },
    {
      why: "a date that is none",
      state: withEntry({ timestamp: "soon" }),
      place: "state.entries[0].timestamp",
    },
    {
      why: "an invalid date",
      state: withEntry({ timestamp: new Date(Number.NaN) }),
      place: "state.entries[0].timestamp",
    },
    {
      why: "a date beyond time",
      state: withEntry({ timestamp: 1e300 }),
      place: "state.entries[0].timestamp",
    },
    { why: "negative tokens", state: withEntry({ tokenCount: -1 }), place: "state.entries[0].tokenCount" },
    { why: "an id that is none", state: withEntry({ id: "" }), place: "state.entries[0].id" },
    {
      why: "an id twice",
      state: stateOf({ entries: [entryOf({}), entryOf({})] }),
      place: "state.entries[1].id",
    },
    {
      why: "compressed by nobody",
      state: withEntry({ compressed: true }),
      place: "state.entries[0].summaryId",
    },
    {
      why: "compressed by a summary that is not there",
      state: withEntry({ compressed: true, summaryId: "gone" }),
      place: "state.entries[0].summaryId",
    },
    {
      why: "metadata that is a list",
      state: withEntry({ metadata: [] }),
      place: "state.entries[0].metadata",
    },
    {
      why: "a summary without dates",
      state: withSummary({ timeRange: {} }),
      place: "state.summaries[0].timeRange.start",
    },
    {
      why: "a ratio that is none",
      state: withSummary({ compressionRatio: "3.5" }),
      place: "state.summaries[0].compressionRatio",
    },
    {
      why: "a summary of an entry that does not know it",
      state: { ...withSummary({ originalEntryIds: ["e1"] }), entries: [entryOf({})] },
      place: "state.entries[0].summaryId",
    },
    {
      why: "an entry in two summaries",
      state: withSummary({ originalEntryIds: ["x", "x"] }),
      place: "state.summaries[0].originalEntryIds",
    },
  ])("of $why is refused with the place, and changes nothing", async ({ state, place }) => {
    const { memory } = aMemory();
    await conversation(memory, 2);
    const before = reported(memory);
    expect(() => memory.importSession(state as never)).toThrow(
      expect.objectContaining({
        code: "INPUT_UNREADABLE",
        message: expect.stringContaining(`\`${place}\``) as string,
      }) as Error,
    );
    expect(reported(memory)).toEqual(before);
  });

  it("of something whose own code throws is refused", () => {
    const { memory } = aMemory();
    const state = {
      get sessionId(): string {
        throw new TypeError("broken");
      },
    };
    expect(() => memory.importSession(state as never)).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID" }) as Error,
    );
  });

  it("of anything at all is taken or refused, and never breaks the session", async () => {
    const date = fc.oneof(fc.date(), fc.string({ maxLength: 5 }), fc.integer(), fc.constant(null));
    const entry = fc.record(
      {
        id: fc.constantFrom("a", "b", "c"),
        type: fc.constantFrom("message", "tool_call", "tool_result", "context", "summary", "x"),
        role: fc.constantFrom("user", "assistant", "system"),
        content: words,
        timestamp: date,
        tokenCount: fc.nat(),
        compressed: fc.boolean(),
        summaryId: fc.constantFrom("s", "t", undefined),
        metadata,
      },
      { noNullPrototype: true },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 3 }), async (entries) => {
        const { memory } = aMemory();
        try {
          memory.importSession({ sessionId: "s1", entries, summaries: [], totalTokens: 0 } as never);
        } catch (error) {
          expect(error).toMatchObject({ code: "INPUT_UNREADABLE" });
        }
        await memory.addUserMessage("s1", "after");
        expect(memory.getActiveEntries("s1").at(-1)?.content).toBe("after");
      }),
      { numRuns: 100 },
    );
  });
});

describe("a session that is cleared", () => {
  it("is empty at once, starts empty again, and is empty in the store", async () => {
    const { memory, another } = aMemory();
    await conversation(memory, 20);
    await memory.compress("s1");
    memory.clearSession("s1");
    expect(memory.getContextForLLM("s1")).toBe("");
    expect(memory.getStats("s1")).toMatchObject({ totalEntries: 0, summaries: 0, totalTokens: 0 });
    await memory.addUserMessage("s1", "afresh");
    const reader = another();
    expect(await reader.loadSession("s1")).toBe(true);
    expect(reader.getContextForLLM("s1")).toBe("=== Recent Conversation ===\n\nUser: afresh");
  });

  it("leaves the others alone", async () => {
    const { memory } = aMemory();
    await conversation(memory, 2, "s1");
    await conversation(memory, 2, "s2");
    memory.clearSession("s1");
    expect(memory.getStats("s2").totalEntries).toBe(2);
  });

  it("was never there leaves nothing in the store", async () => {
    const { memory, store } = aMemory();
    memory.clearSession("s1");
    await memory.flush();
    expect(await store.list()).toEqual([]);
  });
});

function entryOf(fields: Record<string, unknown>): MemorySessionState["entries"][number] {
  const usual = { id: "e1", type: "message", role: "user", content: "x", tokenCount: 1, compressed: false };
  return { ...usual, timestamp: new Date("2020-01-01T00:00:00Z"), ...fields } as never;
}

function stateOf(fields: Record<string, unknown>): Record<string, unknown> {
  return { sessionId: "s1", entries: [], summaries: [], totalTokens: 0, ...fields };
}

function withEntry(fields: Record<string, unknown>): Record<string, unknown> {
  return stateOf({ entries: [entryOf(fields)] });
}

function withSummary(fields: Record<string, unknown>): Record<string, unknown> {
  const date = "2020-01-01T00:00:00.000Z";
  const usual = { id: "s", content: "x", originalEntryIds: [], tokenCount: 1, originalTokenCount: 4 };
  const rest = { compressionRatio: 4, createdAt: date, timeRange: { start: date, end: date } };
  return stateOf({ summaries: [{ ...usual, ...rest, ...fields }] });
}
