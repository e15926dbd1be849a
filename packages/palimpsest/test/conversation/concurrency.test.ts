import { describe, expect, it } from "vitest";
import { aMemory, conversation, sentence } from "#test/helpers/conversation-memory.ts";

const contents = (entries: readonly { readonly content: string }[]): readonly string[] =>
  entries.map(({ content }) => content);

describe("calls that are not waited for", () => {
  it("are carried out in the order they were made", async () => {
    const { memory, another } = aMemory({ autoCompress: false });
    const texts = Array.from({ length: 50 }, (_, index) => sentence(index));
    await Promise.all(texts.map((text, index) => memory.addUserMessage(index % 3 === 0 ? "s2" : "s1", text)));
    const reader = another();
    for (const [session, isIn] of [
      ["s1", (index: number) => index % 3 !== 0],
      ["s2", (index: number) => index % 3 === 0],
    ] as const) {
      const expected = texts.filter((_, index) => isIn(index));
      await reader.loadSession(session);
      expect(contents(memory.getActiveEntries(session))).toEqual(expected);
      expect(contents(reader.getActiveEntries(session))).toEqual(expected);
    }
  });

  it("of clearSession and importSession count from the moment they are made", async () => {
    const { memory } = aMemory();
    const before = memory.addUserMessage("s1", "before");
    memory.clearSession("s1");
    const after = memory.addUserMessage("s1", "after");
    await Promise.all([before, after]);
    expect(contents(memory.getActiveEntries("s1"))).toEqual(["after"]);
  });
});

describe("while a model writes a summary", () => {
  const slow = () => {
    const test = aMemory({ maxEntries: 15 });
    const asked: { readonly answer: (text: string) => void }[] = [];
    test.memory.setSummarizeCallback(() => new Promise((resolve) => asked.push({ answer: resolve })));
    return { ...test, asked };
  };

  it("what is added is stored at once; the add that set it off waits for it", async () => {
    const { memory, asked, another } = slow();
    await conversation(memory, 15);
    let isDone = false;
    const sixteenth = memory.addUserMessage("s1", "sixteenth").then(() => {
      isDone = true;
    });
    await expect.poll(() => asked.length).toBe(1);
    await memory.addUserMessage("s1", "meanwhile");
    const reader = another();
    await reader.loadSession("s1");
    expect(reader.getStats("s1")).toMatchObject({ totalEntries: 17, summaries: 0 });
    expect(isDone).toBe(false);
    asked[0]?.answer("A summary.");
    await sixteenth;
    expect(memory.getStats("s1")).toMatchObject({ totalEntries: 17, compressedEntries: 6, summaries: 1 });
    expect(asked).toHaveLength(1);
  });

  it("a session that is cleared stays cleared", async () => {
    const { memory, asked, reports } = slow();
    await conversation(memory, 15);
    const compressing = memory.compress("s1");
    await expect.poll(() => asked.length).toBe(1);
    memory.clearSession("s1");
    asked[0]?.answer("A summary of what is not there any more.");
    expect(await compressing).toMatchObject({ refused: "replaced" });
    expect(memory.getContextForLLM("s1")).toBe("");
    expect(reports).toEqual([]);
  });

  it("a second compress waits, and finds nothing left to do", async () => {
    const { memory, asked } = slow();
    await conversation(memory, 15);
    const both = Promise.all([memory.compress("s1"), memory.compress("s1")]);
    await expect.poll(() => asked.length).toBe(1);
    asked[0]?.answer("A summary.");
    expect(await both).toEqual([
      expect.objectContaining({ content: "A summary." }),
      expect.objectContaining({ refused: "too-few-entries" }),
    ]);
  });

  it("close waits for it, and what comes out is kept", async () => {
    const { memory, asked, another } = slow();
    await conversation(memory, 15);
    const compressing = memory.compress("s1");
    await expect.poll(() => asked.length).toBe(1);
    const closing = memory.close();
    asked[0]?.answer("A summary.");
    await Promise.all([compressing, closing]);
    const reader = another();
    await reader.loadSession("s1");
    expect(reader.getStats("s1").summaries).toBe(1);
  });

  it("the callback may add to the memory itself", async () => {
    const { memory } = aMemory({ maxEntries: 15 });
    memory.setSummarizeCallback(async () => {
      await memory.addContext("s1", "asked for a summary", "log");
      return "A summary.";
    });
    await conversation(memory, 16);
    expect(memory.getActiveEntries("s1").at(-1)?.content).toBe("asked for a summary");
  });
});
