/** Laws of the converters to and from OpenAI's wires: what they can say survives the way there and back. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { call, image, message, plain, result, text } from "#test/wire/anthropic/wire-arbitraries.ts";
import type { ContentBlock } from "#transcript/blocks.ts";
import type { RequestMessage } from "#transcript/window.ts";
import { toAnthropic } from "#wire/anthropic/to-anthropic.ts";
import { fromOpenAIChat } from "#wire/openai-chat/from-openai-chat.ts";
import { toOpenAIChat } from "#wire/openai-chat/to-openai-chat.ts";
import { fromOpenAIResponses } from "#wire/openai-responses/from-openai-responses.ts";
import { toOpenAIResponses } from "#wire/openai-responses/to-openai-responses.ts";

describe("OpenAI Chat", () => {
  /** An answer says its text before its calls on this wire. */
  const answer = fc
    .tuple(fc.array(text, { maxLength: 2 }), fc.array(call, { maxLength: 3 }))
    .filter(([texts, calls]) => texts.length + calls.length > 0)
    .map(([texts, calls]): RequestMessage => ({ role: "assistant", content: [...texts, ...calls] }));
  const single = result.map((block): RequestMessage => ({ role: "user", content: [block] }));

  it("gives back what was sent", () => {
    const sayable = fc.array(fc.oneof(answer, single, message("user", text, image)));
    fc.assert(
      fc.property(sayable, (messages) => {
        expect(plain(fromOpenAIChat(toOpenAIChat(messages)).messages)).toEqual(messages);
      }),
    );
  });

  it("gives back a call's arguments to the letter, JSON or not", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map((value) => ` ${value}`),
          fc.constant('{"a":1,"a":2}'),
          fc.constant('{"__proto__":{"x":1}}'),
          fc.constant("1e400"),
        ),
        (text_) => {
          const wire = [
            {
              role: "assistant",
              content: null,
              tool_calls: [{ id: "t", type: "function", function: { name: "f", arguments: text_ } }],
            },
          ];
          expect(toOpenAIChat(fromOpenAIChat(wire).messages)).toEqual(wire);
        },
      ),
    );
  });

  it.each(["", " "])("reads arguments that are %j as none, and gives them back", (written) => {
    const chat = [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "t", type: "function", function: { name: "f", arguments: written } }],
      },
    ];
    const responses = [{ type: "function_call", call_id: "t", name: "f", arguments: written }];
    const fromChat = fromOpenAIChat(chat).messages;
    const fromResponses = fromOpenAIResponses(responses).messages;
    for (const [read] of [fromChat, fromResponses])
      expect(read!.content).toMatchObject([{ type: "tool_use", name: "f", input: {} }]);
    expect(toOpenAIChat(fromChat)).toEqual(chat);
    expect(toOpenAIResponses(fromResponses)).toEqual(responses);
  });

  it("sends new arguments once an edit has changed them", () => {
    const [read] = fromOpenAIChat([
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "t", type: "function", function: { name: "f", arguments: '{ "a": 1 }' } }],
      },
    ]).messages;
    const edited = { ...read!, content: [{ ...read!.content[0]!, input: { a: 2 } } as ContentBlock] };
    expect(toOpenAIChat([edited])[0]).toMatchObject({ tool_calls: [{ function: { arguments: '{"a":2}' } }] });
  });

  it.each([
    { why: "a refusal", wire: { role: "assistant", content: null, refusal: "I will not." } },
    { why: "a name", wire: { role: "user", content: "hello", name: "ada" } },
    {
      why: "the detail of an image",
      wire: {
        role: "user",
        content: [{ type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } }],
      },
    },
    {
      why: "several texts",
      wire: {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    },
    {
      why: "audio",
      wire: { role: "user", content: [{ type: "input_audio", input_audio: { data: "…", format: "wav" } }] },
    },
    {
      why: "a custom tool's call",
      wire: {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "t", type: "custom", custom: { name: "f", input: "free text" } }],
      },
    },
    {
      why: "the name of the tool that answers",
      wire: { role: "tool", tool_call_id: "t", content: "x", name: "f" },
    },
    {
      why: "an instruction inside the conversation",
      wire: { role: "developer", content: "From now on in French." },
    },
  ])("gives back $why", ({ wire }) => {
    const messages = [{ role: "user", content: "first" }, wire];
    expect(toOpenAIChat(fromOpenAIChat(messages).messages)).toEqual(messages);
  });

  it("shows a result's images in the user message after it, because a tool message holds text only", () => {
    const picture: ContentBlock = {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: "AAAA" },
    };
    const content: ContentBlock[] = [
      { type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "seen" }, picture as never] },
      { type: "text", text: "well?" },
    ];
    expect(toOpenAIChat([{ role: "user", content }])).toEqual([
      { role: "tool", tool_call_id: "t", content: [{ type: "text", text: "seen" }] },
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          { type: "text", text: "well?" },
        ],
      },
    ]);
  });
});

