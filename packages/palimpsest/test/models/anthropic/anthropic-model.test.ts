/** Specifics of Anthropic: cache marks, betas, iterations, blocks that only come in streams, limits, counting. */
import Anthropic from "@anthropic-ai/sdk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { anthropicModel } from "#models/anthropic/anthropic-model.ts";
import type { ModelEvent, ModelRequest, StreamingModelClient } from "#ports/model-client.ts";
import { WireServer } from "#test/models/ai-sdk/wire-server.ts";
import { anthropicWire } from "#test/models/ai-sdk/wires.ts";
import { anthropicUsage } from "#wire/anthropic/answer.ts";
import { classifyModelError } from "#wire/errors/model-failure.ts";

const message = anthropicWire.json({ text: "Yes.", stop: "end" });
const user = (text: string) => ({ role: "user" as const, content: [{ type: "text" as const, text }] });
const plain: ModelRequest = { model: "claude-opus-4-5", messages: [user("Hello")] };
const tool = { name: "weather", input_schema: { type: "object" } };
const mark = { type: "ephemeral" };

let server: WireServer;
let client: StreamingModelClient;
const connect = (options: ConstructorParameters<typeof Anthropic>[0] = {}): Anthropic =>
  new Anthropic({ baseURL: server.url, apiKey: "key", maxRetries: 0, ...options });
beforeEach(async () => {
  server = await WireServer.open();
  server.replies = [message];
  client = anthropicModel(connect(), { maxOutputTokens: 1_000 });
});
afterEach(() => server.close());

const bodyOf = async (request: Partial<ModelRequest>): Promise<Readonly<Record<string, unknown>>> => {
  await client.generate({ ...plain, ...request });
  return server.requests.at(-1)!.body;
};

describe("the body of a call", () => {
  it("marks the end of the system prompt and the blocks that were planned, for as long as was asked", async () => {
    const body = await bodyOf({
      system: "Be brief.",
      tools: [tool],
      cacheMarks: [{ message: 0, block: 0 }],
      cacheTtl: "1h",
    });
    const hour = { type: "ephemeral", ttl: "1h" };
    expect(body["system"]).toEqual([{ type: "text", text: "Be brief.", cache_control: hour }]);
    expect(body["tools"]).toEqual([tool]);
    expect(body["messages"]).toEqual([
      { role: "user", content: [{ type: "text", text: "Hello", cache_control: hour }] },
    ]);
  });

  it("marks system prompt and tools for longer than the messages, unless a tool has a mark of its own", async () => {
    const request = {
      system: "Be brief.",
      cacheMarks: [{ message: 0, block: 0 }],
      headCacheTtl: "1h",
    } as const;
    const hour = { type: "ephemeral", ttl: "1h" };
    const body = await bodyOf({ ...request, tools: [tool] });
    expect(body["system"]).toEqual([{ type: "text", text: "Be brief.", cache_control: hour }]);
    expect(body["messages"]).toEqual([
      { role: "user", content: [{ type: "text", text: "Hello", cache_control: mark }] },
    ]);
    expect(
      (await bodyOf({ tools: [tool, tool], cacheMarks: request.cacheMarks, headCacheTtl: "1h" }))["tools"],
    ).toEqual([tool, { ...tool, cache_control: hour }]);
    // An entry of an hour may not follow one of five minutes.
    const marked = await bodyOf({ ...request, tools: [{ ...tool, cache_control: mark }] });
    expect(marked["system"]).toEqual([{ type: "text", text: "Be brief.", cache_control: mark }]);
  });

  it("marks the last tool where there is no system prompt", async () => {
    const body = await bodyOf({ tools: [tool, tool], cacheMarks: [{ message: 0, block: 0 }] });
    expect(body["tools"]).toEqual([tool, { ...tool, cache_control: mark }]);
    expect(body).not.toHaveProperty("system");
  });

  it("sets no mark of its own where four are taken, and none where no caching was planned", async () => {
    const marked = { ...tool, cache_control: mark };
    const full = await bodyOf({
      system: "Be brief.",
      tools: [marked, marked, marked],
      cacheMarks: [{ message: 0, block: 0 }],
    });
    expect(full["system"]).toEqual([{ type: "text", text: "Be brief." }]);
    expect((await bodyOf({ system: "Be brief." }))["system"]).toEqual([{ type: "text", text: "Be brief." }]);
  });

  it("leaves a blank system prompt out, which the API refuses", async () => {
    expect(await bodyOf({ system: "  " })).not.toHaveProperty("system");
  });

  it("lets parameters win, but not over the conversation", async () => {
    const parameters = { max_tokens: 7, tool_choice: { type: "none" }, messages: [] };
    expect(await bodyOf({ parameters })).toMatchObject({
      max_tokens: 7,
      tool_choice: { type: "none" },
      messages: [{ role: "user" }],
    });
  });

  it("asks the beta endpoint where betas are named", async () => {
    await bodyOf({ betas: ["context-management-2025-06-27", "another"] });
    const [request] = server.requests;
    expect(request?.headers["anthropic-beta"]).toBe("context-management-2025-06-27,another");
    expect(request?.body).not.toHaveProperty("betas");
  });

  it("names betas in a header where the client has no beta endpoint", async () => {
    const { messages } = connect();
    client = anthropicModel({ messages }, { maxOutputTokens: 10 });
    await bodyOf({ betas: ["one"] });
    expect(server.requests[0]?.headers["anthropic-beta"]).toBe("one");
  });

  it("asks for what the model gives where nobody says how much, and streams a long answer by itself", async () => {
    client = anthropicModel(connect());
    server.replies = [{ body: anthropicWire.events({ text: "Yes.", stop: "end" }) }];
    const answer = await client.generate(plain);
    expect(answer.messages[0]?.content).toEqual([{ type: "text", text: "Yes." }]);
    expect(server.requests[0]?.body).toMatchObject({ max_tokens: 32_000, stream: true });
  });
});

