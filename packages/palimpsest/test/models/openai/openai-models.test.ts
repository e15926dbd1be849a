/** Specifics of OpenAI: state that stays here, responses that failed, servers that speak almost the same. */
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openaiChatModel } from "#models/openai/chat-model.ts";
import { openaiResponsesModel } from "#models/openai/responses-model.ts";
import type { ModelEvent, ModelRequest } from "#ports/model-client.ts";
import { WireServer } from "#test/models/ai-sdk/wire-server.ts";
import { chatWire, responsesWire } from "#test/models/ai-sdk/wires.ts";
import { classifyModelError } from "#wire/errors/model-failure.ts";
import { openaiUsage } from "#wire/shared/answer-assembly.ts";

const user = (text: string) => ({ role: "user" as const, content: [{ type: "text" as const, text }] });
const plain: ModelRequest = { model: "gpt-5.1", system: "Be brief.", messages: [user("Hello")] };
const ENCRYPTED = "reasoning.encrypted_content";

let server: WireServer;
let sdk: OpenAI;
beforeEach(async () => {
  server = await WireServer.open();
  sdk = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "key", maxRetries: 0 });
});
afterEach(() => server.close());

describe("the body of a Responses call", () => {
  beforeEach(() => {
    server.replies = [responsesWire.json({ text: "Yes.", stop: "end" })];
  });

  it.each([
    { why: "by default", parameters: {}, include: [ENCRYPTED] },
    {
      why: "beside what the host wants",
      parameters: { include: ["file_search_call.results"] },
      include: ["file_search_call.results", ENCRYPTED],
    },
    { why: "once", parameters: { include: [ENCRYPTED] }, include: [ENCRYPTED] },
  ])("keeps nothing on the server and asks for the reasoning, $why", async ({ parameters, include }) => {
    await openaiResponsesModel(sdk).generate({ ...plain, parameters });
    expect(server.requests[0]?.body).toEqual({
      model: "gpt-5.1",
      instructions: "Be brief.",
      store: false,
      include,
      input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] }],
    });
  });

  it("asks no model for reasoning that has none", async () => {
    await openaiResponsesModel(sdk).generate({ ...plain, model: "gpt-4.1" });
    await openaiResponsesModel(sdk, { includesReasoning: false }).generate(plain);
    for (const { body } of server.requests) expect(body).not.toHaveProperty("include");
  });
});

