/** Counting endpoints of other clouds: what they are asked, and that a chain goes on where they fail. */
import { describe, expect, it } from "vitest";
import { bedrockCounter } from "#models/counters/bedrock-counter.ts";
import { geminiCounter } from "#models/counters/gemini-counter.ts";
import type { CountableRequest } from "#ports/model-client.ts";
import { CountingChain } from "#tokens/count/counting-chain.ts";

const tool = { name: "list", input_schema: { type: "object" } };
const request: CountableRequest = {
  model: "us.anthropic.claude-opus-4-5-20251101-v1:0",
  system: "Be brief.",
  tools: JSON.stringify([tool]),
  messages: [
    { role: "user", content: [{ type: "text", text: "Hello" }] },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Hm." },
        { type: "tool_use", id: "a", name: "list", input: { x: 1 } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: "one" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
      ],
    },
  ],
};

describe("bedrockCounter", () => {
  it("counts the body that would be sent, by the model's own id", async () => {
    const asked: { modelId?: string; input?: { invokeModel: { body: Uint8Array } } }[] = [];
    const client = {
      countTokens: async (input: object) => {
        asked.push(input);
        return { inputTokens: 321 };
      },
    };
    expect(await bedrockCounter(client).count(request)).toBe(321);
    expect(asked[0]?.modelId).toBe("anthropic.claude-opus-4-5-20251101-v1:0");
    const body = JSON.parse(new TextDecoder().decode(asked[0]?.input?.invokeModel.body));
    expect(body).toMatchObject({
      anthropic_version: "bedrock-2023-05-31",
      max_tokens: 1,
      system: "Be brief.",
      tools: [tool],
      messages: [{ role: "user" }, { role: "assistant" }, { role: "user" }],
    });
  });

  it("leaves out what only a beta header allows", async () => {
    const bodies: { readonly tools?: unknown }[] = [];
    const client = {
      countTokens: async (input: { readonly invokeModel?: unknown; readonly input?: unknown }) => {
        const { invokeModel } = input.input as { invokeModel: { body: Uint8Array } };
        bodies.push(JSON.parse(new TextDecoder().decode(invokeModel.body)));
        return { inputTokens: 1 };
      },
    };
    const tools = JSON.stringify([
      { ...tool, cache_control: { type: "ephemeral" }, defer_loading: false, input_examples: [{}] },
      { ...tool, name: "Deferred", defer_loading: true },
      { type: "tool_search_tool_regex_20251119", name: "tool_search" },
      { type: "web_search_20250305", name: "web_search" },
      { type: "bash_20250124", name: "bash" },
    ]);
    await bedrockCounter(client as never).count({ ...request, tools });
    expect(bodies[0]?.tools).toEqual([tool, { type: "bash_20250124", name: "bash" }]);
  });

  it.each([
    ["anthropic.claude-3-haiku-20240307-v1:0", "anthropic.claude-3-haiku-20240307-v1:0"],
    ["global.anthropic.claude-opus-4-5-20251101-v1:0", "anthropic.claude-opus-4-5-20251101-v1:0"],
    ["us-gov.anthropic.claude-opus-4-5-20251101-v1:0", "anthropic.claude-opus-4-5-20251101-v1:0"],
    ["apac.amazon.nova-pro-v1:0", "amazon.nova-pro-v1:0"],
  ])("asks for %s as %s", async (model, modelId) => {
    const asked: object[] = [];
    const client = {
      countTokens: async (input: object) => {
        asked.push(input);
        return { inputTokens: 1 };
      },
    };
    await bedrockCounter(client).count({ ...request, model });
    expect(asked).toMatchObject([{ modelId }]);
  });
});

describe("geminiCounter", () => {
  const counting = (vertexai: boolean) => {
    const asked: object[] = [];
    const countTokens = async (input: object) => {
      asked.push(input);
      return { totalTokens: 55 };
    };
    return { asked, counter: geminiCounter({ vertexai, models: { countTokens } }) };
  };
  const contents = [
    { role: "user", parts: [{ text: "Hello" }] },
    { role: "model", parts: [{ functionCall: { name: "list", args: { x: 1 } } }] },
    {
      role: "user",
      parts: [
        { functionResponse: { name: "list", response: { output: "one" } } },
        { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } },
      ],
    },
  ];

  it("has Vertex count system prompt and tools where they belong", async () => {
    const { asked, counter } = counting(true);
    expect(await counter.count({ ...request, model: "gemini-3.1-pro" })).toBe(55);
    expect(asked).toEqual([
      { model: "gemini-3.1-pro", contents, config: { systemInstruction: "Be brief.", tools: [tool] } },
    ]);
  });

  it("has Gemini count them as text, because it takes nothing else", async () => {
    const { asked, counter } = counting(false);
    await counter.count({ ...request, model: "gemini-3.1-pro" });
    const head = ["Be brief.", JSON.stringify([tool])].map((text) => ({ role: "user", parts: [{ text }] }));
    expect(asked).toEqual([{ model: "gemini-3.1-pro", contents: [...head, ...contents] }]);
  });
});

describe("a chain of counters", () => {
  it("goes on where an endpoint refuses or answers nonsense", async () => {
    const reasons: string[] = [];
    const chain = new CountingChain({
      counters: [
        bedrockCounter({ countTokens: async () => Promise.reject(new RangeError("not for this model")) }),
        bedrockCounter({ countTokens: async () => ({}) }),
        geminiCounter({ models: { countTokens: async () => ({ totalTokens: 70 }) } }),
      ],
      deadline: (work) => work,
      onFailure: ({ reason }) => reasons.push(reason),
    });
    const figure = { tokens: 100, fitTokens: 130, source: "estimate" as const };
    expect(await chain.count({ figure, thresholds: [], request: () => request })).toEqual({
      tokens: 70,
      fitTokens: 70,
      source: "counter:gemini-count-tokens",
    });
    expect(reasons).toEqual([
      "not for this model",
      "What came from Bedrock is no answer of its API, but an object.",
    ]);
  });
});
