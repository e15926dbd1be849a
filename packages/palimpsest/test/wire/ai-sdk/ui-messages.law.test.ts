/** `UIMessage`s survive both conversions, with every part of AI SDK 5, 6 and 7; and so do the turns of a session. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContentBlock, Message } from "#transcript/blocks.ts";
import { fromUiMessages, toUiMessages } from "#wire/ai-sdk/ui-messages.ts";
import { uiMessages } from "./ai-sdk-arbitraries.ts";

/** As the log keeps it. */
const stored = (messages: readonly Message[]): readonly Message[] => JSON.parse(JSON.stringify(messages));

const withoutCarriers = (messages: unknown): unknown =>
  JSON.parse(JSON.stringify(messages, (key, value: unknown) => (key === "aiSdk" ? undefined : value)));

describe("UIMessages", () => {
  it("come back from the log as they were", () => {
    fc.assert(
      fc.property(uiMessages, (messages) => {
        expect(toUiMessages(stored(fromUiMessages(messages)))).toEqual(messages);
      }),
    );
  });

  it("are split where a step starts, and hand the model what it sees", () => {
    const messages = fromUiMessages([
      { id: "u1", role: "user", parts: [{ type: "text", text: "Read a.ts" }] as never },
      {
        id: "a1",
        role: "assistant",
        parts: [
          { type: "step-start" },
          { type: "reasoning", text: "Hm.", providerMetadata: { anthropic: { signature: "c2ln" } } },
          {
            type: "tool-read",
            toolCallId: "c1",
            state: "output-available",
            input: { path: "a.ts" },
            output: { lines: 3 },
          },
          { type: "step-start" },
          { type: "source-url", sourceId: "s1", url: "https://a.example" },
          { type: "text", text: "Three lines.", state: "done" },
        ] as never,
      },
    ]);
    const bare = withoutCarriers(messages.map(({ role, content }) => ({ role, content })));
    expect(bare).toEqual([
      { role: "user", content: [{ type: "text", text: "Read a.ts" }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "c2ln" },
          { type: "tool_use", id: "c1", name: "read", input: { path: "a.ts" } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: '{"lines":3}' }] },
      { role: "assistant", content: [{ type: "text", text: "Three lines." }] },
    ]);
    expect(messages.map(({ hostId }) => hostId)).toEqual(["u1", "a1", "a1", "a1"]);
  });
});

const answer = fc.constantFrom<ContentBlock>(
  { type: "text", text: "Fine." },
  { type: "thinking", thinking: "Hm.", signature: "c2ln" },
  { type: "redacted_thinking", data: "c2VhbGVk" },
  { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "x" } },
  { type: "web_search_tool_result", tool_use_id: "s1", content: [{ url: "https://a.example" }] },
);
const resultContent = fc.constantFrom<Extract<ContentBlock, { type: "tool_result" }>["content"]>(
  "ok",
  "",
  '{"a":1}',
  [{ type: "text", text: "part" }],
  [{ type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } }],
  undefined,
);
/** A question, steps with a call and its result each, and the answer. */
const turn = fc
  .record({
    steps: fc.array(
      fc.record({
        before: fc.array(answer, { maxLength: 2 }),
        content: resultContent,
        isError: fc.boolean(),
      }),
      { maxLength: 3 },
    ),
    last: fc.array(answer, { minLength: 1, maxLength: 2 }),
    hasIds: fc.boolean(),
  })
  .map(({ steps, last, hasIds }): readonly Message[] => {
    const id = hasIds ? { hostId: "a1" } : {};
    return [
      { role: "user", content: [{ type: "text", text: "Go." }], ...(hasIds ? { hostId: "u1" } : {}) },
      ...steps.flatMap(({ before, content, isError }, index): Message[] => [
        {
          role: "assistant",
          content: [...before, { type: "tool_use", id: `c${index}`, name: "read", input: { path: "a" } }],
          ...id,
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: `c${index}`,
              ...(content === undefined ? {} : { content }),
              ...(isError ? { is_error: true } : {}),
            },
          ],
          ...id,
        },
      ]),
      { role: "assistant", content: last, ...id },
    ];
  });

describe("the turns of a session", () => {
  it("come back from a chat as they were", () => {
    fc.assert(
      fc.property(turn, (messages) => {
        expect(withoutCarriers(fromUiMessages(toUiMessages(messages)))).toEqual(withoutCarriers(messages));
      }),
    );
  });
});
