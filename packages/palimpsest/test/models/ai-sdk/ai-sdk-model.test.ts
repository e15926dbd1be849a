/** Specifics of the AI SDK: prompts in two versions, metadata that goes back, streams that tell errors and go on. */
import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModelV3 } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { aiSdkModel } from "#models/ai-sdk/ai-sdk-model.ts";
import type { ModelRequest } from "#ports/model-client.ts";
import type { ContentBlock } from "#transcript/blocks.ts";
import { aiSdkUsage } from "#wire/ai-sdk/answer.ts";
import { fromAiSdkPart } from "#wire/ai-sdk/from-ai-sdk.ts";
import { toAiSdk } from "#wire/ai-sdk/to-ai-sdk.ts";
import { classifyModelError } from "#wire/errors/model-failure.ts";
import { WireServer } from "./wire-server.ts";
import { responsesWire } from "./wires.ts";

const PNG = "iVBORw0KGgo=";
const image: ContentBlock = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } };
const linked: ContentBlock = { type: "image", source: { type: "url", url: "https://example.com/a.png" } };
const messageOf = (...content: readonly ContentBlock[]) => ({ role: "assistant" as const, content });
const given = (...content: readonly ContentBlock[]) => ({ role: "user" as const, content });
const prompt = (request: Partial<ModelRequest>, version = "v3", takesMarks = false): readonly unknown[] =>
  toAiSdk({ model: "m", messages: [], ...request }, { version, takesMarks });

describe("the prompt", () => {
  it("names the tool of each result and puts results before what is said beside them", () => {
    const messages = [
      messageOf({ type: "tool_use", id: "a", name: "list", input: { x: 1 } }),
      given(
        { type: "tool_result", tool_use_id: "a", content: "one" },
        { type: "tool_result", tool_use_id: "lost", is_error: true },
        { type: "text", text: "Go on" },
      ),
    ];
    expect(prompt({ system: "Be brief.", messages })).toEqual([
      { role: "system", content: "Be brief." },
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "a", toolName: "list", input: { x: 1 } }],
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "a", toolName: "list", output: { type: "text", value: "one" } },
          {
            type: "tool-result",
            toolCallId: "lost",
            toolName: "unknown",
            output: { type: "error-text", value: "(no output)" },
          },
        ],
      },
      { role: "user", content: [{ type: "text", text: "Go on" }] },
    ]);
  });

  it.each([
    { version: "v3", data: PNG, url: new URL("https://example.com/a.png") },
    {
      version: "v4",
      data: { type: "data", data: PNG },
      url: { type: "url", url: new URL("https://example.com/a.png") },
    },
  ])("writes files as $version wants them", ({ version, data, url }) => {
    expect(prompt({ messages: [given(image, linked)] }, version)).toEqual([
      {
        role: "user",
        content: [
          { type: "file", mediaType: "image/png", data },
          { type: "file", mediaType: "image/*", data: url },
        ],
      },
    ]);
  });

  it.each([
    { version: "v3", part: { type: "file-data", data: PNG, mediaType: "image/png" } },
    { version: "v4", part: { type: "file", data: { type: "data", data: PNG }, mediaType: "image/png" } },
  ])("writes images of results as $version wants them", ({ version, part }) => {
    const content = [{ type: "text" as const, text: "see" }, image as never];
    const [message] = prompt(
      { messages: [given({ type: "tool_result", tool_use_id: "a", content })] },
      version,
    );
    expect(message).toMatchObject({
      content: [{ output: { type: "content", value: [{ type: "text", text: "see" }, part] } }],
    });
  });

  it("leaves out what it cannot say: unsigned thinking, blocks of others, empty messages", () => {
    const messages = [
      messageOf(
        { type: "thinking", thinking: "Hm." },
        { type: "opaque", provider: "anthropic", value: { type: "x" } },
      ),
      given({ type: "text", text: "" }),
      { role: "system" as const, content: [{ type: "text" as const, text: "Mind the gap." }] },
    ];
    expect(prompt({ messages })).toEqual([
      { role: "user", content: [{ type: "text", text: "Mind the gap." }] },
    ]);
  });

  it("carries cache marks where the provider takes them, and never on thinking", () => {
    const messages = [
      messageOf({ type: "thinking", thinking: "Hm.", signature: "s" }, { type: "text", text: "A" }),
      given({ type: "text", text: "B" }),
    ];
    const cacheMarks = [
      { message: 0, block: 0 },
      { message: 1, block: 0 },
    ];
    const hour = { anthropic: { cacheControl: { type: "ephemeral", ttl: "1h" } } };
    expect(prompt({ system: "S", messages, cacheMarks, cacheTtl: "1h" }, "v3", true)).toEqual([
      { role: "system", content: "S", providerOptions: hour },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "Hm.", providerOptions: { anthropic: { signature: "s" } } },
          { type: "text", text: "A" },
        ],
      },
      { role: "user", content: [{ type: "text", text: "B", providerOptions: hour }] },
    ]);
    expect(JSON.stringify(prompt({ system: "S", messages, cacheMarks }))).not.toContain("cacheControl");
  });

  it("marks the system prompt for longer only before shorter marks: a prompt begins with the tools", () => {
    const short = { anthropic: { cacheControl: { type: "ephemeral" } } };
    const hour = { anthropic: { cacheControl: { type: "ephemeral", ttl: "1h" } } };
    const request = {
      system: "S",
      messages: [given({ type: "text", text: "B" })],
      headCacheTtl: "1h",
    } as const;
    const cacheMarks = [{ message: 0, block: 0 }];
    const system = (tools: readonly object[]) => prompt({ ...request, tools, cacheMarks }, "v3", true)[0];
    expect(system([{ name: "a" }])).toEqual({ role: "system", content: "S", providerOptions: hour });
    expect(system([{ name: "a", providerOptions: short }, { name: "b" }])).toEqual({
      role: "system",
      content: "S",
      providerOptions: short,
    });
  });
});

