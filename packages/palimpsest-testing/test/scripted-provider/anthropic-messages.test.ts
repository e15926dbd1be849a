/** The Anthropic Messages API as its own SDK meets it: answers, rules, and the window. */
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { answer, callTool, refuse, say, think } from "#scripted-provider/scripted-provider.ts";
import { countCharacters, rejectionOf, withProvider } from "#test/fakes/kit.ts";

const MODEL = "claude-sonnet-4-6";
const hi: Anthropic.MessageParam = { role: "user", content: "hi" };
const ask = { model: MODEL, max_tokens: 1_000, messages: [hi] };
const tools: Anthropic.Tool[] = [{ name: "read", input_schema: { type: "object" } }];

describe("an answer", () => {
  it("follows the script, step by step, and then says something sensible", async () => {
    await withProvider(
      { script: [[think("I look."), callTool("read", { path: "a.ts" }, "toolu_1")], say("Done.")] },
      async ({ anthropic, provider }) => {
        const first = await anthropic.messages.create({ ...ask, tools });
        expect(first.content).toMatchObject([
          { type: "thinking", thinking: "I look." },
          { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a.ts" } },
        ]);
        expect(first.stop_reason).toBe("tool_use");
        const messages: Anthropic.MessageParam[] = [
          hi,
          { role: "assistant", content: first.content as Anthropic.ContentBlockParam[] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "text" }] },
        ];
        const second = await anthropic.messages.create({ ...ask, tools, messages });
        expect(second).toMatchObject({ content: [{ type: "text", text: "Done." }], stop_reason: "end_turn" });
        const third = await anthropic.messages.create({
          ...ask,
          messages: [{ role: "user", content: "What now?\nAnd then?" }],
        });
        expect(third.content).toEqual([{ type: "text", text: "Understood: What now?" }]);
        expect(provider.violations).toEqual([]);
        expect(provider.requests.map(({ outcome, status }) => [outcome, status])).toEqual([
          ["answered", 200],
          ["answered", 200],
          ["answered", 200],
        ]);
      },
    );
  });

  it("may be decided by a function of the request", async () => {
    await withProvider(
      {
        script: (request) =>
          request.lastUserText.includes("summary")
            ? "A summary."
            : `${request.model} ${request.toolNames.join()} ${request.systemText} ${request.maxOutputTokens}`,
      },
      async ({ anthropic }) => {
        const one = await anthropic.messages.create({ ...ask, tools, system: "Be brief." });
        expect(one.content).toEqual([{ type: "text", text: "claude-sonnet-4-6 read Be brief. 1000" }]);
        const two = await anthropic.messages.create({
          ...ask,
          messages: [hi, { role: "assistant", content: "Hi." }, { role: "user", content: "Write a summary" }],
        });
        expect(two.content).toEqual([{ type: "text", text: "A summary." }]);
      },
    );
  });

  it.each([
    { step: answer([]), content: [], stop: "end_turn", why: "empty" },
    { step: refuse(), content: [], stop: "refusal", why: "refused" },
    {
      step: answer("a", { stopReason: "paused" }),
      content: [{ text: "a" }],
      stop: "pause_turn",
      why: "paused",
    },
    {
      step: "x".repeat(300),
      content: [{ text: "x".repeat(100) }],
      stop: "max_tokens",
      why: "cut by max_tokens",
    },
    {
      step: [say("a"), callTool("read", { path: "x".repeat(200) })],
      content: [{ text: "a" }],
      stop: "max_tokens",
      why: "a call that does not fit",
    },
  ])("may be $why", async ({ step, content, stop }) => {
    await withProvider({ script: [step], countTokens: countCharacters }, async ({ anthropic }) => {
      const message = await anthropic.messages.create({ ...ask, max_tokens: 100 });
      expect(message.content).toHaveLength(content.length);
      expect(message).toMatchObject({ content, stop_reason: stop });
    });
  });

  it("reports what was counted, what the script says instead, or nothing", async () => {
    await withProvider(
      {
        script: [
          [think("12345"), say("1234567")],
          answer("a", { usage: { promptTokens: 5, outputTokens: 6 } }),
          answer("a", { usage: "withheld" }),
          answer("a", { truncatesPromptTo: 4 }),
        ],
        countTokens: countCharacters,
      },
      async ({ anthropic, provider }) => {
        const usages = [];
        for (let call = 0; call < 4; call++) usages.push((await anthropic.messages.create(ask)).usage);
        expect(usages).toMatchObject([
          { input_tokens: 5, output_tokens: 12, output_tokens_details: { thinking_tokens: 5 } },
          { input_tokens: 5, output_tokens: 6 },
          { input_tokens: 0, output_tokens: 0 },
          { input_tokens: 4, output_tokens: 1 },
        ]);
        expect(provider.requests.map(({ promptTokens }) => promptTokens)).toEqual([5, 5, 5, 5]);
        expect(await anthropic.messages.countTokens({ model: MODEL, messages: [hi] })).toEqual({
          input_tokens: 5,
        });
      },
    );
  });

  it("has ids that are the same for the same request, and others for another", async () => {
    await withProvider({ script: () => callTool("read") }, async ({ anthropic }) => {
      const idOf = async (content: string) =>
        (await anthropic.messages.create({ ...ask, tools, messages: [{ role: "user", content }] }))
          .content[0];
      expect(await idOf("a")).toEqual(await idOf("a"));
      expect(await idOf("a")).not.toEqual(await idOf("b"));
    });
  });
});

