/** LangChain's messages, there and back. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromLangChain } from "#wire/langchain/from-langchain.ts";
import { toLangChain } from "#wire/langchain/to-langchain.ts";

const PNG = "iVBORw0KGgo=";
const call = { name: "read", args: { path: "a" }, id: "call_1", type: "tool_call" };

/** Messages as the classes hold them, in the vocabularies of the vendors. */
const MESSAGES: readonly {
  readonly why: string;
  readonly message: { readonly role: string; readonly content: unknown };
}[] = [
  { why: "a text", message: { role: "human", content: "Hello" } },
  { why: "nothing", message: { role: "human", content: "" } },
  { why: "an id and a name", message: { role: "human", content: "Hello", id: "m-1", name: "Ada" } as never },
  { why: "one part", message: { role: "human", content: [{ type: "text", text: "Hello" }] } },
  { why: "no part", message: { role: "ai", content: [] } },
  {
    why: "parts with fields of their own",
    message: {
      role: "human",
      content: [
        { type: "text", text: "See", cache_control: { type: "ephemeral" } },
        { type: "text", text: "this" },
      ],
    },
  },
  {
    why: "pictures and files in every form",
    message: {
      role: "human",
      content: [
        { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}`, detail: "low" } },
        { type: "image_url", image_url: "https://a.example/b.png" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
        { type: "image", mimeType: "image/png", data: PNG },
        { type: "image", url: "https://a.example/b.png", metadata: { alt: "b" } },
        { type: "image", source_type: "base64", mime_type: "image/png", data: PNG },
        { type: "file", mimeType: "application/pdf", data: PNG, metadata: { filename: "a.pdf" } },
        { type: "image", mimeType: "image/heic", data: PNG },
        { type: "input_audio", input_audio: { data: PNG, format: "wav" } },
        { type: "video", fileId: "f" },
      ],
    },
  },
  { why: "a call beside no text", message: { role: "ai", content: "", tool_calls: [call] } as never },
  {
    why: "calls that share an id",
    message: { role: "ai", content: "", tool_calls: [call, { ...call, name: "list" }] } as never,
  },
  {
    why: "an answer of OpenAI",
    message: {
      role: "ai",
      content: "I read.",
      tool_calls: [call],
      additional_kwargs: {
        tool_calls: [{ id: "call_1", type: "function", function: { name: "read", arguments: "{}" } }],
      },
      response_metadata: { finish_reason: "tool_calls", model_name: "gpt-5.2" },
      usage_metadata: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
      id: "chatcmpl-1",
    } as never,
  },
  {
    why: "an answer of Anthropic, with its calls in the content",
    message: {
      role: "ai",
      content: [
        { type: "thinking", thinking: "Hm.", signature: "sig", index: 0 },
        { type: "redacted_thinking", data: "x", index: 1 },
        { type: "text", text: "I read.", index: 2 },
        { type: "tool_use", id: "call_1", name: "read", input: { path: "a" } },
      ],
      tool_calls: [call],
      response_metadata: { stop_reason: "tool_use" },
    } as never,
  },
  {
    why: "a streamed answer, whose input is a text",
    message: {
      role: "ai",
      content: [{ type: "tool_use", id: "call_1", name: "read", input: '{"path": "a"}', index: 0 }],
      tool_calls: [call],
      tool_call_chunks: [
        { name: "read", args: '{"path": "a"}', id: "call_1", index: 0, type: "tool_call_chunk" },
      ],
    } as never,
  },
  {
    why: "LangChain's own form of content",
    message: {
      role: "ai",
      content: [
        { type: "reasoning", reasoning: "Hm.", signature: "sig" },
        { type: "reasoning", reasoning: "Without a signature.", id: "rs_1" },
        { type: "text", text: "I read.", annotations: [] },
        { type: "tool_call", id: "call_1", name: "read", args: { path: "a" } },
      ],
      tool_calls: [call],
      response_metadata: { output_version: "v1" },
    } as never,
  },
  {
    why: "calls that cannot be run",
    message: {
      role: "ai",
      content: "",
      tool_calls: [{ name: "read", args: {}, type: "tool_call" }],
      invalid_tool_calls: [
        { name: "read", args: "{", id: "call_2", error: "Malformed args.", type: "invalid_tool_call" },
      ],
    } as never,
  },
  {
    why: "metadata alone",
    message: { role: "ai", content: "", response_metadata: { finish_reason: "stop" } } as never,
  },
  {
    why: "a result with all that a tool may add",
    message: {
      role: "tool",
      content: "ran",
      tool_call_id: "call_1",
      name: "read",
      status: "success",
      artifact: { rows: [1, 2] },
      metadata: { ms: 3 },
      id: "t-1",
    } as never,
  },
  {
    why: "an error",
    message: { role: "tool", content: "", tool_call_id: "call_1", status: "error" } as never,
  },
  {
    why: "a result of parts",
    message: {
      role: "tool",
      content: [
        { type: "text", text: "ran" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
        { type: "resource", uri: "file:///a" },
      ],
      tool_call_id: "call_1",
    } as never,
  },
  { why: "a system message", message: { role: "system", content: "Be brief." } },
  {
    why: "OpenAI's system message",
    message: { role: "system", content: "B", additional_kwargs: { __openai_role__: "developer" } } as never,
  },
];

describe("LangChain's messages", () => {
  it.each(MESSAGES)("come back as they were: $why", ({ message }) => {
    const own = fromLangChain([message as never]);
    expect(JSON.parse(JSON.stringify(own))).toEqual(own);
    expect(toLangChain(own)).toEqual([message]);
  });

  it("come back as they were in any order, joined or not", () => {
    const any = fc.array(fc.constantFrom(...MESSAGES.map(({ message }) => message)), { maxLength: 6 });
    fc.assert(
      fc.property(any, (messages) => {
        expect(toLangChain(fromLangChain(messages as never[]))).toEqual(messages);
      }),
      { numRuns: 30 },
    );
  });

  it("are instances of LangChain's classes for those who pass their function", () => {
    const stored = toLangChain(fromLangChain([{ role: "user", content: "Hello", id: "m" }]), (all) => all);
    expect(stored).toEqual([{ type: "human", data: { content: "Hello", id: "m" } }]);
  });

  it("keep the type and the author of a message of another class", () => {
    const [message] = fromLangChain([{ type: "generic", role: "narrator", content: "Once" }]);
    expect(message?.role).toBe("user");
    expect(toLangChain([message!], (all) => all)).toEqual([
      { type: "generic", data: { content: "Once", role: "narrator" } },
    ]);
  });

  it("become blocks that providers know", () => {
    const [, answer, result] = fromLangChain([
      { role: "user", content: "Hello" },
      { role: "assistant", content: "I read.", tool_calls: [call] } as never,
      { role: "tool", content: "no", tool_call_id: "call_1", status: "error" } as never,
    ]);
    expect(answer).toEqual({
      role: "assistant",
      origin: "assistant",
      content: [
        { type: "text", text: "I read." },
        { type: "tool_use", id: "call_1", name: "read", input: { path: "a" } },
      ],
    });
    expect(result).toEqual({
      role: "user",
      origin: "tool",
      content: [{ type: "tool_result", tool_use_id: "call_1", content: "no", is_error: true }],
    });
  });

  it("come apart where a request joined them", () => {
    const content = [
      { type: "tool_result", tool_use_id: "call_1", content: "one" },
      { type: "tool_result", tool_use_id: "call_2", content: "two" },
      { type: "text", text: "Go on." },
    ] as const;
    expect(toLangChain([{ role: "user", content }])).toEqual([
      { role: "tool", content: "one", tool_call_id: "call_1" },
      { role: "tool", content: "two", tool_call_id: "call_2" },
      { role: "human", content: "Go on." },
    ]);
  });

  it("keep what has no place in JSON out of the log, and bytes as base64", () => {
    const cycle: Record<string, unknown> = {};
    cycle["own"] = cycle;
    const [message] = fromLangChain([
      { role: "tool", content: "ran", tool_call_id: "call_1", artifact: cycle } as never,
    ]);
    expect(message?.content).toEqual([{ type: "tool_result", tool_use_id: "call_1", content: "ran" }]);
    const [picture] = fromLangChain([
      { role: "user", content: [{ type: "image", mimeType: "image/png", data: Uint8Array.of(1, 2, 3) }] },
    ]);
    expect(picture?.content[0]).toMatchObject({ source: { media_type: "image/png", data: "AQID" } });
  });
});
