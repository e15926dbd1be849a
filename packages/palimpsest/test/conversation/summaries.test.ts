/** Summaries: their content and author, and that each is smaller than the entries it replaces. */
import { describe, expect, it } from "vitest";
import type { SummarizeCallback } from "#conversation/compression/compression-report.ts";
import { aMemory, conversation, sentence } from "#test/helpers/conversation-memory.ts";

describe("a summary", () => {
  it("has id, content, entries, tokens, ratio, date and time range", async () => {
    const { memory, clock } = aMemory({ recentWindow: 0, minEntriesToCompress: 3 });
    memory.setSummarizeCallback(async () => "Ada asked three things.");
    await memory.addUserMessage("s1", sentence(0));
    clock.advance(86_400_000);
    await memory.addUserMessage("s1", sentence(1));
    clock.advance(-3_600_000);
    await memory.addUserMessage("s1", sentence(2));
    clock.set(Date.UTC(2026, 0, 5));
    const summary = await memory.compress("s1");
    const entries = memory.exportSession("s1").entries;
    const originalTokenCount = entries.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
    expect(summary).toEqual({
      id: expect.any(String) as string,
      content: "Ada asked three things.",
      originalEntryIds: entries.map(({ id }) => id),
      tokenCount: expect.any(Number) as number,
      originalTokenCount,
      compressionRatio: originalTokenCount / (summary?.tokenCount ?? 0),
      createdAt: new Date("2026-01-05T00:00:00.000Z"),
      timeRange: { start: new Date("2026-01-01T00:00:00.000Z"), end: new Date("2026-01-02T00:00:00.000Z") },
    });
    expect(summary?.compressionRatio).toBeGreaterThan(3.5);
    expect(summary?.createdAt).toBeInstanceOf(Date);
    expect(summary?.timeRange?.start).toBeInstanceOf(Date);
  });

  it("has the totals worked out anew: what is active is the recent entries and the summaries", async () => {
    const { memory } = aMemory();
    await conversation(memory, 20);
    const before = memory.getStats("s1");
    expect(before).toMatchObject({ totalEntries: 20, activeEntries: 20, compressedEntries: 0, summaries: 0 });
    expect(before.activeTokens).toBe(before.totalTokens);
    const summary = await memory.compress("s1");
    const active = memory.getActiveEntries("s1").reduce((sum, { tokenCount }) => sum + tokenCount, 0);
    expect(memory.getStats("s1")).toEqual({
      totalEntries: 20,
      activeEntries: 10,
      compressedEntries: 10,
      summaries: 1,
      totalTokens: before.totalTokens,
      activeTokens: active + (summary?.tokenCount ?? 0),
    });
  });

  it("takes the place of earlier ones once they take half of the room, and stands for all of it", async () => {
    const { memory, reports } = aMemory({ recentWindow: 0 });
    memory.setSummarizeCallback(async (prompt) => `${prompt.length} `.repeat(20));
    for (let round = 0; round < 3; round++) {
      await conversation(memory, 10);
      await memory.compress("s1");
    }
    const { summaries, entries } = memory.exportSession("s1");
    expect(reports.map(({ summariesFolded }) => summariesFolded)).toEqual([0, 0, 0]);
    expect(summaries).toHaveLength(3);
    memory.updateConfig({ maxTokens: 100 });
    await memory.addUserMessage("s1", sentence(0));
    expect(memory.getStats("s1").summaries).toBe(3);
    await conversation(memory, 4);
    expect(memory.getStats("s1").summaries).toBe(1);
    const [whole] = memory.exportSession("s1").summaries;
    expect(whole?.originalEntryIds).toHaveLength(35);
    expect(whole?.originalTokenCount).toBe(memory.getStats("s1").totalTokens);
    expect(memory.exportSession("s1").entries.every(({ summaryId }) => summaryId === whole?.id)).toBe(true);
    expect(entries).toHaveLength(30);
  });
});

describe("a key that somebody typed", () => {
  const key = `sk-ant-${"a1B2".repeat(10)}`;
  it.each([
    { writer: "the heuristic", callback: undefined },
    { writer: "a model", callback: async () => `They used ${key}.` },
  ])("is not carried on by a summary of $writer", async ({ callback }) => {
    const { memory } = aMemory();
    memory.setSummarizeCallback(callback);
    await memory.addUserMessage("s1", `${"word ".repeat(36)}${key} is my key.`);
    await conversation(memory, 20);
    const summary = await memory.compress("s1");
    expect(summary?.content).toContain("[redacted");
    expect(memory.getContextForLLM("s1")).not.toContain("sk-ant-");
    expect(memory.exportSession("s1").entries[0]?.content).toContain(key);
  });
});

