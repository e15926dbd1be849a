/** Blocks of recordings that are damaged: mended, or kept and sent to no one, and always told. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { importSessions } from "#importers/registry.ts";
import { wellFormedBlock } from "#wire/shared/well-formed-block.ts";
import { expectSendable } from "../../../../../test/helpers/sendable.ts";
import { bySize } from "../../../../../test/helpers/size-of-run.ts";

const kept = (value: unknown) => ({ type: "opaque", provider: "unknown", value });

describe("wellFormedBlock", () => {
  it.each([
    { role: "assistant", value: null, block: kept(null), why: "nothing at all" },
    { role: "assistant", value: 1, block: kept(1), why: "a number" },
    { role: "assistant", value: [], block: kept([]), why: "a list" },
    {
      role: "assistant",
      value: { type: "tool_use" },
      block: kept({ type: "tool_use" }),
      why: "a call without an id and a name",
    },
    {
      role: "assistant",
      value: { type: "tool_use", id: 5, name: {}, input: "x" },
      block: kept({ type: "tool_use", id: 5, name: {}, input: "x" }),
      why: "a call with an object for a name",
    },
    {
      role: "assistant",
      value: { type: "tool_use", id: 5, name: "f", input: null },
      block: { type: "tool_use", id: "5", name: "f", input: {} },
      why: "an id that is a number",
    },
    {
      role: "user",
      value: { type: "tool_result", tool_use_id: null },
      block: kept({ type: "tool_result", tool_use_id: null }),
      why: "a result of nothing",
    },
    {
      role: "user",
      value: { type: "tool_result", tool_use_id: "t", is_error: "yes", content: [3, "a"] },
      block: {
        type: "tool_result",
        tool_use_id: "t",
        content: [
          { type: "text", text: "3" },
          { type: "text", text: "a" },
        ],
      },
      why: "parts that are none, a flag that is a word",
    },
    {
      role: "user",
      value: { type: "tool_use", id: "t", name: "f", input: {} },
      block: kept({ type: "tool_use", id: "t", name: "f", input: {} }),
      why: "a call of the user",
    },
    {
      role: "user",
      value: { type: "image", source: { type: "base64", media_type: "image/png", data: "!" } },
      block: kept({ type: "image", source: { type: "base64", media_type: "image/png", data: "!" } }),
      why: "a picture that is none",
    },
    {
      role: "assistant",
      value: { type: "thinking", thinking: "Hm", signature: "half \ud83d" },
      block: { type: "thinking", thinking: "Hm" },
      why: "a signature with half a character",
    },
    {
      role: "assistant",
      value: { type: "redacted_thinking", data: "half \ud83d" },
      block: kept({ type: "redacted_thinking", data: "half \ud83d" }),
      why: "ciphered thinking with half a character",
    },
    { role: "user", value: { type: "novel" }, block: kept({ type: "novel" }), why: "a type nobody knows" },
  ] as const)("tells of $why", ({ role, value, block }) => {
    const reported: string[] = [];
    expect(wellFormedBlock(value, { role, onDamage: (what) => reported.push(what) })).toEqual(block);
    expect(reported.length).toBe(1);
  });

  it("gives a block that is whole back as the very object it came as, unknown fields included", () => {
    const value = { type: "tool_use", id: "t", name: "f", input: {}, novel: 1 };
    expect(wellFormedBlock(value, { role: "assistant", onDamage: expect.fail })).toBe(value);
  });
});

/** JSON that often looks like a block. Where a signed summary of the provider may stand is a rule about conversations, not blocks. */
const anyBlock = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.record(
    {
      type: fc.constantFrom(
        ...["text", "tool_use", "tool_result", "image", "document", "thinking", "redacted_thinking"],
        ...[
          "server_tool_use",
          "web_search_tool_result",
          "compaction",
          "toolCall",
          "image_url",
          "input_audio",
        ],
        ...["file", "refusal", "search_result", "container_upload", "__proto__", "opaque", "blob"],
      ),
      text: fc.jsonValue({ maxDepth: 1 }),
      id: fc.oneof(fc.constantFrom("t1", "t2", "", "a b", "x".repeat(70)), fc.jsonValue({ maxDepth: 0 })),
      tool_use_id: fc.oneof(fc.constantFrom("t1", "t2", ""), fc.jsonValue({ maxDepth: 0 })),
      name: fc.oneof(fc.constantFrom("f", "mcp.f", "x".repeat(90)), fc.jsonValue({ maxDepth: 0 })),
      input: fc.jsonValue({ maxDepth: 1 }),
      arguments: fc.jsonValue({ maxDepth: 1 }),
      content: fc.jsonValue({ maxDepth: 2 }),
      source: fc.oneof(
        fc.record({
          type: fc.constantFrom("base64", "url", "file", "text", "content", "none"),
          data: fc.constantFrom("AAAA", "!", ""),
          media_type: fc.constantFrom("image/png", "image/svg+xml", "application/pdf", "text/plain"),
          url: fc.constantFrom("https://example.com/a.png", ""),
        }),
        fc.jsonValue({ maxDepth: 1 }),
      ),
      is_error: fc.jsonValue({ maxDepth: 0 }),
      thinking: fc.jsonValue({ maxDepth: 0 }),
      signature: fc.jsonValue({ maxDepth: 0 }),
      data: fc.jsonValue({ maxDepth: 0 }),
      citations: fc.jsonValue({ maxDepth: 1 }),
      image_url: fc.jsonValue({ maxDepth: 1 }),
      novel: fc.jsonValue({ maxDepth: 1 }),
    },
    { requiredKeys: ["type"] },
  ),
);

