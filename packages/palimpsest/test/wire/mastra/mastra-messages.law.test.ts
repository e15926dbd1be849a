/** Messages of Mastra survive both conversions, and so does what a session says. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "#transcript/blocks.ts";
import { fromMastraMessages, type MastraMessage, toMastraMessages } from "#wire/mastra/mastra-messages.ts";

/** As the log keeps it. */
const stored = (messages: readonly Message[]): readonly Message[] => JSON.parse(JSON.stringify(messages));

const words = fc.oneof(fc.lorem({ maxCount: 5 }), fc.constantFrom("", "{}", "漢字 🙂"));
const id = fc.stringMatching(/^[a-z0-9]{1,6}$/);
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const more = fc.constantFrom<object>(
  {},
  { createdAt: 1_795_446_532_192 },
  { providerMetadata: { openai: { itemId: "x" } } },
);
const with_ = (part: fc.Arbitrary<object>) =>
  fc.tuple(part, more).map(([own, fields]) => ({ ...own, ...fields }));

const outcome = fc.oneof(
  fc.constantFrom<object>({ state: "partial-call" }, { state: "call" }),
  json.map((result) => ({ state: "result", result })),
  fc.oneof(words, json).map((result) => ({ state: "result", result, isError: true })),
  words.map((errorText) => ({ state: "output-error", errorText })),
  fc.constant({ state: "approval-requested", approval: { id: "a1" } }),
  fc.constant({ state: "output-denied", approval: { id: "a1", approved: false, reason: "No." } }),
);
const ofUser = fc.oneof(
  with_(words.map((text) => ({ type: "text", text }))),
  with_(
    fc.record({
      type: fc.constant("file"),
      data: fc.constantFrom(
        "data:image/png;base64,iVBORw0KGgo=",
        "https://a.example/b.png",
        "iVBORw0KGgo=",
        "AQID",
      ),
      mimeType: fc.constantFrom("image/png", "audio/wav", "application/pdf"),
    }),
  ),
  fc.constantFrom<object>({ type: "data-weather", data: { sun: true } }),
);
const ofAssistant = fc.oneof(
  ofUser,
  with_(
    words.map((reasoning) => ({
      type: "reasoning",
      reasoning,
      details: [{ type: "text", text: reasoning }],
    })),
  ),
  words.map((reasoning) => ({
    type: "reasoning",
    reasoning,
    details: [{ type: "text", text: reasoning, signature: "c2ln" }],
  })),
  with_(
    fc.tuple(outcome, id, json).map(([own, toolCallId, args]) => ({
      type: "tool-invocation",
      toolInvocation: { toolCallId, toolName: "read", args, ...own },
    })),
  ),
  fc.constantFrom<object>(
    { type: "step-start", model: "claude-opus-4-6" },
    { type: "source", source: { sourceType: "url", id: "s1", url: "https://a.example" } },
    { type: "error", error: { name: "Error", message: "It broke." } },
  ),
);
const messageOf = (role: fc.Arbitrary<MastraMessage["role"]>, part: fc.Arbitrary<object>) =>
  fc.record({
    id,
    role,
    createdAt: fc.constant(new Date(1_795_446_532_192)),
    threadId: id,
    resourceId: id,
    content: fc.record({
      format: fc.constant(2 as const),
      parts: fc.array(part, { maxLength: 5 }),
      content: words,
      metadata: fc.constant({ a: [1] }),
    }),
  });
const message = fc.oneof(
  messageOf(fc.constantFrom("user" as const, "signal" as const), ofUser),
  messageOf(fc.constant("assistant" as const), ofAssistant),
);
/** Any thread; ids are different. */
const messages: fc.Arbitrary<readonly MastraMessage[]> = fc
  .array(message, { maxLength: 4 })
  .map((all) => all.map((one, index) => ({ ...one, id: `${one.id}-${index}` })));

describe("messages of Mastra", () => {
  it("come back from the log as they were", () => {
    fc.assert(
      fc.property(messages, (thread) => {
        expect(toMastraMessages(stored(fromMastraMessages(thread)))).toEqual(thread);
      }),
    );
  });
});

describe("a session's messages", () => {
  it("become messages of a thread, and are the same when they are read again", () => {
    const own: readonly Message[] = [
      { role: "user", content: [{ type: "text", text: "Read a.ts" }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "c2ln" },
          { type: "tool_use", id: "c1", name: "read", input: { path: "a.ts" } },
        ],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "c1", content: "no file", is_error: true }],
      },
      { role: "assistant", content: [{ type: "text", text: "There is none." }] },
    ];
    const thread = toMastraMessages(own, { threadId: "t", resourceId: "r", createdAtMs: 5 });
    expect(thread.map(({ role, createdAt }) => [role, createdAt.getTime()])).toEqual([
      ["user", 5],
      ["assistant", 6],
    ]);
    expect(thread[1]).toMatchObject({
      threadId: "t",
      resourceId: "r",
      content: {
        format: 2,
        parts: [
          { type: "reasoning", reasoning: "Hm.", providerMetadata: { anthropic: { signature: "c2ln" } } },
          {
            type: "tool-invocation",
            toolInvocation: { toolName: "read", state: "result", result: "no file", isError: true },
          },
          { type: "step-start" },
          { type: "text", text: "There is none." },
        ],
      },
    });
    const read = JSON.parse(
      JSON.stringify(fromMastraMessages(thread), (key, value: unknown) =>
        key === "aiSdk" ? undefined : value,
      ),
    );
    expect(read).toEqual(own);
  });
});