describe("the prompt", () => {
  const promptOf = async (add: (memory: ReturnType<typeof aMemory>["memory"]) => Promise<unknown>) => {
    const { memory } = aMemory({ recentWindow: 0, minEntriesToCompress: 1 });
    const prompts: string[] = [];
    memory.setSummarizeCallback(async (prompt) => {
      prompts.push(prompt);
      return "short";
    });
    await add(memory);
    await memory.compress("s1");
    return prompts[0] ?? "";
  };

  it.each([
    "key topics",
    "important decisions",
    "tools that were used, and their outcomes",
    "errors or issues",
    "context that is needed to continue",
    "concise but informative",
  ])("asks for: %s", async (words) => {
    const prompt = await promptOf((memory) => memory.addUserMessage("s1", sentence(0)));
    expect(prompt.split("Conversation:")[0]).toContain(words);
  });

  it("has the conversation at its end, with who said what", async () => {
    const prompt = await promptOf(async (memory) => {
      await memory.addUserMessage("s1", sentence(1));
      await memory.addToolCall("s1", "ls", { path: "." });
      await memory.addToolResult("s1", "ls", "a.ts", { isError: true });
      await memory.addContext("s1", "Some notes.", "notes.md");
    });
    expect(prompt).toMatch(
      new RegExp(
        `Conversation:\nUser: ${sentence(1)}\nTool call: ls\\(\\{"path":"\\."\\}\\)\nTool result, failed \\(ls\\): a.ts\nContext \\(notes.md\\): Some notes.$`,
      ),
    );
  });

  it("asks for the target share of the original, compressionRatio", async () => {
    const { memory } = aMemory({ recentWindow: 0, compressionRatio: 0.1 });
    const prompts: string[] = [];
    memory.setSummarizeCallback(async (prompt) => {
      prompts.push(prompt);
      return "short";
    });
    await conversation(memory, 10);
    const { totalTokens } = memory.getStats("s1");
    await memory.compress("s1");
    expect(prompts[0]).toContain(`at most about ${Math.floor(totalTokens / 10)} tokens`);
  });
});

describe("without a callback", () => {
  it("a heuristic summary has header, number of user messages, first and last of them, tools and errors", async () => {
    const { memory, reports } = aMemory({ recentWindow: 0 });
    await memory.addUserMessage("s1", "First: where is the config?");
    await memory.addToolCall("s1", "grep", { pattern: "config" });
    await memory.addToolResult("s1", "grep", "src/config.ts:12: export const config = {} ".repeat(20));
    await memory.addToolCall("s1", "read_file", { path: "src/config.ts" });
    await memory.addToolResult("s1", "read_file", new Error("EACCES: permission denied"));
    await memory.addAssistantMessage("s1", "I may not read it.");
    await memory.addUserMessage("s1", "Last: then leave it.");
    expect((await memory.compress("s1"))?.content).toBe(
      [
        "[Previous conversation summary]",
        "2 user messages",
        'First: "First: where is the config?"',
        'Last: "Last: then leave it."',
        "Tools used: grep, read_file",
        "1 error encountered",
      ].join("\n"),
    );
    expect(reports).toMatchObject([{ writtenBy: "heuristic" }]);
    expect(reports[0]).not.toHaveProperty("problem");
  });

  it("it is smaller than what it stands for, with shorter quotes where it has to be", async () => {
    const { memory, reports } = aMemory({ recentWindow: 0, minEntriesToCompress: 1 });
    await memory.addUserMessage("s1", sentence(0).repeat(3));
    const summary = await memory.compress("s1");
    expect(summary?.tokenCount).toBeLessThan(memory.getStats("s1").totalTokens);
    expect(summary?.content).toContain("…");
    expect(reports[0]?.tokensSaved).toBeGreaterThan(0);
  });

  it("there is none where it could not be smaller, and nothing changes", async () => {
    const { memory, reports } = aMemory({ recentWindow: 0 });
    for (let index = 0; index < 6; index++) await memory.addUserMessage("s1", "ok");
    expect(await memory.compress("s1")).toEqual({
      refused: "not-smaller",
      reason: "No summary would be smaller than the 6 tokens of the 6 entries that it would replace.",
    });
    expect(memory.getStats("s1")).toMatchObject({ activeEntries: 6, summaries: 0 });
    expect(reports).toEqual([]);
  });

  it("an earlier summary of a model is left where it is: it says more", async () => {
    const { memory, reports } = aMemory({ recentWindow: 0, maxTokens: 60, autoCompress: false });
    memory.setSummarizeCallback(async () => "A model has written this, about what it was told. ".repeat(3));
    for (let round = 0; round < 2; round++) {
      await conversation(memory, 10);
      await memory.compress("s1");
    }
    memory.setSummarizeCallback(undefined);
    await conversation(memory, 10);
    await memory.compress("s1");
    expect(reports.map(({ writtenBy }) => writtenBy)).toEqual(["callback", "callback", "heuristic"]);
    expect(memory.getStats("s1").summaries).toBe(3);
  });
});