describe("a part of an answer", () => {
  const google = { google: { thoughtSignature: "AAA" } };
  it.each([
    {
      why: "text with what its provider said of it",
      part: { type: "text", text: "A", providerMetadata: google },
      back: { type: "text", text: "A", providerOptions: google },
      kind: "text",
    },
    {
      why: "a call with a signature of thinking",
      part: {
        type: "tool-call",
        toolCallId: "a",
        toolName: "list",
        input: '{"x":1}',
        providerMetadata: google,
      },
      back: {
        type: "tool-call",
        toolCallId: "a",
        toolName: "list",
        input: { x: 1 },
        providerOptions: google,
      },
      kind: "tool_use",
    },
    {
      why: "reasoning that Anthropic signed",
      part: { type: "reasoning", text: "Hm.", providerMetadata: { anthropic: { signature: "s" } } },
      back: { type: "reasoning", text: "Hm.", providerOptions: { anthropic: { signature: "s" } } },
      kind: "thinking",
    },
    {
      why: "reasoning that Anthropic encrypted",
      part: { type: "reasoning", text: "", providerMetadata: { anthropic: { redactedData: "d" } } },
      back: { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: "d" } } },
      kind: "redacted_thinking",
    },
    {
      why: "reasoning that somebody else signed",
      part: {
        type: "reasoning",
        text: "Hm.",
        providerMetadata: { openai: { itemId: "rs", reasoningEncryptedContent: "g" } },
      },
      back: {
        type: "reasoning",
        text: "Hm.",
        providerOptions: { openai: { itemId: "rs", reasoningEncryptedContent: "g" } },
      },
      kind: "opaque",
    },
    {
      why: "a summary of Anthropic's",
      part: { type: "text", text: "Sum.", providerMetadata: { anthropic: { type: "compaction" } } },
      back: { type: "text", text: "Sum.", providerOptions: { anthropic: { type: "compaction" } } },
      kind: "compaction",
    },
    {
      why: "a tool that the provider ran",
      part: {
        type: "tool-call",
        toolCallId: "w",
        toolName: "web_search",
        input: '{"q":1}',
        providerExecuted: true,
      },
      back: {
        type: "tool-call",
        toolCallId: "w",
        toolName: "web_search",
        input: { q: 1 },
        providerExecuted: true,
      },
      kind: "opaque",
    },
    {
      why: "and what it found",
      part: {
        type: "tool-result",
        toolCallId: "w",
        toolName: "web_search",
        result: [1],
        providerExecuted: true,
      },
      back: {
        type: "tool-result",
        toolCallId: "w",
        toolName: "web_search",
        providerExecuted: true,
        output: { type: "json", value: [1] },
      },
      kind: "opaque",
    },
    {
      why: "a file, its bytes as text",
      part: { type: "file", mediaType: "image/png", data: new Uint8Array([1, 2, 3]) },
      back: { type: "file", mediaType: "image/png", data: "AQID" },
      kind: "opaque",
    },
  ])("comes back as it was: $why", ({ part, back, kind }) => {
    const blocks = fromAiSdkPart(part);
    expect(blocks.map(({ type }) => type)).toEqual([kind]);
    const stored = JSON.parse(JSON.stringify(blocks)) as readonly ContentBlock[];
    expect(prompt({ messages: [messageOf(...stored)] })).toEqual([{ role: "assistant", content: [back] }]);
  });

  it.each([
    {
      why: "a source, which is told to people",
      part: { type: "source", sourceType: "url", url: "https://a.example" },
    },
    { why: "reasoning that nobody signed", part: { type: "reasoning", text: "Hm." } },
    { why: "a type that nobody knows", part: { type: "something-new", x: 1 } },
  ])("is kept and not sent back: $why", ({ part }) => {
    const blocks = fromAiSdkPart(part);
    expect(blocks).toHaveLength(1);
    expect(prompt({ messages: [messageOf(...blocks)] })).toEqual([]);
  });

  it.each([
    null,
    5,
    "text",
    [],
    { type: "text" },
    { type: "text", text: "" },
    { type: "reasoning" },
  ])("that says nothing is none: %j", (part) => {
    expect(fromAiSdkPart(part)).toEqual([]);
  });
});