const content = fc.oneof(fc.array(anyBlock, { maxLength: 4 }), fc.jsonValue({ maxDepth: 1 }));
const call = fc.oneof(
  anyBlock,
  fc.record({
    id: fc.oneof(fc.constantFrom("t1", "", 7, null)),
    type: fc.constantFrom("function", "custom", "novel"),
    function: fc.oneof(
      fc.constant({ name: "f.g", arguments: "{}", extra: 1 }),
      fc.jsonValue({ maxDepth: 1 }),
    ),
    index: fc.nat(),
  }),
);
const chat = fc.array(
  fc.record(
    {
      role: fc.constantFrom("user", "assistant", "tool", "system", "developer", "function"),
      content,
      tool_calls: fc.array(call, { maxLength: 2 }),
      tool_call_id: fc.constantFrom("t1", "t2", 7, ""),
      name: fc.constantFrom("ada", "with blanks", 5, ""),
      extra: fc.jsonValue({ maxDepth: 1 }),
      refusal: fc.jsonValue({ maxDepth: 0 }),
      audio: fc.jsonValue({ maxDepth: 1 }),
    },
    { requiredKeys: ["role"] },
  ),
  { minLength: 1, maxLength: 6 },
);
const anthropic = fc.array(fc.record({ role: fc.constantFrom("user", "assistant", "system"), content }), {
  minLength: 1,
  maxLength: 6,
});
const pi = fc
  .array(
    fc.record(
      {
        role: fc.constantFrom("user", "assistant", "toolResult", "system", "custom"),
        content,
        toolCallId: fc.constantFrom("t1", 5, null),
        isError: fc.boolean(),
      },
      { requiredKeys: ["role"] },
    ),
    { maxLength: 6 },
  )
  .map((messages) => [
    { type: "session", id: "s", timestamp: "2025-01-01T00:00:00Z" },
    ...messages.map((message) => ({ type: "message", message })),
  ]);
const claude = fc
  .array(fc.record({ type: fc.constantFrom("user", "assistant"), content }), { minLength: 1, maxLength: 6 })
  .map((records) =>
    records.map(({ type, content: message }, index) => ({
      type,
      uuid: `u${index}`,
      parentUuid: index === 0 ? null : `u${index - 1}`,
      sessionId: "s",
      message: { role: type, content: message, ...(type === "assistant" ? { id: `m${index}` } : {}) },
    })),
  );

describe.each([
  { format: "openai-chat", records: chat },
  { format: "anthropic-messages", records: anthropic },
  { format: "pi", records: pi },
  { format: "claude-code", records: claude },
])("whatever a $format recording holds", ({ records }) => {
  it("becomes blocks that fit their types and requests that no provider refuses", async () => {
    await fc.assert(
      fc.asyncProperty(records as fc.Arbitrary<readonly object[]>, async (list) => {
        const text = list.map((record) => JSON.stringify(record)).join("\n");
        let imported: ReturnType<typeof importSessions>;
        try {
          imported = importSessions({ name: "any.jsonl", text });
        } catch (error) {
          expect(error).toMatchObject({ code: expect.stringMatching(/^(NO_MESSAGES|FORMAT_UNKNOWN)$/) });
          return;
        }
        for (const session of imported.sessions) await expectSendable(session.items);
      }),
      { numRuns: bySize({ usual: 25, long: 1_000 }) },
    );
  });
});
