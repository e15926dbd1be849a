/** The OpenAI Chat Completions API as its own SDK meets it. */
import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { answer, callTool, refuse, say, think } from "#scripted-provider/scripted-provider.ts";
import { countCharacters, rejectionOf, withProvider } from "#test/fakes/kit.ts";

type Params = OpenAI.ChatCompletionCreateParamsNonStreaming;
const MODEL = "gpt-4o";
const ask: Params = { model: MODEL, messages: [{ role: "user", content: "hi" }] };
const tools: OpenAI.ChatCompletionTool[] = [
  { type: "function", function: { name: "read", parameters: { type: "object" } } },
];

describe("an answer", () => {
  it("holds calls and text, and all of it can come back", async () => {
    await withProvider(
      { script: [callTool("read", { path: "a.ts" }, "call_1"), "Done."] },
      async ({ openai, provider }) => {
        const messages: OpenAI.ChatCompletionMessageParam[] = [
          { role: "developer", content: "You help." },
          { role: "user", content: "Read a.ts" },
        ];
        const first = await openai.chat.completions.create({ ...ask, tools, messages });
        expect(first.choices[0]).toMatchObject({
          message: {
            content: null,
            tool_calls: [{ id: "call_1", function: { name: "read", arguments: '{"path":"a.ts"}' } }],
          },
          finish_reason: "tool_calls",
        });
        const { refusal: _, annotations: __, ...message } = first.choices[0]!.message;
        const second = await openai.chat.completions.create({
          ...ask,
          tools,
          messages: [...messages, message, { role: "tool", tool_call_id: "call_1", content: "text" }],
        });
        expect(second.choices[0]).toMatchObject({ message: { content: "Done." }, finish_reason: "stop" });
        expect(provider.violations).toEqual([]);
        expect(provider.requests.at(-1)).toMatchObject({
          api: "openai-chat",
          systemText: "You help.",
          lastUserText: "Read a.ts",
          toolNames: ["read"],
        });
      },
    );
  });

  it.each([
    { step: "This is a text of more than one piece.", why: "a text" },
    {
      step: [
        think("Hm."),
        say("Two."),
        callTool("read", { path: "a/long/path/to/a/file.ts" }),
        callTool("read"),
      ],
      why: "a text and calls",
    },
    { step: refuse("No."), why: "a refusal" },
    { step: answer([]), why: "nothing" },
    { step: "x".repeat(500), why: "a text that is cut" },
  ])("is the same in one piece and in a stream: $why", async ({ step }) => {
    const body = { ...ask, tools, max_tokens: 100 };
    await withProvider({ script: () => step, countTokens: countCharacters }, async ({ openai }) => {
      const whole = await openai.chat.completions.create(body);
      const stream = openai.chat.completions.stream({
        ...body,
        stream: true,
        stream_options: { include_usage: true },
      });
      const collected = await stream.finalChatCompletion();
      expect(collected.choices[0]?.finish_reason).toBe(whole.choices[0]?.finish_reason);
      expect(collected.choices[0]?.message.content ?? "").toBe(whole.choices[0]?.message.content ?? "");
      const callsOf = ({ choices }: { choices: readonly { message: OpenAI.ChatCompletionMessage }[] }) =>
        choices[0]?.message.tool_calls?.map((call) =>
          call.type === "function" ? [call.id, call.function.name, call.function.arguments] : [],
        );
      expect(callsOf(collected)).toEqual(callsOf(whole));
      expect(collected.choices[0]?.message.refusal ?? null).toBe(whole.choices[0]?.message.refusal);
      expect(collected.usage).toEqual(whole.usage);
    });
  });

  it("refuses in words of its own, or as a filter", async () => {
    await withProvider({ script: [refuse("No."), refuse()] }, async ({ openai }) => {
      const choices = [];
      for (let call = 0; call < 2; call++)
        choices.push((await openai.chat.completions.create(ask)).choices[0]);
      expect(choices).toMatchObject([
        { message: { content: null, refusal: "No." }, finish_reason: "stop" },
        { message: { content: "", refusal: null }, finish_reason: "content_filter" },
      ]);
    });
  });

  it("tells its usage in a stream only where it is asked for, and not where it is withheld", async () => {
    await withProvider({ script: ["a", "a", answer("a", { usage: "withheld" })] }, async ({ openai }) => {
      const usages = [];
      for (const options of [
        {},
        { stream_options: { include_usage: true } },
        { stream_options: { include_usage: true } },
      ]) {
        const stream = await openai.chat.completions.create({ ...ask, ...options, stream: true });
        let usage: OpenAI.CompletionUsage | null | undefined;
        for await (const chunk of stream) usage = chunk.usage ?? usage;
        usages.push(usage?.completion_tokens);
      }
      expect(usages).toEqual([undefined, 1, undefined]);
    });
  });
});