describe("a model", () => {
  const usage = {
    inputTokens: { total: 9, noCache: 9, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 2 },
  };
  const finish = { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage };
  const modelOf = (parts: readonly object[]): LanguageModelV3 =>
    ({
      specificationVersion: "v3",
      provider: "fake",
      modelId: "fake-1",
      supportedUrls: {},
      doGenerate: async () => ({ content: [], finishReason: "stop", usage, warnings: [] }),
      doStream: async () => ({ stream: ReadableStream.from(parts) }),
    }) as unknown as LanguageModelV3;
  const request: ModelRequest = { model: "m", messages: [given({ type: "text", text: "Hello" })] };
  const broken = { type: "error", error: new RangeError("an unknown event") };

  it("goes on behind an error that was none, and rejects with one that ended the stream", async () => {
    const text = [
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "Yes" },
      { type: "text-end", id: "0" },
    ];
    const answer = await aiSdkModel(modelOf([broken, ...text, finish])).stream(request);
    expect(answer.messages[0]?.content).toEqual([{ type: "text", text: "Yes" }]);
    const cut = { ...finish, finishReason: { unified: "error", raw: undefined } };
    await expect(aiSdkModel(modelOf([...text, broken, cut])).stream(request)).rejects.toBe(broken.error);
  });

  it("rejects with what the vendor said, also where the SDK stumbled over an event before it", async () => {
    const stumble = {
      type: "error",
      error: Object.assign(new TypeError("no"), { name: "AI_TypeValidationError" }),
    };
    const vendor = { type: "error", error: new RangeError("prompt is too long: 9 tokens > 8 maximum") };
    const cut = { ...finish, finishReason: { unified: "error", raw: undefined } };
    for (const parts of [
      [stumble, vendor, cut],
      [vendor, stumble, cut],
    ])
      await expect(aiSdkModel(modelOf(parts)).stream(request)).rejects.toBe(vendor.error);
  });

  it("rejects a stream that ends without a reason", async () => {
    const quiet = { ...finish, finishReason: { unified: "other", raw: undefined } };
    for (const parts of [[quiet], []]) {
      const error = await aiSdkModel(modelOf(parts))
        .stream(request)
        .catch((thrown: unknown) => thrown);
      expect(classifyModelError(error).kind).toBe("network");
    }
  });

  it("takes its name from the language model", () => {
    const client = aiSdkModel(modelOf([]));
    expect([client.provider, client.model]).toEqual(["fake", "fake-1"]);
  });

  it("keeps nothing on OpenAI's server, unless the host wants it", async () => {
    const server = await WireServer.open();
    server.replies = [responsesWire.json({ text: "Yes.", stop: "end" })];
    const client = aiSdkModel(createOpenAI({ baseURL: `${server.url}/v1`, apiKey: "key" })("gpt-5.1"));
    await client.generate(request);
    await client.generate({ ...request, parameters: { providerOptions: { openai: { store: true } } } });
    await server.close();
    expect(server.requests.map(({ body }) => body["store"])).toEqual([false, true]);
    expect(server.requests[0]?.body["include"]).toEqual(["reasoning.encrypted_content"]);
  });
});

describe("usage", () => {
  it.each([
    {
      why: "its parts",
      usage: {
        inputTokens: { total: 100, noCache: 30, cacheRead: 60, cacheWrite: 10 },
        outputTokens: { total: 5 },
      },
      is: [30, 60, 10, 5],
    },
    {
      why: "what is left of the total",
      usage: { inputTokens: { total: 100, cacheRead: 60 }, outputTokens: { total: 5 } },
      is: [40, 60, 0, 5],
    },
    {
      why: "the last iteration of Anthropic's own figures, whose total sums up",
      usage: {
        inputTokens: { total: 203_000, noCache: 203_000 },
        outputTokens: { total: 3_005 },
        raw: {
          input_tokens: 23_000,
          output_tokens: 5,
          iterations: [
            { type: "compaction", input_tokens: 180_000, output_tokens: 3_000 },
            { type: "message", input_tokens: 23_000, output_tokens: 5 },
          ],
        },
      },
      is: [23_000, 0, 0, 5],
    },
  ])("is $why", ({ usage, is: [inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens] }) => {
    expect(aiSdkUsage(usage)).toEqual({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens });
  });

  it("is none where nothing was reported", () => {
    expect(aiSdkUsage({ inputTokens: {}, outputTokens: {} })).toBeUndefined();
    expect(aiSdkUsage(undefined)).toBeUndefined();
  });
});
