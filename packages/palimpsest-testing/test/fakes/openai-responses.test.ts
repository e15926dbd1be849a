/** The OpenAI Responses API as its own SDK meets it. */
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { FakeClock } from "#fakes/fake-time.ts";
import { answer, callTool, type Fault, refuse, say, think } from "#scripted-provider/scripted-provider.ts";
import { type Connected, countCharacters, rejectionOf, withProvider } from "./kit.ts";

type Params = OpenAI.Responses.ResponseCreateParamsNonStreaming;
type Input = OpenAI.Responses.ResponseInput;

const MODEL = "gpt-5.5";
const tools: OpenAI.Responses.FunctionTool[] = [
  { type: "function", name: "read", parameters: { type: "object" }, strict: false },
];
const ask: Params = {
  model: MODEL,
  input: [{ role: "user", content: "hi" }],
  store: false,
  include: ["reasoning.encrypted_content"],
};
const script = [
  [think("one"), callTool("read", { path: "a.ts" }, "call_1")],
  [think("two"), say("It is text.")],
  "Nothing.",
  "The end.",
];

/** Three answers, of which two have reasoning; the whole conversation returns. */
async function converse({ openai }: Connected): Promise<Params> {
  let body: Params = { ...ask, tools, instructions: "You help." };
  for (const next of [
    { type: "function_call_output" as const, call_id: "call_1", output: "The whole text." },
    { role: "user" as const, content: "And now?" },
    { role: "user" as const, content: "And then?" },
  ]) {
    const { output } = await openai.responses.create(body);
    body = { ...body, input: [...(body.input as Input), ...(output as Input), next] };
  }
  return body;
}

describe("an answer", () => {
  it("holds reasoning, calls and text, and all of it can come back", async () => {
    await withProvider({ script }, async (connected) => {
      const body = await converse(connected);
      const response = await connected.openai.responses.create(body);
      expect(response.output_text).toBe("The end.");
      expect((body.input as Input).map((item) => item.type ?? "message")).toEqual([
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "reasoning",
        "message",
        "message",
        "message",
        "message",
      ]);
      expect(connected.provider.violations).toEqual([]);
      expect(connected.provider.requests.at(-1)).toMatchObject({
        reasoning: { keptCount: 2, droppedCount: 0 },
        systemText: "You help.",
        lastUserText: "And then?",
        toolNames: ["read"],
      });
    });
  });

  it.each([
    { step: "Done.", why: "a text" },
    {
      step: [think("Hm, so it is."), callTool("read", { path: "a/long/path/to/a/file.ts" })],
      why: "reasoning and a call",
    },
    { step: [say("First."), callTool("read"), callTool("read", { path: "b" })], why: "a text and calls" },
    { step: refuse("No."), why: "a refusal" },
    { step: answer([]), why: "nothing" },
    { step: "x".repeat(500), why: "a text that is cut" },
  ])("is the same in one piece and in a stream: $why", async ({ step }) => {
    const body = { ...ask, tools, max_output_tokens: 100 };
    await withProvider(
      { script: () => step, countTokens: countCharacters, clock: new FakeClock() },
      async ({ openai }) => {
        const whole = await openai.responses.create(body);
        const events: OpenAI.Responses.ResponseStreamEvent[] = [];
        for await (const event of await openai.responses.create({ ...body, stream: true }))
          events.push(event);
        expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
        const last = events.at(-1) as OpenAI.Responses.ResponseCompletedEvent;
        expect(last.type).toBe(`response.${whole.status}`);
        const { output_text: _, ...rest } = whole;
        expect(last.response).toEqual(rest);
        // What the SDK puts together from the pieces.
        const collected = await openai.responses.stream({ ...body, stream: true } as never).finalResponse();
        expect(collected.output).toMatchObject(whole.output);
      },
    );
  });

  it("that is cut is incomplete", async () => {
    await withProvider({ script: ["x".repeat(500)], countTokens: countCharacters }, async ({ openai }) => {
      const response = await openai.responses.create({ ...ask, max_output_tokens: 10 });
      expect(response).toMatchObject({
        status: "incomplete",
        incomplete_details: { reason: "max_output_tokens" },
        output_text: "xxxxxxxxxx",
        usage: { output_tokens: 10 },
      });
    });
  });

  it("reports usage with what was read from the cache in it, other figures, or none", async () => {
    await withProvider(
      {
        script: [
          [think("12345"), say("1234567")],
          answer("a", { usage: { promptTokens: 9, cacheReadTokens: 4, outputTokens: 6 } }),
          answer("a", { usage: "withheld" }),
        ],
        countTokens: countCharacters,
      },
      async ({ openai }) => {
        const usages = [];
        for (let call = 0; call < 3; call++) usages.push((await openai.responses.create(ask)).usage);
        expect(usages).toEqual([
          {
            input_tokens: 5,
            input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
            output_tokens: 12,
            output_tokens_details: { reasoning_tokens: 5 },
            total_tokens: 17,
          },
          {
            input_tokens: 9,
            input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
            output_tokens: 6,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: 15,
          },
          null,
        ]);
        expect(await openai.responses.inputTokens.count({ model: MODEL, input: "hi" })).toEqual({
          object: "response.input_tokens",
          input_tokens: 5,
        });
      },
    );
  });
});

