import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateBlock, estimateFixed, estimateMessage } from "#tokens/estimate/estimate-block.ts";
import type { ContentBlock } from "#transcript/blocks.ts";

const SENTENCE = "The parser reads the header first and then every line of the body.";

describe("estimateBlock", () => {
  it.each([
    { block: { type: "text", text: SENTENCE }, tokens: [14, 24], why: "a text by its characters" },
    {
      block: { type: "thinking", thinking: SENTENCE, signature: "A".repeat(4_000) },
      tokens: [14, 24],
      why: "thinking without its signature",
    },
    {
      block: { type: "tool_use", id: "t1", name: "read_file", input: { path: "src/main.ts", limit: 20 } },
      tokens: [60, 95],
      why: "a call with the wrapper of each argument",
    },
    {
      block: { type: "tool_result", tool_use_id: "t1", content: SENTENCE },
      tokens: [25, 40],
      why: "a result",
    },
    {
      block: { type: "tool_result", tool_use_id: "t1" },
      tokens: [10, 20],
      why: "an empty result, for its wrapper",
    },
    {
      block: { type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(50_000) } },
      tokens: [2_000, 2_000],
      why: "an image of unknown size, flat",
    },
    {
      block: { type: "image", source: { type: "url", width: 300, height: 250 } },
      tokens: [100, 110],
      why: "an image by its size",
    },
    {
      block: { type: "image", source: { type: "url", width: 30_000, height: 25_000 } },
      tokens: [1_550, 1_571],
      why: "a large image as it is scaled down",
    },
    {
      block: { type: "document", source: { type: "base64" } },
      tokens: [2_000, 2_000],
      why: "a document, flat",
    },
    {
      block: { type: "document", source: { type: "text", data: SENTENCE } },
      tokens: [14, 24],
      why: "a document that is text",
    },
    {
      block: {
        type: "tool_result",
        tool_use_id: "t1",
        content: [
          { type: "text", text: SENTENCE },
          { type: "image", source: {} },
        ],
      },
      tokens: [2_025, 2_045],
      why: "a result of text and an image",
    },
    {
      block: { type: "opaque", provider: "gemini", value: { note: SENTENCE } },
      tokens: [18, 30],
      why: "opaque, by its JSON",
    },
    { block: { type: "compaction", content: null }, tokens: [0, 5], why: "an empty compaction" },
  ] as { block: ContentBlock; tokens: [number, number]; why: string }[])("counts $why", ({
    block,
    tokens,
  }) => {
    const estimated = estimateBlock(block);
    expect(estimated).toBeGreaterThanOrEqual(tokens[0]);
    expect(estimated).toBeLessThanOrEqual(tokens[1]);
  });

  it("takes damaged blocks of every kind without throwing", () => {
    const damaged = fc.record({
      type: fc.constantFrom(
        "text",
        "thinking",
        "tool_use",
        "tool_result",
        "image",
        "document",
        "opaque",
        "nonsense",
      ),
      text: fc.anything(),
      thinking: fc.anything(),
      name: fc.anything(),
      input: fc.anything(),
      content: fc.anything(),
      source: fc.anything(),
      value: fc.anything(),
    });
    fc.assert(
      fc.property(damaged, (block) => {
        const tokens = estimateBlock(block as unknown as ContentBlock);
        expect(Number.isFinite(tokens) && tokens >= 0).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("takes a cycle and a depth that JSON cannot write", () => {
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    let deep: unknown = "end";
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    for (const input of [cyclic, deep]) {
      const block = { type: "tool_use", id: "t1", name: "call", input } as unknown as ContentBlock;
      expect(estimateBlock(block)).toBeGreaterThan(0);
    }
  });
});

describe("estimateMessage", () => {
  it("is the sum of its blocks and a wrapper, and the same when asked again", () => {
    const block: ContentBlock = { type: "text", text: SENTENCE };
    const message = { role: "user" as const, content: [block, block] };
    const tokens = estimateMessage(message);
    expect(tokens).toBeCloseTo(2 * estimateBlock(block) + 3, 6);
    expect(estimateMessage(message)).toBe(tokens);
  });

  it("reads a message once", () => {
    let reads = 0;
    const block = () => ({
      type: "text" as const,
      get text() {
        reads++;
        return SENTENCE;
      },
    });
    const message = { content: [block()] };
    const first = estimateMessage(message);
    expect(reads).toBeGreaterThanOrEqual(1);
    reads = 0;
    expect(estimateMessage(message)).toBe(first);
    expect(reads).toBe(0);
  });
});

describe("estimateFixed", () => {
  it("counts system prompt and tools, and nothing where there are none", () => {
    expect(estimateFixed({})).toBe(0);
    expect(estimateFixed({ system: SENTENCE, tools: "[]" })).toBeGreaterThan(
      estimateFixed({ system: SENTENCE }),
    );
  });
});
