/** The middleware for LangChain's agents, with a loop that does what `createAgent` does to the list of messages. */
import { describe, expect, it } from "vitest";
import { langchainModel } from "#integrations/langchain/langchain-model.ts";
import { type LangChainMiddleware, palimpsestMiddleware } from "#integrations/langchain/middleware.ts";
import type { LangChainMessage } from "#wire/langchain/langchain-fields.ts";
import { type Stage, setTheStage, wordsOf } from "../../agent/stage.ts";

class Human {
  readonly type = "human";
  readonly content: unknown;
  id: string | undefined;
  constructor(fields: { readonly content: unknown; readonly id?: string }) {
    this.content = fields.content;
    this.id = fields.id;
  }
}

class Ai {
  readonly type = "ai";
  readonly content: unknown;
  readonly tool_calls: readonly object[];
  readonly usage_metadata: object | undefined;
  readonly response_metadata: object = { stop_reason: "end_turn", model_name: "claude-sonnet-4-5" };
  id: string | undefined;
  name: string | undefined;
  constructor(fields: {
    readonly content: unknown;
    readonly tool_calls?: readonly object[];
    readonly tokens?: number;
  }) {
    this.content = fields.content;
    this.tool_calls = fields.tool_calls ?? [];
    this.usage_metadata =
      fields.tokens === undefined
        ? undefined
        : {
            input_tokens: fields.tokens,
            output_tokens: 5,
            input_token_details: { cache_read: 100, cache_creation: 20 },
          };
  }
}

class Tool {
  readonly type = "tool";
  readonly content: unknown;
  readonly tool_call_id: string;
  constructor(fields: { readonly content: unknown; readonly tool_call_id: string }) {
    this.content = fields.content;
    this.tool_call_id = fields.tool_call_id;
  }
}

const model = { model: "claude-sonnet-4-5" };
const systemMessage = { content: [{ type: "text", text: "Be brief." }] };
const readTool = { name: "read", description: "Reads.", schema: { type: "object" } };

type Handler = Parameters<LangChainMiddleware["wrapModelCall"]>[1];

/** Asks once, and leaves the answer in the list with an id and a name, as the graph does. */
async function ask(
  middleware: LangChainMiddleware,
  messages: LangChainMessage[],
  answer: (request: {
    readonly messages: readonly LangChainMessage[];
    readonly tools?: readonly unknown[];
  }) => object,
): Promise<object> {
  const request = { model, messages, systemMessage, tools: [readTool] };
  const answered = (await middleware.wrapModelCall(request, answer as Handler)) as Ai;
  answered.name = "model";
  answered.id = `run-${messages.length}`;
  messages.push(answered as LangChainMessage);
  return answered;
}

const hostEdits = ({ events }: Stage) => events.filter(({ type }) => type === "host-edit").length;