describe("reasoning that comes back", () => {
  it("is left out where something before it changed", async () => {
    await withProvider({ script }, async (connected) => {
      const body = await converse(connected);
      const input = (body.input as Input).map((item) =>
        "output" in item ? { ...item, output: "[cleared]" } : item,
      ) as Input;
      await connected.openai.responses.create({ ...body, input });
      await connected.openai.responses.create({ ...body, instructions: "Another." });
      expect(connected.provider.violations).toEqual([]);
      expect(connected.provider.requests.slice(-2).map(({ reasoning }) => reasoning)).toEqual([
        { keptCount: 1, droppedCount: 1 },
        { keptCount: 0, droppedCount: 2 },
      ]);
    });
  });

  it("may come back without its summary", async () => {
    await withProvider({ script }, async (connected) => {
      const body = await converse(connected);
      const input = (body.input as Input).map((item) =>
        "summary" in item ? { ...item, summary: [] } : item,
      ) as Input;
      await connected.openai.responses.create({ ...body, input });
      expect(connected.provider.requests.at(-1)?.reasoning).toEqual({ keptCount: 2, droppedCount: 0 });
    });
  });

  it("is refused where it was changed", async () => {
    await withProvider({ script }, async (connected) => {
      const body = await converse(connected);
      const input = (body.input as Input).map((item) =>
        "encrypted_content" in item ? { ...item, encrypted_content: "gAAAAABthatIsNotIt==" } : item,
      ) as Input;
      const error = await rejectionOf(connected.openai.responses.create({ ...body, input }));
      expect(error).toMatchObject({
        status: 400,
        code: "invalid_encrypted_content",
        type: "invalid_request_error",
      });
      expect(error.message).toContain("The encrypted content gAAA...It== could not be verified.");
    });
  });

  it("is not there where nothing is stored and its content was not sent", async () => {
    await withProvider({ script }, async (connected) => {
      const body = await converse(connected);
      const input = (body.input as Input).map((item) =>
        "encrypted_content" in item ? { ...item, id: "rs_1", encrypted_content: undefined } : item,
      ) as Input;
      const error = await rejectionOf(
        connected.openai.responses.create({ ...body, input: input.slice(0, 4) }),
      );
      expect(error).toMatchObject({ status: 404 });
      expect(error.message).toContain(
        "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
      );
    });
  });
});