describe("an answer", () => {
  it.each([
    ["end_turn", "end"],
    ["stop_sequence", "end"],
    ["tool_use", "tool-use"],
    ["max_tokens", "output-limit"],
    ["model_context_window_exceeded", "window-full"],
    ["refusal", "refusal"],
    ["pause_turn", "paused"],
    ["compaction", "paused"],
    ["something_new", "other"],
    [null, "other"],
  ])("that stopped for %s is told as %s", async (raw, stopReason) => {
    const body = { ...JSON.parse(String(message.body)), stop_reason: raw };
    server.replies = [{ body: JSON.stringify(body) }];
    const answer = await client.generate(plain);
    expect(answer.stopReason).toBe(stopReason);
    expect(answer.rawStopReason).toBe(raw ?? undefined);
    expect(answer.requestId).toBe("req_1");
  });

  it("counts what fills the window, not what was summarised on the way", () => {
    const iteration = (type: string, input_tokens: number) => ({
      type,
      input_tokens,
      output_tokens: 5,
      cache_read_input_tokens: 3,
      cache_creation_input_tokens: 2,
    });
    const iterations = [
      iteration("compaction", 180_000),
      iteration("message", 23_000),
      iteration("advisor_message", 9),
    ];
    expect(anthropicUsage({ input_tokens: 1, output_tokens: 2, iterations })).toEqual({
      inputTokens: 23_000,
      cacheReadTokens: 3,
      cacheWriteTokens: 2,
      outputTokens: 5,
    });
    expect(anthropicUsage({ input_tokens: 1, output_tokens: 2, cache_read_input_tokens: null })).toEqual({
      inputTokens: 1,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 2,
    });
    expect(anthropicUsage({ output_tokens: 2 })).toBeUndefined();
    expect(anthropicUsage(null)).toBeUndefined();
  });

  it("keeps blocks that nobody knows, and hands back what the API takes", async () => {
    const content = [
      { type: "redacted_thinking", data: "AAAA" },
      { type: "something_new", payload: { deep: [1] } },
      { type: "compaction", content: "Summary.", signature: "sig" },
      { type: "text", text: "Yes.", citations: [{ type: "char_location", cited_text: "Y" }] },
    ];
    server.replies = [{ body: JSON.stringify({ ...JSON.parse(String(message.body)), content }) }, message];
    const answer = await client.generate(plain);
    expect(answer.messages[0]?.content).toEqual([
      content[0],
      { type: "opaque", provider: "anthropic", value: content[1] },
      content[2],
      content[3],
    ]);
    await client.generate({ ...plain, messages: [...answer.messages, user("Go on")] });
    expect((server.requests[1]?.body["messages"] as readonly { content: unknown }[])[0]?.content).toEqual([
      content[0],
      content[3],
    ]);
  });
});