describe("a callback that", () => {
  const failing: readonly {
    readonly does: string;
    readonly reason: string;
    readonly callback: SummarizeCallback;
  }[] = [
    { does: "rejects", reason: "failed", callback: async () => Promise.reject(new TypeError("no network")) },
    {
      does: "throws at once",
      reason: "failed",
      callback: () => {
        throw new TypeError("no key");
      },
    },
    { does: "answers nothing", reason: "empty", callback: async () => " \n " },
    { does: "answers no text", reason: "not-text", callback: async () => ({ text: "x" }) as never },
    { does: "answers undefined", reason: "not-text", callback: async () => undefined as never },
    { does: "inflates", reason: "not-smaller", callback: async (prompt) => prompt.repeat(2) },
  ];
  it.each(failing)("$does has the heuristic written instead, and is told of", async ({
    callback,
    reason,
  }) => {
    const { memory, reports, deadline } = aMemory();
    memory.setSummarizeCallback(callback);
    await conversation(memory, 20);
    expect((await memory.compress("s1"))?.content).toMatch(/^\[Previous conversation summary\]\n/);
    expect(reports).toMatchObject([{ writtenBy: "heuristic", problem: { reason } }]);
    expect(deadline.waiting).toEqual([]);
  });

  it("hangs is ended by the time limit, and told so by its signal", async () => {
    const { memory, reports, deadline } = aMemory({ summarizeTimeoutMs: 1_234 });
    let signal: AbortSignal | undefined;
    memory.setSummarizeCallback((_prompt, options) => {
      signal = options.signal;
      return new Promise(() => undefined);
    });
    await conversation(memory, 20);
    const compressing = memory.compress("s1");
    await expect.poll(() => signal !== undefined).toBe(true);
    expect(deadline.waiting).toMatchObject([{ ms: 1_234 }]);
    expect(signal?.aborted).toBe(false);
    deadline.end();
    expect((await compressing)?.content).toMatch(/^\[Previous conversation summary\]\n/);
    expect(signal?.aborted).toBe(true);
    expect(reports).toMatchObject([{ problem: { reason: "timed-out" } }]);
  });

  it("is no function is refused", () => {
    const { memory } = aMemory();
    const set = () => memory.setSummarizeCallback("gpt" as never);
    expect(set).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }) as Error);
  });

  it("works has its words kept, without the space around them", async () => {
    const { memory, reports } = aMemory();
    memory.setSummarizeCallback(async () => "\n  They talked about sentences.\n");
    await conversation(memory, 20);
    expect((await memory.compress("s1"))?.content).toBe("They talked about sentences.");
    expect(reports).toMatchObject([{ writtenBy: "callback" }]);
  });

  it("is not asked again for so little that no summary is smaller, until there is more", async () => {
    const { memory } = aMemory({ maxEntries: 6, recentWindow: 0 });
    let asked = 0;
    memory.setSummarizeCallback(async (prompt) => {
      asked++;
      return prompt;
    });
    for (let index = 0; index < 11; index++) await memory.addUserMessage("s1", "ok");
    expect(asked).toBe(1);
    await memory.addUserMessage("s1", "ok");
    expect(asked).toBe(2);
  });
});