const call = { type: "tool_use", id: "toolu_1", name: "read", input: {} };
const result = { type: "tool_result", tool_use_id: "toolu_1", content: "ok" };

describe("a request that breaks a rule", () => {
  it.each([
    { body: { model: MODEL, messages: [hi] }, says: "max_tokens: Field required" },
    { body: { ...ask, model: undefined }, says: "model: Field required" },
    { body: { ...ask, messages: [] }, says: "messages: at least one message is required" },
    {
      body: { ...ask, messages: [{ role: "assistant", content: "a" }, hi] },
      says: 'messages: first message must use the "user" role',
    },
    {
      body: { ...ask, messages: [{ role: "user", content: "" }] },
      says: "messages.0: all messages must have non-empty content except for the optional final assistant message",
    },
    {
      body: { ...ask, messages: [hi, { role: "assistant", content: [call] }, hi] },
      says: "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    },
    {
      body: { ...ask, messages: [{ role: "user", content: [result] }] },
      says: "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    },
    {
      body: {
        ...ask,
        messages: [
          hi,
          { role: "assistant", content: [call] },
          { role: "user", content: [{ type: "text", text: "a" }, result] },
        ],
      },
      says: "messages.2: Did not find 1 `tool_result` block(s) at the beginning of this message",
    },
    {
      body: { ...ask, model: "claude-opus-4-6", messages: [hi, { role: "assistant", content: "So" }] },
      says: "This model does not support assistant message prefill. The conversation must end with a user message.",
    },
    {
      body: { ...ask, thinking: { type: "enabled", budget_tokens: 1_024 } },
      says: "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size",
    },
    {
      body: { ...ask, thinking: { type: "adaptive", block_binding: {} } },
      says: "thinking.adaptive.block_binding: Extra inputs are not permitted",
    },
    {
      body: {
        ...ask,
        system: [1, 2, 3, 4, 5].map((n) => ({
          type: "text",
          text: `${n}`,
          cache_control: { type: "ephemeral" },
        })),
      },
      says: "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    },
  ])("is refused: $says", async ({ body, says }) => {
    await withProvider({}, async ({ post, provider }) => {
      expect(await post("/v1/messages", body)).toMatchObject({
        status: 400,
        body: { type: "error", error: { type: "invalid_request_error", message: says } },
      });
      expect(provider.violations.map(({ message, requestIndex }) => [requestIndex, message])).toEqual([
        [0, says],
      ]);
      expect(provider.requests[0]?.outcome).toBe("refused");
    });
  });

  it("does not use up a step of the script, and is told of by the SDK", async () => {
    await withProvider({ script: ["First."] }, async ({ anthropic }) => {
      const error = await rejectionOf(anthropic.messages.create({ ...ask, messages: [] }));
      expect(error).toBeInstanceOf(Anthropic.BadRequestError);
      expect((await anthropic.messages.create(ask)).content).toEqual([{ type: "text", text: "First." }]);
    });
  });

  it("may have system turns, and tools that are added on the way where its header asks for them", async () => {
    const added = { type: "tool_addition", tool: { type: "tool_reference", tool_name: "grep" } };
    const body = {
      ...ask,
      model: "claude-opus-5-5",
      tools: [...tools, { name: "grep", input_schema: { type: "object" }, defer_loading: true }],
      messages: [hi, { role: "system", content: [{ type: "text", text: "It is noon." }, added] }],
    };
    await withProvider({}, async ({ post }) => {
      expect(await post("/v1/messages", body)).toMatchObject({
        status: 400,
        body: {
          error: {
            message:
              "messages.1.content.1: Input tag 'tool_addition' found using 'type' does not match any expected tag",
          },
        },
      });
      const betas = { "anthropic-beta": "mid-conversation-tool-changes-2026-07-01" };
      expect(await post("/v1/messages", body, betas)).toMatchObject({ status: 200 });
    });
  });
});

describe("the window", () => {
  const long = { ...ask, messages: [{ role: "user" as const, content: "x".repeat(2_000) }] };

  it("refuses a prompt that is longer, with the numbers", async () => {
    await withProvider(
      { windowTokens: 2_000, countTokens: countCharacters },
      async ({ anthropic, provider }) => {
        const error = await rejectionOf(anthropic.messages.create(long));
        expect(error).toMatchObject({ status: 400, type: "invalid_request_error" });
        expect(error.message).toContain("prompt is too long: 2003 tokens > 2000 maximum");
        expect(
          provider.overflows.map(({ promptTokens, windowTokens }) => [promptTokens, windowTokens]),
        ).toEqual([[2_003, 2_000]]);
        expect(provider.violations).toEqual([]);
      },
    );
  });

  it("refuses a prompt with too much output only for older models; newer ones run into its end", async () => {
    await withProvider(
      { windowTokens: 2_010, countTokens: countCharacters, script: () => "y".repeat(50) },
      async ({ anthropic }) => {
        const error = await rejectionOf(anthropic.messages.create({ ...long, model: "claude-opus-4-1" }));
        expect(error.message).toContain(
          "input length and `max_tokens` exceed context limit: 2003 + 1000 > 2010, decrease input length or `max_tokens` and try again",
        );
        expect(await anthropic.messages.create(long)).toMatchObject({
          content: [{ text: "yyyyyyy" }],
          stop_reason: "model_context_window_exceeded",
        });
      },
    );
  });

  it("may be lowered on the way, by the test or by the script", async () => {
    await withProvider(
      {
        countTokens: countCharacters,
        script: [{ fault: "prompt-too-long", windowTokens: 1_000 }, "Fits."],
      },
      async ({ anthropic, provider }) => {
        expect((await anthropic.models.retrieve(MODEL)).max_input_tokens).toBe(1_000_000);
        const reported = await rejectionOf(anthropic.messages.create(long));
        expect(reported.message).toContain("prompt is too long: 2003 tokens > 1000 maximum");
        const again = await rejectionOf(anthropic.messages.create(long));
        expect(again.message).toContain("prompt is too long: 2003 tokens > 1000 maximum");
        expect((await anthropic.models.retrieve(MODEL)).max_input_tokens).toBe(1_000);
        provider.windowTokens = 3_000;
        expect((await anthropic.messages.create(long)).content).toMatchObject([{ text: "Fits." }]);
      },
    );
  });
});