describe("OpenAI Responses", () => {
  it("gives back what was sent", () => {
    const answer = message("assistant", text, call);
    const turn = fc.tuple(
      answer,
      fc.oneof(
        result.map((block): RequestMessage => ({ role: "user", content: [block] })),
        message("user", text, image),
      ),
    );
    const sayable = fc.array(turn).map((turns) => turns.flat());
    fc.assert(
      fc.property(sayable, (messages) => {
        expect(plain(fromOpenAIResponses(toOpenAIResponses(messages)).messages)).toEqual(messages);
      }),
    );
  });

  it("gives back items as they came, encrypted reasoning and foreign tools in their place", () => {
    const items = [
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "hello" },
          { type: "input_image", image_url: "https://example.com/a.png", detail: "low" },
        ],
      },
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "…" },
      {
        type: "message",
        role: "assistant",
        id: "msg_1",
        status: "completed",
        content: [{ type: "output_text", text: "one" }],
      },
      {
        type: "message",
        role: "assistant",
        id: "msg_2",
        status: "completed",
        content: [
          { type: "output_text", text: "two" },
          { type: "refusal", refusal: "no" },
        ],
      },
      { type: "function_call", id: "fc_1", call_id: "c1", name: "f", arguments: "{ }", status: "completed" },
      { type: "custom_tool_call", call_id: "c2", name: "g", input: "free text" },
      { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search" } },
      { type: "function_call_output", call_id: "c1", output: "1" },
      { type: "custom_tool_call_output", call_id: "c2", output: [{ type: "input_text", text: "2" }] },
      { type: "message", role: "developer", content: [{ type: "input_text", text: "Be brief." }] },
      { type: "compaction", id: "cmp_1", encrypted_content: "…" },
    ];
    const { messages, unreadable } = fromOpenAIResponses(items);
    expect(unreadable).toEqual([]);
    expect(toOpenAIResponses(messages)).toEqual(items);
    expect(toAnthropic(messages).flatMap(({ content }) => content.map((block) => block["type"]))).toEqual([
      "text",
      "image",
      "text",
      "text",
      "tool_use",
      "tool_use",
      "tool_result",
      "tool_result",
      "text",
    ]);
  });

  it.each([
    { call: "custom_tool_call", output: "custom_tool_call_output", fields: { input: "free text" } },
    { call: "function_call", output: "function_call_output", fields: { arguments: "{}" } },
  ])("answers a $call in its own kind, whoever wrote the answer", ({ call: type, output, fields }) => {
    const item = { type, call_id: "c1", name: "f", ...fields };
    const { messages } = fromOpenAIResponses([item]);
    const plainResult: ContentBlock = { type: "tool_result", tool_use_id: "c1", content: "interrupted" };
    const custom = { ...plainResult, openai: { extra: { type: "custom_tool_call_output" } } };
    for (const block of [plainResult, custom]) {
      const items = toOpenAIResponses([...messages, { role: "user", content: [block] }]);
      expect(items).toEqual([item, { type: output, call_id: "c1", output: "interrupted" }]);
    }
  });

  it("leaves reasoning out that led to nothing, because it is refused alone", () => {
    const reasoning = { type: "reasoning", summary: [], encrypted_content: "…" };
    const messageOf = (role: string, type: string) => ({
      type: "message",
      role,
      content: [{ type, text: "a" }],
    });
    const items = [
      reasoning,
      messageOf("assistant", "output_text"),
      reasoning,
      messageOf("user", "input_text"),
    ];
    expect(toOpenAIResponses(fromOpenAIResponses(items).messages)).toEqual([items[0], items[1], items[3]]);
  });
});