describe("the middleware for LangChain", () => {
  it("sends the agent's own messages as long as all fit, and records each once", async () => {
    const stage = await setTheStage();
    const middleware = palimpsestMiddleware(stage.session);
    const messages: LangChainMessage[] = [new Human({ content: "List the files", id: "1" })];
    let seen: readonly LangChainMessage[] = [];
    const call = { name: "read", args: {}, id: "c1", type: "tool_call" };
    await ask(middleware, messages, (request) => {
      seen = request.messages;
      return new Ai({ content: "", tool_calls: [call], tokens: 400 });
    });
    expect(seen).toEqual(messages.slice(0, 1));
    expect(seen[0]).toBe(messages[0]);
    expect(stage.session.tokens.source).toBe("anchored");

    messages.push(new Tool({ content: "a.txt", tool_call_id: "c1" }));
    await ask(middleware, messages, (request) => {
      seen = request.messages;
      return new Ai({ content: "One file.", tokens: 500 });
    });
    expect(seen.map((message, index) => message === messages[index])).toEqual([true, true, true]);
    expect(stage.session.visible.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(hostEdits(stage)).toBe(0);
  });

  it("recognises messages that came with new ids and as new objects", async () => {
    const stage = await setTheStage();
    const list = (id: string): LangChainMessage[] => [new Human({ content: "Hello", id })];
    const first = list("1");
    await ask(palimpsestMiddleware(stage.session), first, () => new Ai({ content: "Hi." }));
    const again = [
      ...list("2"),
      new Ai({ content: "Hi." }),
      new Human({ content: "Bye" }),
    ] as LangChainMessage[];
    await ask(palimpsestMiddleware(stage.session), again, () => new Ai({ content: "Bye." }));
    expect(stage.session.visible).toHaveLength(4);
    expect(hostEdits(stage)).toBe(0);
  });

  it("leaves an answer out that says nothing, because providers refuse it", async () => {
    const stage = await setTheStage();
    const middleware = palimpsestMiddleware(stage.session);
    const messages: LangChainMessage[] = [new Human({ content: "One" })];
    await ask(middleware, messages, () => new Ai({ content: "" }));
    messages.push(new Human({ content: "Two" }));
    let seen: readonly LangChainMessage[] = [];
    await ask(middleware, messages, (request) => {
      seen = request.messages;
      return new Ai({ content: "2" });
    });
    expect(seen.map(({ type }) => type)).toEqual(["human"]);
    expect(JSON.stringify(seen)).toMatch(/One.*Two/);
    expect(hostEdits(stage)).toBe(0);
  });

  it("keeps a long conversation within its window, and makes changed messages of the agent's own classes", async () => {
    const stage = await setTheStage({ window: { windowTokens: 16_000 } });
    const middleware = palimpsestMiddleware(stage.session);
    const messages: LangChainMessage[] = [];
    let seen: readonly LangChainMessage[] = [];
    for (let turn = 0; turn < 12; turn++) {
      messages.push(new Human({ content: `${turn} ${wordsOf(1_500)}` }));
      await ask(middleware, messages, (request) => {
        seen = request.messages;
        return new Ai({ content: `Answer ${turn}` });
      });
    }
    expect(stage.session.tokens.total).toBeLessThan(16_000);
    expect(messages).toHaveLength(24);
    expect(seen.length).toBeLessThan(20);
    expect(seen.every((message) => message instanceof Human || message instanceof Ai)).toBe(true);
    expect(seen.some((message) => !messages.includes(message))).toBe(true);
    expect(hostEdits(stage)).toBe(0);
  });

  it("hides what the agent's list no longer has", async () => {
    const stage = await setTheStage();
    const middleware = palimpsestMiddleware(stage.session);
    const messages: LangChainMessage[] = [new Human({ content: "One" })];
    await ask(middleware, messages, () => new Ai({ content: "1" }));
    messages.push(new Human({ content: "Two" }));
    await ask(middleware, messages, () => new Ai({ content: "2" }));
    const shorter = [...messages.slice(0, 2), new Human({ content: "Three" })];
    let seen: readonly LangChainMessage[] = [];
    await ask(middleware, shorter, (request) => {
      seen = request.messages;
      return new Ai({ content: "3" });
    });
    expect(seen.map(({ content }) => content)).toEqual(["One", "1", "Three"]);
    expect(hostEdits(stage)).toBe(1);
  });

  it("makes a prompt smaller that was refused, once, and sends it again", async () => {
    const stage = await setTheStage({ window: { windowTokens: 200_000 } });
    const middleware = palimpsestMiddleware(stage.session);
    const messages: LangChainMessage[] = [];
    for (const turn of [1, 2, 3]) {
      messages.push(new Human({ content: `${turn} ${wordsOf(3_000)}` }));
      await ask(middleware, messages, () => new Ai({ content: String(turn) }));
    }
    messages.push(new Human({ content: "Go on" }));
    const refusal = Object.assign(new Error("prompt is too long: 9500 tokens > 8000 maximum"), {
      status: 400,
    });
    const sizes: number[] = [];
    await ask(middleware, messages, (request) => {
      sizes.push(JSON.stringify(request.messages).length);
      if (sizes.length === 1) throw refusal;
      return new Ai({ content: "Done" });
    });
    expect(sizes).toHaveLength(2);
    expect(sizes[1]).toBeLessThan(sizes[0]! / 2);
  });

  it("throws the error of a model that it cannot help as it is", async () => {
    const { session } = await setTheStage();
    const error = Object.assign(new Error("invalid x-api-key"), { status: 401 });
    const asked = ask(palimpsestMiddleware(session), [new Human({ content: "Hello" })], () => {
      throw error;
    });
    await expect(asked).rejects.toBe(error);
  });

  it("offers the history tools in a form that every model takes, and answers them", async () => {
    const { session } = await setTheStage();
    const middleware = palimpsestMiddleware(session);
    const messages: LangChainMessage[] = [new Human({ content: "The door is teal." })];
    let names: readonly unknown[] = [];
    await ask(middleware, messages, ({ tools = [] }) => {
      names = tools.map((tool) => (tool as { function?: { name: string } }).function?.name);
      return new Ai({ content: "Noted." });
    });
    expect(names).toEqual([undefined, "history_search", "history_read", "history_pin"]);
    expect(session.lastRequest?.tools).toContainEqual({
      name: "read",
      description: "Reads.",
      input_schema: { type: "object" },
    });
    const answer = await middleware.wrapToolCall?.(
      { toolCall: { name: "history_search", args: { query: "teal" } }, tool: undefined },
      async ({ tool }) => (tool as unknown as { invoke: () => Promise<string> }).invoke(),
    );
    expect(answer).toContain("The door is teal.");
    const own = { toolCall: { name: "history_search", args: {} }, tool: readTool };
    expect(await middleware.wrapToolCall?.(own, ({ tool }) => tool)).toBe(readTool);
  });

  it("leaves tools alone that an agent has of the same name, or does without", async () => {
    const { session } = await setTheStage();
    const offered = async (middleware: LangChainMiddleware, tools: readonly unknown[]) => {
      let seen: readonly unknown[] = [];
      await middleware.wrapModelCall(
        { model, messages: [new Human({ content: "Hi" })], tools },
        (request) => {
          seen = request.tools ?? [];
          return new Ai({ content: "Hi" });
        },
      );
      return seen;
    };
    const own = { ...readTool, name: "history_read" };
    expect(await offered(palimpsestMiddleware(session), [own])).toHaveLength(3);
    expect(await offered(palimpsestMiddleware(session, { historyTools: false }), [own])).toEqual([own]);
    expect(palimpsestMiddleware(session, { historyTools: false }).wrapToolCall).toBeUndefined();
  });

  it("finds the session of a thread", async () => {
    const { session } = await setTheStage();
    const threads: unknown[] = [];
    const middleware = palimpsestMiddleware(({ configurable }) => {
      threads.push(configurable?.thread_id);
      return session;
    });
    await middleware.wrapModelCall(
      { model, messages: [new Human({ content: "Hi" })], runtime: { configurable: { thread_id: "t-1" } } },
      () => new Ai({ content: "Hi" }),
    );
    expect(threads).toEqual(["t-1"]);
  });

  it("keeps a system prompt among the messages where it is", async () => {
    const { session } = await setTheStage();
    const head = { type: "system", content: "Speak French." };
    const messages: LangChainMessage[] = [head, new Human({ content: "Hi" })];
    let seen: readonly LangChainMessage[] = [];
    await ask(palimpsestMiddleware(session), messages, (request) => {
      seen = request.messages;
      return new Ai({ content: "Salut" });
    });
    expect(seen[0]).toBe(head);
    expect(session.lastRequest?.system).toBe("Be brief.\n\nSpeak French.");
    expect(session.visible.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  it("records the model's answer of a structured one, and its usage without what the cache gave twice", async () => {
    const stage = await setTheStage();
    const answer = new Ai({ content: '{"a":1}', tokens: 400 });
    await palimpsestMiddleware(stage.session).wrapModelCall(
      { model, messages: [new Human({ content: "Hi" })] },
      () => ({
        structuredResponse: { a: 1 },
        messages: [answer, new Tool({ content: "", tool_call_id: "c" })],
      }),
    );
    expect(stage.session.visible).toHaveLength(2);
    const [recorded] = stage.events.filter(({ type }) => type === "answer");
    expect(recorded).toMatchObject({
      stopReason: "end_turn",
      usage: { inputTokens: 280, cacheReadTokens: 100, cacheWriteTokens: 20, outputTokens: 5 },
    });
  });
});

describe("a chat model of LangChain as a session's model", () => {
  it("gets plain messages and tools, and answers with its usage", async () => {
    const asked: unknown[] = [];
    const invoke = async (messages: unknown) => {
      asked.push(messages);
      return new Ai({ content: "Done.", tokens: 400 }) as LangChainMessage;
    };
    const bindTools = (tools: unknown[]) => {
      asked.push(tools);
      return { invoke };
    };
    const client = langchainModel({ ...model, invoke, bindTools });
    const tool = client.formatTool?.({
      name: "read",
      description: "Reads.",
      inputSchema: { type: "object" },
    });
    const messages = [{ role: "user", content: [{ type: "text", text: "Hello" }] }] as const;
    const answer = await client.generate({
      model: model.model,
      system: "Be brief.",
      messages,
      tools: [tool],
    });
    expect(client.model).toBe("claude-sonnet-4-5");
    expect(answer).toMatchObject({
      messages: [{ role: "assistant", content: [{ type: "text", text: "Done." }] }],
      stopReason: "end",
      usage: { inputTokens: 280, outputTokens: 5 },
    });
    await client.generate({ model: model.model, messages });
    expect(asked).toEqual([
      [
        {
          type: "function",
          function: { name: "read", description: "Reads.", parameters: { type: "object" } },
        },
      ],
      [
        { role: "system", content: "Be brief." },
        { role: "human", content: "Hello" },
      ],
      [{ role: "human", content: "Hello" }],
    ]);
  });
});
