/** `ModelMessage`s survive both conversions, with every part of AI SDK 5, 6 and 7, and so do our messages. */
import fc from "fast-check";
import { anyMessage } from "palimpsest-testing/arbitraries";
import { describe, expect, it } from "vitest";
import { type ContentBlock, defaultOrigin, type Message } from "#transcript/blocks.ts";
import { type AiSdkMessage, fromModelMessages, toModelMessages } from "#wire/ai-sdk/model-messages.ts";
import { modelMessage } from "./ai-sdk-arbitraries.ts";

/** As the log keeps it. */
const stored = (messages: readonly Message[]): readonly Message[] => JSON.parse(JSON.stringify(messages));

/** A text in the place of content is a list of one text. */
const asList = (message: AiSdkMessage): AiSdkMessage =>
  typeof message.content === "string" && message.role !== "system"
    ? { ...message, content: [{ type: "text", text: message.content }] }
    : message;

describe("ModelMessages", () => {
  it("come back from the log as they were", () => {
    fc.assert(
      fc.property(fc.array(modelMessage, { maxLength: 4 }), (messages) => {
        expect(toModelMessages(stored(fromModelMessages(messages)))).toEqual(messages.map(asList));
      }),
    );
  });
});

/** Blocks that have no part in the SDK, or say more than their part. */
const further = fc.constantFrom<ContentBlock>(
  { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "x" } },
  { type: "web_search_tool_result", tool_use_id: "s1", content: [{ url: "https://a.example" }] },
  { type: "thinking", thinking: "Unsigned." },
  { type: "redacted_thinking", data: "c2VhbGVk" },
  { type: "compaction", content: "The summary." },
  { type: "opaque", provider: "openai-responses", value: { type: "reasoning", id: "rs_1" } },
  { type: "text", text: "Cited.", citations: [{ cited_text: "x" }] } as ContentBlock,
);
const anyOfOurs: fc.Arbitrary<Message> = fc.oneof(
  anyMessage(),
  fc.record({
    role: fc.constant("assistant" as const),
    content: fc.array(further, { minLength: 1, maxLength: 3 }),
    origin: fc.constantFrom("assistant" as const, "engine" as const),
    hostId: fc.constantFrom("h1", "h2"),
    interrupted: fc.boolean(),
  }),
);

/** An origin that follows from the rest is left out. */
function usual({ origin, ...message }: Message): Message {
  const isUsual = origin === defaultOrigin(message);
  return { ...message, ...(origin === undefined || isUsual ? {} : { origin }) };
}

describe("our messages", () => {
  it("come back from the SDK as they were", () => {
    fc.assert(
      fc.property(fc.array(anyOfOurs, { maxLength: 4 }), (messages) => {
        const own = messages.map(usual);
        expect(fromModelMessages(toModelMessages(own))).toEqual(own);
      }),
    );
  });

  it("have results of tools that name the tool of their call", () => {
    const messages: Message[] = [
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "read", input: { path: "a" } }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t1", content: "data" },
          { type: "text", text: "And b?" },
        ],
      },
      { role: "assistant", content: [{ type: "tool_use", id: "t2", name: "read", input: { path: "b" } }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t2", content: "gone", is_error: true }],
      },
    ];
    const written = toModelMessages(messages);
    expect(written.map(({ role }) => role)).toEqual(["assistant", "tool", "user", "assistant", "tool"]);
    expect(written.filter(({ role }) => role === "tool").flatMap(({ content }) => content)).toMatchObject([
      { type: "tool-result", toolCallId: "t1", toolName: "read", output: { type: "text", value: "data" } },
      {
        type: "tool-result",
        toolCallId: "t2",
        toolName: "read",
        output: { type: "error-text", value: "gone" },
      },
    ]);
    expect(fromModelMessages(written)).toEqual(messages);
  });

  it("keep a result of a tool that no part can say, such as half a character, in its place", () => {
    const content: ContentBlock[] = [
      { type: "tool_result", tool_use_id: "c1", content: "\udc00" },
      { type: "tool_result", tool_use_id: "c2", content: "" },
      { type: "text", text: "And now?" },
    ];
    const written = toModelMessages([{ role: "user", content }]);
    expect(written.map(({ role }) => role)).toEqual(["tool", "user"]);
    expect(JSON.stringify(written[0])).toContain('"value":"\ufffd"');
    expect(fromModelMessages(written)).toEqual([{ role: "user", content }]);
  });
});