describe("a stream", () => {
  const event = (data: object & { readonly type: string }): string =>
    `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
  const streamed = async (middle: readonly (object & { readonly type: string })[]) => {
    const [start = "", ...rest] = anthropicWire.events({ stop: "end" });
    server.replies = [{ body: [start, ...middle.map(event), ...rest.slice(-2)] }];
    const events: ModelEvent[] = [];
    const answer = await client.stream(plain, { onEvent: (one) => events.push(one) });
    return { answer, events };
  };
  const begin = (content_block: object, index = 0) => ({ type: "content_block_start", index, content_block });
  const delta = (change: object, index = 0) => ({ type: "content_block_delta", index, delta: change });
  const end = (index = 0) => ({ type: "content_block_stop", index });

  it.each([
    {
      why: "redacted thinking, which comes whole",
      events: [begin({ type: "redacted_thinking", data: "AAAA" }), end()],
      content: [{ type: "redacted_thinking", data: "AAAA" }],
    },
    {
      why: "a compaction and what signs it",
      events: [
        begin({ type: "compaction", content: null }),
        delta({ type: "compaction_delta", content: "Summary.", encrypted_content: "x" }),
        end(),
      ],
      content: [{ type: "compaction", content: "Summary.", encrypted_content: "x" }],
    },
    {
      why: "citations",
      events: [
        begin({ type: "text", text: "" }),
        delta({ type: "citations_delta", citation: { cited_text: "Y" } }),
        delta({ type: "text_delta", text: "Yes" }),
        end(),
      ],
      content: [{ type: "text", text: "Yes", citations: [{ cited_text: "Y" }] }],
    },
    {
      why: "a call without arguments",
      events: [
        begin({ type: "tool_use", id: "t", name: "list", input: {} }),
        delta({ type: "input_json_delta", partial_json: "" }),
        end(),
      ],
      content: [{ type: "tool_use", id: "t", name: "list", input: {} }],
    },
    {
      why: "arguments that the output limit cut",
      events: [
        begin({ type: "tool_use", id: "t", name: "list", input: {} }),
        delta({ type: "input_json_delta", partial_json: '{"a": "b' }),
        end(),
      ],
      content: [{ type: "tool_use", id: "t", name: "list", input: '{"a": "b' }],
    },
    {
      why: "blocks of which one never ends, one grows in a way nobody knows, and events without sense",
      events: [
        begin({ type: "text", text: "One" }),
        begin({ type: "something_new", a: 1 }, 1),
        delta({ type: "new_delta", b: 2 }, 1),
        delta({ type: "text_delta", text: "!" }, 7),
        { type: "content_block_start", index: 9, content_block: null },
        { type: "content_block_delta", delta: 5 },
      ],
      content: [
        { type: "text", text: "One" },
        { type: "opaque", provider: "anthropic", value: { type: "something_new", a: 1 } },
      ],
    },
  ])("puts together $why", async ({ events, content }) => {
    const { answer, events: reported } = await streamed(events);
    expect(answer.messages[0]?.content).toEqual(content);
    expect(reported.flatMap((one) => (one.type === "block" ? [one.block] : []))).toEqual(content);
    expect(answer.usage).toEqual({
      inputTokens: 30,
      cacheReadTokens: 60,
      cacheWriteTokens: 10,
      outputTokens: 20,
    });
  });

  it("rejects with the provider's error where it tells one in the middle", async () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const all = anthropicWire.events({ text: "Yes.", stop: "end" });
    server.replies = [{ body: [...all.slice(0, 4), event(error)] }];
    const failure = await client.stream(plain).catch((thrown: unknown) => classifyModelError(thrown));
    expect(failure).toMatchObject({ kind: "overloaded", message: "Overloaded" });
  });

  it("is whole where the connection breaks behind its last event", async () => {
    server.replies = [{ body: anthropicWire.events({ text: "Yes.", stop: "end" }), after: "cut" }];
    expect((await client.stream(plain)).stopReason).toBe("end");
  });
});

describe("limits and counting", () => {
  it("asks the models endpoint for the limits", async () => {
    server.replies = [
      { body: JSON.stringify({ id: "claude-x", max_input_tokens: 1_000_000, max_tokens: 128_000 }) },
    ];
    expect(await client.limits!("claude-x")).toEqual({ windowTokens: 1_000_000, maxOutputTokens: 128_000 });
    expect(server.requests[0]?.path).toContain("/v1/models/claude-x");
  });

  it("does not know a model that the endpoint does not know, and tells any other failure", async () => {
    server.replies = [
      anthropicWire.error(404, { type: "not_found_error", message: "model: claude-x" }),
      anthropicWire.error(500, { type: "api_error", message: "Internal server error" }),
    ];
    expect(await client.limits!("claude-x")).toBeUndefined();
    await expect(client.limits!("claude-x")).rejects.toMatchObject({ status: 500 });
  });

  it("has no limits and no counter where the client has none", () => {
    const bare = anthropicModel({ messages: { create: async () => ({}) } });
    expect(bare.limits).toBeUndefined();
    expect(bare.counter).toBeUndefined();
  });

  it("counts what would be sent", async () => {
    server.replies = [{ body: JSON.stringify({ input_tokens: 1_234 }) }, { body: "{}" }];
    const request = {
      model: "claude-x",
      system: "Be brief.",
      tools: JSON.stringify([tool]),
      messages: [user("Hello")],
    };
    expect(await client.counter!.count(request)).toBe(1_234);
    expect(server.requests[0]?.path).toContain("/v1/messages/count_tokens");
    expect(server.requests[0]?.body).toEqual({
      model: "claude-x",
      system: "Be brief.",
      tools: [tool],
      messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
    });
    await expect(client.counter!.count(request)).rejects.toThrow(/no answer of its API/);
  });
});
