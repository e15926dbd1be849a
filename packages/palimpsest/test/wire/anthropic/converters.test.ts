/** Laws of the converters: what a wire can say survives the way there and back. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContentBlock } from "#transcript/blocks.ts";
import type { RequestMessage } from "#transcript/window.ts";
import { fromAnthropic } from "#wire/anthropic/from-anthropic.ts";
import { toAnthropic } from "#wire/anthropic/to-anthropic.ts";
import { fromOpenAIChat } from "#wire/openai-chat/from-openai-chat.ts";
import { toOpenAIChat } from "#wire/openai-chat/to-openai-chat.ts";
import { fromOpenAIResponses } from "#wire/openai-responses/from-openai-responses.ts";
import { toOpenAIResponses } from "#wire/openai-responses/to-openai-responses.ts";
import { call, image, message, plain, result, text, words } from "./wire-arbitraries.ts";

const foreign: fc.Arbitrary<ContentBlock> = fc.oneof(
  words.map((thinking): ContentBlock => ({ type: "thinking", thinking })),
  words.map((value): ContentBlock => ({ type: "opaque", provider: "gemini", value })),
);

/** Anything at all that a window may hold. */
const anything = fc.array(
  fc.oneof(message("user", text, image, result, foreign), message("assistant", text, call, foreign)),
  { maxLength: 8 },
);

const wires: readonly {
  readonly name: string;
  readonly render: (messages: readonly RequestMessage[]) => readonly unknown[];
}[] = [
  { name: "Anthropic Messages", render: toAnthropic },
  { name: "OpenAI Chat", render: toOpenAIChat },
  { name: "OpenAI Responses", render: toOpenAIResponses },
];

describe.each(wires)("$name", ({ render }) => {
  it("is append-stable: a longer list begins with the output of a shorter one", () => {
    fc.assert(
      fc.property(anything, fc.nat(8), (messages, count) => {
        const whole = render(messages);
        const head = render(messages.slice(0, count));
        expect(JSON.stringify(whole.slice(0, head.length))).toBe(JSON.stringify(head));
      }),
    );
  });

  it("never holds half a character", () => {
    const broken: RequestMessage[] = [
      {
        role: "user",
        content: [
          { type: "text", text: "a\uD83D" },
          { type: "tool_result", tool_use_id: "t", content: "b\uDE00" },
        ],
      },
    ];
    expect(JSON.stringify(render(broken))).not.toMatch(/\\ud[89a-f]/i);
  });

  it("leaves what it was given unchanged, and gives the same for the same blocks", () => {
    fc.assert(
      fc.property(anything, (messages) => {
        const before = JSON.stringify(messages);
        const first = JSON.stringify(render(messages));
        expect(JSON.stringify(messages)).toBe(before);
        expect(JSON.stringify(render(messages))).toBe(first);
        expect(JSON.stringify(render(JSON.parse(before) as RequestMessage[]))).toBe(first);
      }),
    );
  });

  it("leaves out a message that has nothing to say on this wire", () => {
    expect(render([{ role: "assistant", content: [{ type: "thinking", thinking: "unsigned" }] }])).toEqual(
      [],
    );
  });
});

