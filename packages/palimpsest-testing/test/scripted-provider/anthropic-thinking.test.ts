/** Thinking that is signed over what precedes it: the parts that stay valid, are refused or are dropped. */
import type Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { callTool, say, think } from "#scripted-provider/scripted-provider.ts";
import { type Connected, rejectionOf, withProvider } from "#test/fakes/kit.ts";

const MODEL = "claude-opus-5-5";
const BETA = "thinking-binding-controls-2026-08-01";
const tools: Anthropic.Tool[] = [{ name: "read", input_schema: { type: "object" } }];
const drop = { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } } as const;

interface Conversation {
  readonly body: Anthropic.Beta.MessageCreateParamsNonStreaming;
  /** The last answer, not yet in the body. */
  readonly answer: Anthropic.Beta.BetaMessage;
}

/** Three answers with thinking: a call, a text, a text. */
async function converse({ anthropic }: Connected): Promise<Conversation> {
  let body: Anthropic.Beta.MessageCreateParamsNonStreaming = {
    model: MODEL,
    max_tokens: 1_000,
    system: "You help.",
    tools,
    messages: [{ role: "user", content: "Read a.ts" }],
  };
  let answer = await anthropic.beta.messages.create(body);
  const next = async (content: string | Anthropic.Beta.BetaContentBlockParam[]) => {
    body = {
      ...body,
      messages: [
        ...body.messages,
        { role: "assistant", content: answer.content as Anthropic.Beta.BetaContentBlockParam[] },
        { role: "user", content },
      ],
    };
    answer = await anthropic.beta.messages.create(body);
  };
  await next([{ type: "tool_result", tool_use_id: "toolu_1", content: "The whole text." }]);
  await next("And now?");
  await next("And then?");
  return { body, answer };
}

const script = [
  [think("one"), callTool("read", { path: "a.ts" }, "toolu_1")],
  [think("two"), say("It is text.")],
  [think("three"), say("Nothing.")],
  say("The end."),
];

type Messages = Anthropic.Beta.BetaMessageParam[];
type Blocks = Anthropic.Beta.BetaContentBlockParam[];

/** A copy of the messages with the content of one of them changed. */
function withContent(messages: Messages, index: number, change: (blocks: Blocks) => Blocks): Messages {
  return messages.map((message, place): Messages[number] => {
    if (place !== index || message.role === "system") return message;
    const { role, content } = message;
    return {
      role,
      content: change(typeof content === "string" ? [{ type: "text", text: content }] : content),
    };
  });
}

const withoutThinking = (blocks: Blocks): Blocks => blocks.filter(({ type }) => type !== "thinking");
const shorter = (blocks: Blocks): Blocks =>
  blocks.map((block) => (block.type === "tool_result" ? { ...block, content: "[cleared]" } : block));