describe("a request", () => {
  it.each<{ body: object; says: string; code?: string }>([
    { body: { messages: ask.messages }, says: "you must provide a model parameter" },
    { body: { model: MODEL }, says: "Missing required parameter: 'messages'." },
    {
      body: { ...ask, messages: [{ role: "tool", tool_call_id: "a", content: "" }] },
      says: "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    },
    {
      body: {
        ...ask,
        messages: [
          {
            role: "assistant",
            tool_calls: [{ id: "call_1", type: "function", function: { name: "read", arguments: "{}" } }],
          },
          { role: "user", content: "hi" },
        ],
      },
      says: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1",
    },
    {
      body: { ...ask, stream_options: { include_usage: true } },
      says: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    },
    {
      body: { ...ask, model: "gpt-5.5", max_tokens: 5 },
      says: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    },
  ])("that breaks a rule is refused: $says", async ({ body, says }) => {
    await withProvider({}, async ({ post, provider }) => {
      expect(await post("/v1/chat/completions", body)).toMatchObject({
        status: 400,
        body: { error: { message: says, type: "invalid_request_error" } },
      });
      expect(provider.violations).toHaveLength(1);
    });
  });

  it("that is too long is refused with the figures, or without", async () => {
    await withProvider(
      {
        windowTokens: 20,
        countTokens: countCharacters,
        script: [{ fault: "prompt-too-long", hasNumbers: false }],
      },
      async ({ openai, provider }) => {
        const says = async (body: Params) =>
          (await rejectionOf(openai.chat.completions.create(body))).message;
        expect(await says({ ...ask, messages: [{ role: "user", content: "x".repeat(20) }] })).toContain(
          "This model's maximum context length is 20 tokens. However, your messages resulted in 23 tokens. Please reduce the length of the messages.",
        );
        expect(await says({ ...ask, max_tokens: 50 })).toContain(
          "This model's maximum context length is 20 tokens. However, you requested 55 tokens (5 in the messages, 50 in the completion). Please reduce the length of the messages or completion.",
        );
        expect(await says(ask)).toContain("Your input exceeds the context window of this model.");
        expect(provider.overflows).toHaveLength(3);
      },
    );
  });

  it("may fail in the middle of a stream, by an error or a cut", async () => {
    await withProvider(
      { script: [{ fault: "overloaded", isMidStream: true }, { fault: "cut" }] },
      async ({ openai }) => {
        for (const says of ["overloaded", "terminated"]) {
          const reading = async () => {
            for await (const _ of await openai.chat.completions.create({ ...ask, stream: true }));
          };
          expect((await rejectionOf(reading())).message).toContain(says);
        }
      },
    );
  });

  it("reads its prefix from the cache", async () => {
    await withProvider({ countTokens: countCharacters }, async ({ openai }) => {
      const details = [];
      for (const text of ["a", "b"]) {
        const { usage } = await openai.chat.completions.create({
          ...ask,
          messages: [
            { role: "system", content: "x".repeat(2_000) },
            { role: "user", content: text },
          ],
        });
        details.push([usage?.prompt_tokens, usage?.prompt_tokens_details?.cached_tokens]);
      }
      expect(details).toEqual([
        [2_007, 0],
        [2_007, 1_920],
      ]);
    });
  });

  it("for a model is answered, by the words of either vendor", async () => {
    await withProvider({}, async ({ openai, anthropic }) => {
      expect(await openai.models.retrieve("gpt-4o")).toMatchObject({ id: "gpt-4o", object: "model" });
      expect(await anthropic.models.retrieve("claude-haiku-4-5")).toMatchObject({
        id: "claude-haiku-4-5",
        max_input_tokens: 200_000,
        max_tokens: 64_000,
      });
    });
  });
});