describe("a request", () => {
  it.each<{ body: object; says: string; code: string | null }>([
    {
      body: { input: "hi" },
      says: "Missing required parameter: 'model'.",
      code: "missing_required_parameter",
    },
    {
      body: { model: MODEL },
      says: "Missing required parameter: 'input'.",
      code: "missing_required_parameter",
    },
    {
      body: { ...ask, input: [{ type: "function_call", call_id: "call_1", name: "read", arguments: "{}" }] },
      says: "No tool output found for function call call_1.",
      code: null,
    },
    {
      body: { ...ask, input: [{ type: "function_call_output", call_id: "call_1", output: "" }] },
      says: "No tool call found for function call output with call_id call_1.",
      code: null,
    },
    {
      body: { ...ask, previous_response_id: "resp_1" },
      says: "Previous response with id 'resp_1' not found.",
      code: "previous_response_not_found",
    },
  ])("that breaks a rule is refused: $says", async ({ body, says, code }) => {
    await withProvider({}, async ({ post, provider }) => {
      expect(await post("/v1/responses", body)).toMatchObject({
        status: 400,
        body: { error: { message: says, type: "invalid_request_error", code } },
      });
      expect(provider.violations).toHaveLength(1);
    });
  });

  it("that is too long is refused: at once, or in the stream that had begun", async () => {
    await withProvider({ windowTokens: 4, countTokens: countCharacters }, async ({ openai, provider }) => {
      const says =
        "Your input exceeds the context window of this model. Please adjust your input and try again.";
      const whole = await rejectionOf(openai.responses.create(ask));
      expect(whole).toMatchObject({ status: 400, code: "context_length_exceeded", param: "input" });
      expect(whole.message).toContain(says);
      const stream = await openai.responses.create({ ...ask, stream: true });
      const types: string[] = [];
      const reading = async () => {
        for await (const { type } of stream) types.push(type);
      };
      const streamed = await rejectionOf(reading());
      expect(streamed).toBeInstanceOf(OpenAI.APIError);
      expect(streamed).toMatchObject({ code: "context_length_exceeded", param: "input" });
      expect(types).toEqual(["response.created", "response.in_progress"]);
      expect(provider.overflows).toHaveLength(2);
    });
  });

  it.each<{ fault: Fault; status: number; says: string; code: string | null }>([
    {
      fault: { fault: "rate-limit" },
      status: 429,
      says: "Rate limit reached for gpt-5.5 in organization org-scripted on tokens per min (TPM): Limit 30000, Used 30000, Requested 4. Please try again in 1s.",
      code: "rate_limit_exceeded",
    },
    {
      fault: { fault: "rate-limit", tokensPerMinute: 10 },
      status: 429,
      says: "Request too large for gpt-5.5 in organization org-scripted on tokens per min (TPM): Limit 10, Requested 4.",
      code: "rate_limit_exceeded",
    },
    {
      fault: { fault: "server-error" },
      status: 500,
      says: "The server had an error while processing your request",
      code: null,
    },
    {
      fault: { fault: "overloaded" },
      status: 503,
      says: "The engine is currently overloaded",
      code: "server_is_overloaded",
    },
    {
      fault: { fault: "prompt-too-long", hasNumbers: true },
      status: 400,
      says: "Input tokens exceed the configured limit of 3 tokens. Your messages resulted in 4 tokens.",
      code: "context_length_exceeded",
    },
    {
      fault: { fault: "unknown-model" },
      status: 404,
      says: "The model `gpt-5.5` does not exist",
      code: "model_not_found",
    },
  ])("may fail: $status $says", async ({ fault, status, says, code }) => {
    await withProvider({ script: [fault] }, async ({ openai }) => {
      const error = await rejectionOf(openai.responses.create(ask));
      expect(error).toMatchObject({ status, code });
      expect(error.message).toContain(says);
    });
  });

  it("may fail in the middle of a stream, by an error or a cut", async () => {
    await withProvider(
      { script: [{ fault: "overloaded", isMidStream: true }, { fault: "cut" }] },
      async ({ openai }) => {
        for (const says of ["overloaded", "terminated"]) {
          const reading = async () => {
            for await (const _ of await openai.responses.create({ ...ask, stream: true }));
          };
          expect((await rejectionOf(reading())).message).toContain(says);
        }
      },
    );
  });
});

describe("the automatic cache", () => {
  it("reads the longest prefix that was sent before, in steps of 128 tokens from 1,024 on", async () => {
    const clock = new FakeClock();
    await withProvider({ countTokens: countCharacters, clock }, async ({ openai }) => {
      const cachedOf = async (lengths: readonly number[], more: Partial<Params> = {}) => {
        const input: Input = lengths.map((length) => ({ role: "user", content: "x".repeat(length - 3) }));
        const { usage } = await openai.responses.create({ ...ask, input, ...more });
        return [usage?.input_tokens, usage?.input_tokens_details.cached_tokens];
      };
      expect(await cachedOf([1_000])).toEqual([1_000, 0]);
      expect(await cachedOf([1_000, 200])).toEqual([1_200, 0]);
      expect(await cachedOf([1_000, 200, 50])).toEqual([1_250, 1_152]);
      expect(await cachedOf([1_000, 201, 50])).toEqual([1_251, 0]);
      expect(await cachedOf([1_000, 200, 50], { instructions: "Other." })).toEqual([1_259, 0]);
      expect(await cachedOf([1_000, 200, 50], { prompt_cache_key: "other" })).toEqual([1_250, 0]);
      clock.advance(600_001);
      expect(await cachedOf([1_000, 200, 50])).toEqual([1_250, 0]);
      expect(await cachedOf([1_000, 200, 50])).toEqual([1_250, 1_152]);
    });
  });

  it("reports what newer models write to it", async () => {
    await withProvider({ countTokens: countCharacters }, async ({ openai }) => {
      const body = { ...ask, model: "gpt-5.6-sol", input: "x".repeat(1_500) };
      const details = [];
      for (let call = 0; call < 2; call++)
        details.push((await openai.responses.create(body)).usage?.input_tokens_details);
      expect(details).toEqual([
        { cached_tokens: 0, cache_write_tokens: 1_408 },
        { cached_tokens: 1_408, cache_write_tokens: 0 },
      ]);
    });
  });
});