describe("a response", () => {
  const failing = async (reply: string | readonly string[], way: "generate" | "stream") => {
    server.replies = [{ body: reply }];
    return classifyModelError(
      await openaiResponsesModel(sdk)
        [way](plain)
        .then(
          () => "it answered",
          (error: unknown) => error,
        ),
    );
  };
  const event = (data: object & { readonly type: string }): string =>
    `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

  it.each([
    { error: { code: "server_error", message: "Something went wrong." }, kind: "overloaded" },
    { error: { code: "rate_limit_exceeded", message: "Rate limit reached" }, kind: "throttled" },
    {
      error: {
        code: "context_length_exceeded",
        message: "Your input exceeds the context window of this model.",
      },
      kind: "prompt-too-long",
    },
    { error: null, kind: "overloaded" },
  ])("that failed with $error.code is an error: $kind", async ({ error, kind }) => {
    const response = { id: "resp_1", object: "response", status: "failed", error, output: [] };
    expect((await failing(JSON.stringify(response), "generate")).kind).toBe(kind);
    expect((await failing([event({ type: "response.failed", response } as never)], "stream")).kind).toBe(
      kind,
    );
  });

  it("whose stream tells an error is that error", async () => {
    const error = { type: "error", code: "server_error", message: "Broken.", param: null };
    expect(await failing([event(error)], "stream")).toMatchObject({ kind: "overloaded" });
  });

  it("whose last event leaves the items out has those that came", async () => {
    const all = responsesWire.events({
      text: "Yes.",
      calls: [{ id: "c", name: "list", input: {} }],
      stop: "tool-use",
    });
    const last = JSON.parse(all.at(-1)!.split("data: ")[1]!);
    last.response.output = [];
    server.replies = [{ body: [...all.slice(0, -1), event(last)] }];
    const answer = await openaiResponsesModel(sdk).stream(plain);
    expect(answer.messages[0]?.content.map(({ type }) => type)).toEqual(["text", "tool_use"]);
    expect(answer.stopReason).toBe("tool-use");
  });

  it("keeps what only OpenAI understands, and hands it back in its place", async () => {
    const output = [
      { id: "ws_1", type: "web_search_call", status: "completed", action: { type: "search", query: "x" } },
      { id: "cmp_1", type: "compaction", encrypted_content: "gAAA" },
      { id: "ctc_1", type: "custom_tool_call", call_id: "call_1", name: "shell", input: "ls -l" },
    ];
    const whole = JSON.parse(String(responsesWire.json({ text: "Yes.", stop: "end" }).body));
    server.replies = [{ body: JSON.stringify({ ...whole, output }) }];
    const model = openaiResponsesModel(sdk);
    const answer = await model.generate(plain);
    expect(answer.stopReason).toBe("tool-use");
    const result = { type: "tool_result" as const, tool_use_id: "call_1", content: "total 0" };
    await model.generate({
      ...plain,
      messages: [...plain.messages, ...answer.messages, { role: "user", content: [result] }],
    });
    expect((server.requests[1]?.body["input"] as readonly unknown[]).slice(1)).toEqual([
      ...output,
      { type: "custom_tool_call_output", call_id: "call_1", output: "total 0" },
    ]);
  });

  it("is counted where the SDK can", async () => {
    server.replies = [{ body: JSON.stringify({ object: "response.input_tokens", input_tokens: 77 }) }];
    const { counter } = openaiResponsesModel(sdk);
    const tools = JSON.stringify([{ type: "function", name: "f", parameters: {} }]);
    expect(
      await counter!.count({ model: "gpt-5.1", system: "Be brief.", tools, messages: [user("Hello")] }),
    ).toBe(77);
    expect(server.requests[0]?.path).toBe("/v1/responses/input_tokens");
    expect(server.requests[0]?.body).toMatchObject({ model: "gpt-5.1", instructions: "Be brief." });
    expect(openaiResponsesModel({ responses: { create: async () => ({}) } }).counter).toBeUndefined();
  });
});

describe("a completion", () => {
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    `data: ${JSON.stringify({ id: "c", model: "m-1", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const streamed = async (chunks: readonly string[]) => {
    server.replies = [{ body: chunks }];
    const events: ModelEvent[] = [];
    const answer = await openaiChatModel(sdk).stream(plain, { onEvent: (event) => events.push(event) });
    return { answer, content: answer.messages[0]?.content ?? [], events };
  };
  const call = (piece: object): object => ({ tool_calls: [piece] });

  it("is asked for its usage, and for output by the server's own name", async () => {
    server.replies = [{ body: chatWire.events({ text: "Yes.", stop: "end" }) }];
    const options = { maxOutputTokens: 9, outputLimitField: "max_tokens", systemRole: "developer" } as const;
    await openaiChatModel(sdk, options).stream(plain);
    expect(server.requests[0]?.body).toEqual({
      model: "gpt-5.1",
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 9,
      messages: [
        { role: "developer", content: "Be brief." },
        { role: "user", content: "Hello" },
      ],
    });
  });

  it.each([
    {
      why: "all of the same number",
      pieces: [
        { index: 0, id: "a", function: { name: "one", arguments: "{}" } },
        { index: 0, id: "b", function: { name: "two", arguments: '{"x":' } },
        { index: 1, function: { arguments: "1}" } },
      ],
    },
    {
      why: "without numbers",
      pieces: [
        { id: "a", function: { name: "one", arguments: "{}" } },
        { id: "b", function: { name: "two", arguments: '{"x":1}' } },
      ],
    },
    {
      why: "whose id is said with every piece",
      pieces: [
        { index: 0, id: "a", function: { name: "one", arguments: "{}" } },
        { index: 1, id: "b", function: { name: "two", arguments: '{"x":' } },
        { index: 1, id: "b", function: { arguments: "1}" } },
      ],
    },
  ])("puts calls together, $why", async ({ pieces }) => {
    const { content, events } = await streamed([
      ...pieces.map((piece) => chunk(call(piece))),
      chunk({}, "tool_calls"),
    ]);
    expect(content).toEqual([
      { type: "tool_use", id: "a", name: "one", input: {} },
      { type: "tool_use", id: "b", name: "two", input: { x: 1 } },
    ]);
    expect(events.flatMap((event) => (event.type === "block" ? [event.block] : []))).toEqual(content);
  });

  it("that stopped while it called a tool waits for its result", async () => {
    const { answer } = await streamed([
      chunk(call({ index: 0, id: "a", function: { name: "one", arguments: "{}" } })),
      chunk({}, "stop"),
    ]);
    expect(answer.stopReason).toBe("tool-use");
    expect(answer.usage).toBeUndefined();
  });

  it("keeps reasoning as thinking that is never sent back, and a refusal as what it is", async () => {
    const { answer, content } = await streamed([
      chunk({ reasoning: "Hm." }),
      chunk({ content: "A" }),
      chunk({ refusal: "No." }),
      chunk({}, "stop"),
    ]);
    expect(content).toEqual([
      { type: "thinking", thinking: "Hm." },
      { type: "text", text: "A" },
      { type: "opaque", provider: "openai-chat", value: { type: "refusal", refusal: "No." } },
    ]);
    expect(answer.stopReason).toBe("refusal");
  });

  it("survives chunks without sense", async () => {
    const { content } = await streamed([
      'data: {"choices":[null]}\n\n',
      'data: {"choices":"no"}\n\n',
      "data: 5\n\n",
      chunk({ content: 7, tool_calls: [null, "x"] } as never),
      chunk({ content: "A" }),
      chunk({}, "stop"),
    ]);
    expect(content).toEqual([{ type: "text", text: "A" }]);
  });
});

describe("usage", () => {
  it.each([
    {
      why: "the prompt includes what was read and written",
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
        output_tokens: 5,
      },
      is: [30, 60, 10, 5],
    },
    {
      why: "of Chat Completions",
      usage: { prompt_tokens: 100, prompt_tokens_details: { cached_tokens: 60 }, completion_tokens: 5 },
      is: [40, 60, 0, 5],
    },
    {
      why: "of DeepSeek",
      usage: { prompt_tokens: 100, prompt_cache_hit_tokens: 64, completion_tokens: 5 },
      is: [36, 64, 0, 5],
    },
    { why: "without details", usage: { prompt_tokens: 100, completion_tokens: 5 }, is: [100, 0, 0, 5] },
    {
      why: "that cannot be",
      usage: { prompt_tokens: 100, prompt_tokens_details: { cached_tokens: 900, cache_write_tokens: 50 } },
      is: [0, 100, 0, 0],
    },
  ])("$why", ({ usage, is: [inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens] }) => {
    expect(openaiUsage(usage)).toEqual({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens });
  });

  it("is none where none was reported", () => {
    expect(openaiUsage(null)).toBeUndefined();
    expect(openaiUsage({})).toBeUndefined();
    expect(openaiUsage({ prompt_tokens: "100" })).toBeUndefined();
  });
});