describe("thinking that comes back", () => {
  it.each<{
    why: string;
    change: (body: Conversation["body"]) => Partial<Conversation["body"]>;
    kept: number;
  }>([
    { why: "nothing", change: () => ({}), kept: 3 },
    { why: "parameters", change: () => ({ max_tokens: 5, tool_choice: { type: "none" } }), kept: 3 },
    {
      why: "cache marks",
      change: (body) => ({
        system: [{ type: "text", text: "You help.", cache_control: { type: "ephemeral" } }],
        messages: withContent(body.messages, 0, ([block]) => [
          { ...(block as Anthropic.Beta.BetaTextBlockParam), cache_control: { type: "ephemeral" } },
        ]),
      }),
      kept: 3,
    },
    {
      why: "the oldest thinking is gone",
      change: (body) => ({ messages: withContent(body.messages, 1, withoutThinking) }),
      kept: 2,
    },
    {
      why: "all thinking is gone",
      change: (body) => ({
        messages: [1, 3, 5].reduce(
          (messages, at) => withContent(messages, at, withoutThinking),
          body.messages,
        ),
      }),
      kept: 0,
    },
    {
      why: "a tool that is loaded later",
      change: () => ({
        tools: [...tools, { name: "grep", input_schema: { type: "object" }, defer_loading: true }],
      }),
      kept: 3,
    },
  ])("stays valid where only this changes: $why", async ({ change, kept }) => {
    await withProvider({ script }, async (connected) => {
      const { body } = await converse(connected);
      await connected.anthropic.beta.messages.create({ ...body, ...change(body) });
      expect(connected.provider.violations).toEqual([]);
      expect(connected.provider.requests.at(-1)?.reasoning).toEqual({ keptCount: kept, droppedCount: 0 });
    });
  });

  const START =
    'Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block". That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header.';
  const edits: readonly {
    why: string;
    change: (body: Conversation["body"]) => Partial<Conversation["body"]>;
    says: string;
    dropped: readonly string[];
  }[] = [
    {
      why: "the system prompt",
      change: () => ({ system: "You help. It is noon." }),
      says: `messages.1.content.0: ${START} The \`system\` prompt differs from the one this block was created with.`,
      dropped: ["messages.1.content.0", "messages.3.content.0", "messages.5.content.0"],
    },
    {
      why: "the tools",
      change: () => ({ tools: [...tools, { name: "grep", input_schema: { type: "object" } }] }),
      says: `messages.1.content.0: ${START} The \`tools\` list differs from the one this block was created with.`,
      dropped: ["messages.1.content.0", "messages.3.content.0", "messages.5.content.0"],
    },
    {
      why: "a result that was cleared",
      change: (body) => ({ messages: withContent(body.messages, 2, shorter) }),
      says: `messages.3.content.0: ${START}`,
      dropped: ["messages.3.content.0", "messages.5.content.0"],
    },
    {
      why: "the first turn left out",
      change: (body) => ({ messages: body.messages.slice(4) }),
      says: `messages.1.content.0: ${START} Content that preceded this block when it was created is missing from this request.`,
      dropped: ["messages.1.content.0"],
    },
    {
      why: "thinking left out in the middle",
      change: (body) => ({ messages: withContent(body.messages, 3, withoutThinking) }),
      says: `messages.5.content.0: ${START} The \`thinking\` block that preceded this one when it was created is missing from this request.`,
      dropped: ["messages.5.content.0"],
    },
  ];

  it.each(edits)("is refused after an edit of $why", async ({ change, says }) => {
    await withProvider({ script }, async (connected) => {
      const { body } = await converse(connected);
      const error = await rejectionOf(connected.anthropic.beta.messages.create({ ...body, ...change(body) }));
      expect(error).toMatchObject({ status: 400, error: { error: { message: says } } });
      expect(connected.provider.violations.map(({ rule }) => rule)).toEqual(["thinking-binding"]);
    });
  });

  it.each(edits)("is dropped, and told of, where the request asks for that after an edit of $why", async ({
    change,
    dropped,
  }) => {
    await withProvider({ script }, async (connected) => {
      const { body } = await converse(connected);
      const edited = { ...body, ...change(body), thinking: drop, betas: [BETA] };
      const message = await connected.anthropic.beta.messages.create(edited);
      expect(message.input_transformations).toEqual(
        dropped.map((path) => ({ type: "thinking_dropped", path, reason: "prefix_binding_mismatch" })),
      );
      const stream = connected.anthropic.beta.messages.stream(edited);
      const first = await stream[Symbol.asyncIterator]().next();
      expect(first.value).toMatchObject({
        type: "message_start",
        message: { input_transformations: dropped.map((path) => ({ path })) },
      });
      await stream.finalMessage();
      expect(connected.provider.requests.at(-1)?.reasoning.droppedCount).toBe(dropped.length);
    });
  });

  it("that was made after an edit is valid from then on", async () => {
    await withProvider({ script: [...script, [think("four"), say("New.")]] }, async (connected) => {
      const { body } = await converse(connected);
      const edited = { ...body, system: "Another.", thinking: drop, betas: [BETA] };
      const message = await connected.anthropic.beta.messages.create(edited);
      const after = await connected.anthropic.beta.messages.create({
        ...edited,
        messages: [
          ...body.messages,
          { role: "assistant", content: message.content as Blocks },
          { role: "user", content: "More." },
        ],
      });
      expect(after.input_transformations?.map(({ path }) => path)).toEqual([
        "messages.1.content.0",
        "messages.3.content.0",
        "messages.5.content.0",
      ]);
      expect(connected.provider.requests.at(-1)?.reasoning).toEqual({ keptCount: 1, droppedCount: 3 });
    });
  });

  it("and was changed is refused whatever is asked for", async () => {
    await withProvider({ script }, async (connected) => {
      const { body } = await converse(connected);
      const forged = withContent(body.messages, 1, (blocks) =>
        blocks.map((block) => (block.type === "thinking" ? { ...block, thinking: "other" } : block)),
      );
      const error = await rejectionOf(
        connected.anthropic.beta.messages.create({
          ...body,
          messages: forged,
          thinking: drop,
          betas: [BETA],
        }),
      );
      expect(error).toMatchObject({
        error: { error: { message: "messages.1.content.0: Invalid `signature` in `thinking` block" } },
      });
    });
  });

  it("of another model is dropped silently, and read again by the one that made it", async () => {
    await withProvider({ script }, async (connected) => {
      const { body } = await converse(connected);
      await connected.anthropic.beta.messages.create({ ...body, model: "claude-sonnet-5-5" });
      await connected.anthropic.beta.messages.create(body);
      expect(connected.provider.requests.slice(-2).map(({ reasoning }) => reasoning)).toEqual([
        { keptCount: 0, droppedCount: 3 },
        { keptCount: 3, droppedCount: 0 },
      ]);
    });
  });

  it("is not bound with a model that does not bind it, or where the provider is told so", async () => {
    for (const options of [{ model: "claude-opus-4-8" }, { model: MODEL, bindsThinking: false }])
      await withProvider({ script, ...options }, async (connected) => {
        const { anthropic } = connected;
        const { body } = await converse({
          ...connected,
          anthropic: {
            beta: {
              messages: {
                create: (asked: Conversation["body"]) =>
                  anthropic.beta.messages.create({ ...asked, model: options.model }),
              },
            },
          } as unknown as Anthropic,
        });
        await anthropic.beta.messages.create({ ...body, model: options.model, system: "Another." });
        expect(connected.provider.requests.at(-1)?.reasoning).toEqual({ keptCount: 3, droppedCount: 0 });
      });
  });

  it("is checked by the counting endpoint as well", async () => {
    await withProvider({ script }, async (connected) => {
      const { body } = await converse(connected);
      const { max_tokens: _, stream: _stream, ...counted } = body;
      const error = await rejectionOf(
        connected.anthropic.messages.countTokens({
          ...counted,
          system: "Another.",
        } as Anthropic.MessageCountTokensParams),
      );
      expect(error.message).toContain("The block is bound to a different conversation.");
    });
  });

  it("of another provider is refused, or taken where that is allowed", async () => {
    const messages: Messages = [
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "ErUBCkYIBRgCIkAxNz" },
          { type: "text", text: "Hello." },
        ],
      },
      { role: "user", content: "hi" },
    ];
    const body = { model: MODEL, max_tokens: 100, messages };
    await withProvider({}, async ({ anthropic }) => {
      const error = await rejectionOf(anthropic.beta.messages.create(body));
      expect(error.message).toContain("messages.1.content.0: Invalid `signature` in `thinking` block");
    });
    await withProvider({ acceptsForeignReasoning: true }, async ({ anthropic, provider }) => {
      await anthropic.beta.messages.create(body);
      expect(provider.requests[0]?.reasoning).toEqual({ keptCount: 1, droppedCount: 0 });
    });
  });

  it("is read by a provider that was started anew", async () => {
    let kept: Conversation["body"] | undefined;
    await withProvider({ script }, async (connected) => {
      kept = (await converse(connected)).body;
    });
    await withProvider({}, async ({ anthropic, provider }) => {
      await anthropic.beta.messages.create(kept!);
      expect(provider.requests[0]?.reasoning).toEqual({ keptCount: 3, droppedCount: 0 });
    });
    await withProvider({ key: "another" }, async ({ anthropic }) => {
      expect((await rejectionOf(anthropic.beta.messages.create(kept!))).message).toContain(
        "Invalid `signature`",
      );
    });
  });
});