describe("Anthropic Messages", () => {
  it("gives back what was sent", () => {
    const signed = words.map((signature): ContentBlock => ({ type: "thinking", thinking: "hm", signature }));
    // The API takes no thinking at the end of an answer.
    const answer = fc
      .tuple(message("assistant", signed, text, call), fc.oneof(text, call))
      .map(([begun, last]): RequestMessage => ({ ...begun, content: [...begun.content, last] }));
    const sayable = fc.array(fc.oneof(message("user", result, text, image), answer));
    fc.assert(
      fc.property(sayable, (messages) => {
        expect(plain(fromAnthropic(toAnthropic(messages)).messages)).toEqual(messages);
      }),
    );
  });

  it("gives back what came, whatever it is", () => {
    const block = fc.oneof(fc.constant({ type: "container_upload", file_id: "f" }), text, call, result);
    const wire = fc.array(
      fc.record({
        role: fc.constantFrom("user", "assistant"),
        content: fc.array(block as fc.Arbitrary<ContentBlock>, { minLength: 1 }),
      }),
    );
    fc.assert(
      fc.property(wire, (messages) => {
        expect(toAnthropic(fromAnthropic(messages).messages)).toEqual(messages);
      }),
    );
  });

  it.each([
    {
      why: "unknown fields",
      block: { type: "tool_use", id: "t", name: "n", input: {}, call_id: "x" },
      wire: [{ type: "tool_use", id: "t", name: "n", input: {} }],
    },
    {
      why: "cache marks",
      block: { type: "text", text: "a", cache_control: { type: "ephemeral" } },
      wire: [{ type: "text", text: "a" }],
    },
    { why: "unsigned thinking", block: { type: "thinking", thinking: "a" }, wire: [] },
    { why: "blank text", block: { type: "text", text: " \n" }, wire: [] },
    { why: "blocks of others", block: { type: "opaque", provider: "openai-chat", value: {} }, wire: [] },
    { why: "a document, which an answer may not hold", block: { type: "document", source: {} }, wire: [] },
    {
      why: "arguments that are no object",
      block: { type: "tool_use", id: "t", name: "n", input: "not json" },
      wire: [{ type: "tool_use", id: "t", name: "n", input: { arguments: "not json" } }],
    },
    {
      why: "an id in other letters",
      block: { type: "tool_use", id: "f.r:0|x", name: "n", input: {} },
      wire: [{ type: "tool_use", id: "f_x2e_r_x3a_0_x7c_x", name: "n", input: {} }],
    },
    {
      why: "a provider's summary, byte for byte",
      block: { type: "compaction", content: "s", signature: "x", tool_changes: [] },
      wire: [{ type: "compaction", content: "s", signature: "x", tool_changes: [] }],
    },
    {
      why: "a server's tool pair",
      block: { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [], extra: 1 },
      wire: [{ type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] }],
    },
  ])("takes care of $why", ({ block, wire }) => {
    const rendered = toAnthropic([{ role: "assistant", content: [block as unknown as ContentBlock] }]);
    expect(rendered).toEqual(wire.length === 0 ? [] : [{ role: "assistant", content: wire }]);
  });
});

describe("anything from outside", () => {
  it("is read without an exception", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.anything(),
            fc.record({
              role: fc.constantFrom("user", "assistant", "tool", "system"),
              content: fc.anything(),
              tool_calls: fc.anything(),
            }),
            fc.record({
              type: fc.constantFrom("message", "function_call", "function_call_output"),
              call_id: fc.anything(),
              output: fc.jsonValue(),
            }),
          ),
        ),
        (wire) => {
          const safe = JSON.parse(
            JSON.stringify(wire, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)),
          ) as unknown[];
          for (const { messages } of [fromAnthropic(safe), fromOpenAIChat(safe), fromOpenAIResponses(safe)]) {
            for (const { render } of wires) expect(Array.isArray(render(messages))).toBe(true);
          }
        },
      ),
    );
  });
});

it("names the program of a call only if the program's call is sent", () => {
  const made = (program: string): readonly ContentBlock[] => [
    { type: "server_tool_use", id: program, name: "code_execution", input: {} },
    {
      type: "tool_use",
      id: "a",
      name: "query",
      input: {},
      caller: { type: "code_execution_20250825", tool_id: program },
    } as ContentBlock,
  ];
  expect(toAnthropic([{ role: "assistant", content: made("srvtoolu_1") }])).toEqual([
    { role: "assistant", content: made("srvtoolu_1") },
  ]);
  expect(toAnthropic([{ role: "assistant", content: made("from another provider") }])).toEqual([
    { role: "assistant", content: [{ type: "tool_use", id: "a", name: "query", input: {} }] },
  ]);
});
