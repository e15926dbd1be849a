/** A client of the OpenAI SDK with a session's window, over HTTP. */
import OpenAI from "openai";
import {
  callTool,
  type Script,
  type ScriptedProvider,
  type ScriptStep,
  say,
  scriptedProvider,
  think,
} from "palimpsest-testing";
import { afterEach, describe, expect, it } from "vitest";
import type { AgentSession } from "#agent/agent-session.ts";
import { createPalimpsest } from "#host/create-palimpsest.ts";
import {
  openaiHistoryTools,
  responsesHistoryTools,
  withOpenAIWindow,
} from "#integrations/openai/with-openai.ts";
import { openaiChatModel } from "#models/openai/chat-model.ts";
import { openaiResponsesModel } from "#models/openai/responses-model.ts";
import type { Deadline } from "#ports/runtime.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { systemDeadline } from "#stores/platform/node-ports.ts";
import { blockText } from "#transcript/blocks.ts";
import { GOOD_SUMMARY, isSummaryRequest } from "../../../../../test/helpers/recorded-agent.ts";

type ChatList = OpenAI.ChatCompletionMessageParam[];
type Items = OpenAI.Responses.ResponseInputItem[];

const CHAT = { model: "gpt-4.1", max_completion_tokens: 500 };
const RESPONSES = { model: "gpt-5.6-sol", max_output_tokens: 500 };

let provider: ScriptedProvider;
let plain: OpenAI;
let session: AgentSession;
afterEach(async () => {
  await session.close();
  await provider.close();
});

/** A managed client over a provider that answers by the script. */
async function open(script: Script, windowTokens = 10_000): Promise<OpenAI> {
  provider = await scriptedProvider({ script, windowTokens });
  plain = new OpenAI({ apiKey: "key", baseURL: provider.openAiUrl, maxRetries: 0 });
  const palimpsest = createPalimpsest({
    model: openaiChatModel(plain, { model: CHAT.model }),
    store: new InMemorySessionStore(),
    window: { windowTokens },
    notes: "off",
  });
  session = await palimpsest.session("s");
  return withOpenAIWindow(plain, session);
}

/** The requests for an answer; the session also counts. */
const asked = () => provider.requests.filter(({ purpose }) => purpose === "answer");
const body = () => asked().at(-1)?.body as { readonly messages: ChatList; readonly input: Items };
const user = (content: string) => ({ role: "user" as const, content });
const shown = (): string[] =>
  session.visible.map(
    ({ role, blocks }) => `${role}: ${blocks.map(({ block }) => blockText(block)).join("|")}`,
  );
const question = (turn: number) => user(`Question ${turn}: ${`night ${turn} `.repeat(300)}`);

describe("Chat Completions", () => {
  it("sends the window of the host's whole list, with its instructions, and records answers", async () => {
    const client = await open((request) => (isSummaryRequest(request) ? GOOD_SUMMARY : undefined));
    expect(client).toBeInstanceOf(OpenAI);
    const head: ChatList = [
      { role: "developer", content: [{ type: "text", text: "Be brief." }] },
      { role: "system", content: "Be kind." },
    ];
    const messages: ChatList = [...head];
    for (let turn = 1; turn <= 16; turn++) {
      messages.push(question(turn));
      const { choices } = await client.chat.completions.create({ ...CHAT, messages });
      messages.push(choices[0]!.message);
    }
    expect(provider.violations).toEqual([]);
    expect(provider.overflows).toEqual([]);
    expect(body().messages.slice(0, 2)).toEqual(head);
    expect(body().messages.length).toBeLessThan(25);
    expect(await session.history.search('"Question 2:"')).not.toEqual([]);
    expect(session.tokens.source).toBe("reported");
    await plain.chat.completions.create({ ...CHAT, messages: [user("Unmanaged?")] });
    expect(body().messages).toEqual([user("Unmanaged?")]);
  });

  it("runs the SDK's own tool runner, also streamed", async () => {
    const pages = 14;
    const client = await open((request) => {
      if (isSummaryRequest(request)) return GOOD_SUMMARY;
      const count = asked().length;
      return count % pages === 0 ? say("Done.") : [callTool("look", { page: count })];
    });
    const look = {
      type: "function" as const,
      function: {
        name: "look",
        description: "Reads a page.",
        parameters: { type: "object" },
        function: ({ page }: { readonly page: number }) => `Page ${page}: ${"text ".repeat(900)}`,
        parse: (text: string) => JSON.parse(text) as { readonly page: number },
      },
    };
    const tools = [look, ...openaiHistoryTools(session)];
    const most = { maxChatCompletions: pages };
    const first = client.chat.completions.runTools({ ...CHAT, messages: [user("Read.")], tools }, most);
    expect(await first.finalContent()).toBe("Done.");
    const messages = [...(first.messages as ChatList), user("Read again.")];
    const second = client.chat.completions.runTools({ ...CHAT, messages, tools, stream: true }, most);
    expect(await second.finalContent()).toBe("Done.");
    expect(second.messages.length).toBeGreaterThan(50);
    expect(body().messages.length).toBeLessThan(35);
    expect(provider.violations).toEqual([]);
    expect(provider.overflows).toEqual([]);
    const [search] = openaiHistoryTools(session);
    expect(await search?.function.function({ query: '"Page 2:"' })).toContain("Page 2: text");
    expect(search?.function.parse("no JSON")).toEqual({});
  });

  it("takes an answer back as it was recorded, whatever fields the SDK or the host leave out", async () => {
    const client = await open([[say("One."), callTool("look", { at: 1 }, "call_1")], "Two.", "Three."]);
    const list: ChatList = [user("1")];
    const stream = client.chat.completions.stream({ ...CHAT, messages: list });
    const { choices } = await stream.finalChatCompletion();
    list.push(choices[0]!.message, { role: "tool", tool_call_id: "call_1", content: "seen" });
    await client.chat.completions.create({ ...CHAT, messages: list });
    list.push({ role: "assistant", content: [{ type: "text", text: "Two." }] }, user("2"));
    await client.chat.completions.create({ ...CHAT, messages: list });
    expect(shown().map((text) => text.split("|")[0])).toEqual([
      "user: 1",
      "assistant: One.",
      "user: seen",
      "assistant: Two.",
      "user: 2",
      "assistant: Three.",
    ]);
    expect(session.visible.map(({ seq }) => seq)).toEqual(
      [...session.visible.map(({ seq }) => seq)].sort((a, b) => a - b),
    );
    expect(await session.history.search("One")).toHaveLength(1);
  });

  it("leaves a valid history where a stream breaks, and recovers once from a prompt that is too long", async () => {
    const script: Script = [
      { fault: "cut", afterEvents: 6, answer: { parts: [say("Half of it. ".repeat(30))] } },
      "Whole.",
      { fault: "prompt-too-long", windowTokens: 6_000 },
      "Small.",
      { fault: "bad-request", message: "no" },
    ];
    const client = await open(script, 16_000);
    const messages: ChatList = [user("Go.")];
    await expect(client.chat.completions.stream({ ...CHAT, messages }).finalContent()).rejects.toThrow();
    const stream = client.chat.completions.stream({ ...CHAT, messages });
    expect(await stream.finalContent()).toBe("Whole.");
    expect(shown()).toEqual(["user: Go.", "assistant: Whole."]);
    messages.push({ role: "assistant", content: "Whole." }, ...[1, 2, 3, 4, 5].map(question));
    const { choices } = await client.chat.completions.create({ ...CHAT, messages });
    expect(choices[0]?.message.content).toBe("Small.");
    const refused = client.chat.completions.create({ ...CHAT, messages });
    await expect(refused).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  });

  it("refuses with the reason, and sends nothing, where nothing makes the request fit", async () => {
    const client = await open([], 4_000);
    const messages: ChatList = [{ role: "system", content: "word ".repeat(6_000) }, user("Hello.")];
    const refused = client.chat.completions.create({ ...CHAT, messages }, { maxRetries: 3 });
    await expect(refused).rejects.toMatchObject({ status: 400, code: "WINDOW_TOO_SMALL" });
    expect(asked()).toEqual([]);
    expect(() => openaiChatModel(client)).toThrow("has a managed window");
    expect(() => openaiResponsesModel(client)).toThrow("has a managed window");
  });
});

describe("Responses", () => {
  it("sends the window of a list of items, reasoning and calls included", async () => {
    const client = await open((request) => {
      if (isSummaryRequest(request)) return GOOD_SUMMARY;
      const count = asked().length;
      return count % 2 === 1 ? [think("Hm."), callTool("history_search", { query: "night" })] : undefined;
    });
    const head: Items = [{ role: "developer", content: "Be brief." }];
    const input: Items = [...head];
    for (let turn = 1; turn <= 16; turn++) {
      input.push(question(turn));
      for (let calls = 1; calls > 0; ) {
        const response = await client.responses.create({
          ...RESPONSES,
          tools: responsesHistoryTools(),
          input,
        });
        input.push(...(response.output as Items));
        const made = response.output.filter((item) => item.type === "function_call");
        for (const { call_id, name, arguments: text } of made)
          input.push({
            type: "function_call_output",
            call_id,
            output: (await session.runTool(name, JSON.parse(text))) ?? "",
          });
        calls = made.length;
      }
    }
    expect(provider.violations).toEqual([]);
    expect(provider.overflows).toEqual([]);
    expect(body().input.slice(0, 1)).toEqual(head);
    expect(body().input.length).toBeLessThan(input.length / 2);
    expect(session.tokens.source).toBe("reported");
  });

  it("goes on from a previous answer, also from an earlier one, and keeps nothing on the server", async () => {
    const client = await open(["One.", "Two.", "Three."]);
    const first = await client.responses.create({ ...RESPONSES, input: "1" });
    const second = { ...RESPONSES, previous_response_id: first.id };
    const stream = await client.responses.create({ ...second, input: "2", stream: true });
    for await (const _ of stream);
    expect(shown()).toEqual(["user: 1", "assistant: One.", "user: 2", "assistant: Two."]);
    expect(body()).not.toHaveProperty("previous_response_id");
    expect(body().input).toHaveLength(3);
    await client.responses.create({ ...second, input: "Or 3?" });
    expect(shown()).toEqual(["user: 1", "assistant: One.", "user: Or 3?", "assistant: Three."]);
    const unknown = client.responses.create({ ...RESPONSES, previous_response_id: "resp_0", input: "4" });
    await expect(unknown).rejects.toThrow("is not in the session's window");
    const kept = client.responses.create({ ...RESPONSES, conversation: "conv_1", input: "4" });
    await expect(kept).rejects.toThrow("keeps no `conversation` on the server");
    const later = client.responses.create({ ...RESPONSES, background: true, input: "4" });
    await expect(later).rejects.toThrow("cannot record an answer of `background: true`");
    expect(asked()).toHaveLength(3);
    // A prompt that the server keeps: nothing is hidden because there is no list.
    await client.responses.create({ ...RESPONSES, prompt: { id: "pmpt_1" } }).catch(() => undefined);
    expect(shown()).toHaveLength(4);
    expect(asked()[3]?.violations).toEqual(provider.violations);
  });

  it("recovers once from a prompt that is too long, also where a stream says so", async () => {
    const steps: ScriptStep[] = [
      { fault: "prompt-too-long", windowTokens: 6_000 },
      "Small.",
      { fault: "overloaded", isMidStream: true },
      { fault: "cut", afterEvents: 1, answer: { parts: [say("Half.")] } },
      "Whole.",
    ];
    const client = await open(
      (request) => (isSummaryRequest(request) ? GOOD_SUMMARY : steps.shift()),
      16_000,
    );
    const input: Items = [1, 2, 3, 4, 5].map(question);
    const ask = async () =>
      (await client.responses.stream({ ...RESPONSES, input }).finalResponse()).output_text;
    expect(await ask()).toBe("Small.");
    expect(provider.violations).toEqual([]);
    expect(shown().at(-1)).toBe("assistant: Small.");
    // What else goes wrong in a stream is the SDK's own error, and asked once.
    await expect(ask()).rejects.toThrow("overloaded");
    await expect(ask()).rejects.toThrow();
    expect(await ask()).toBe("Whole.");
    expect(steps).toEqual([]);
  });

  it("goes back to the answer before the last one, which a compaction by hand has hidden", async () => {
    const client = await open((request) => (isSummaryRequest(request) ? GOOD_SUMMARY : undefined), 16_000);
    const ask = async (turn: number, previous?: string) =>
      client.responses.create({
        ...RESPONSES,
        input: [question(turn)],
        previous_response_id: previous ?? null,
      });
    const first = await ask(1);
    await ask(2, first.id);
    await session.compact();
    expect(session.visible).toHaveLength(1);
    await ask(3, first.id);
    expect(shown().filter((text) => text.startsWith("user: Question"))).toEqual([
      expect.stringContaining("Question 1"),
      expect.stringContaining("Question 3"),
    ]);
  });

  it("goes on from a previous answer that a compaction has hidden: by hand, or by a request that is sent again", async () => {
    const steps: ScriptStep[] = [
      ...["One.", "Two."],
      { fault: "server-error" },
      "Three.",
      { fault: "prompt-too-long", windowTokens: 6_000 },
      { fault: "server-error" },
      "Four.",
    ];
    const client = await open(
      (request) => (isSummaryRequest(request) ? GOOD_SUMMARY : steps.shift()),
      16_000,
    );
    let previous: string | undefined;
    const ask = async (turn: number): Promise<string> => {
      const request = { ...RESPONSES, input: [question(turn)], previous_response_id: previous ?? null };
      const answer = await client.responses.create(request, { maxRetries: 1 });
      previous = answer.id;
      return answer.output_text;
    };
    expect([await ask(1), await ask(2)]).toEqual(["One.", "Two."]);
    await session.compact();
    expect(session.visible).toHaveLength(1);
    expect(await ask(3)).toBe("Three.");
    expect(await ask(4)).toBe("Four.");
    expect(steps).toEqual([]);
    expect(shown().filter((text) => text.startsWith("user: Question"))).toEqual([
      expect.stringContaining("Question 4"),
    ]);
    expect(provider.violations).toEqual([]);
  });
});

it.each([
  { api: "Chat Completions", events: [{ choices: [{ index: 0, delta: { content: "Hi" } }] }] },
  {
    api: "Responses",
    events: [
      { type: "response.created", response: {} },
      { type: "response.output_text.delta", delta: "Hi" },
    ],
  },
])("ends the stream of $api at its source where the host stops reading", async ({ api, events }) => {
  await open([]);
  let ended = 0;
  const sse = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const client = withOpenAIWindow(
    new OpenAI({
      apiKey: "key",
      fetch: async () => {
        const source = new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode(sse)),
          cancel: () => void ended++,
        });
        return new Response(source, { headers: { "content-type": "text/event-stream" } });
      },
    }),
    session,
  );
  const stream =
    api === "Responses"
      ? await client.responses.create({ ...RESPONSES, input: "Hello", stream: true })
      : await client.chat.completions.create({ ...CHAT, messages: [user("Hello")], stream: true });
  for await (const _ of stream) break;
  await expect.poll(() => ended).toBe(1);
});

describe("a stream of Responses whose answer is late", () => {
  const created = new TextEncoder().encode('data: {"type":"response.created","response":{}}\n\n');

  /** A client of a provider that says that it has begun, and nothing more. */
  async function late(began: () => void, deadline: Deadline): Promise<OpenAI> {
    await open([]);
    await session.close();
    const palimpsest = createPalimpsest({
      model: openaiResponsesModel(plain, { model: RESPONSES.model }),
      store: new InMemorySessionStore(),
      deadline,
      notes: "off",
    });
    session = await palimpsest.session("late");
    const fetch: typeof globalThis.fetch = async (_, init) => {
      const source = new ReadableStream({
        start: (controller) => {
          init?.signal?.addEventListener("abort", () => controller.error(init.signal?.reason));
          controller.enqueue(created);
          began();
        },
      });
      return new Response(source, { headers: { "content-type": "text/event-stream" } });
    };
    return withOpenAIWindow(new OpenAI({ apiKey: "key", fetch, maxRetries: 0 }), session);
  }

  it("is passed on before that", async () => {
    let hasBegun = false;
    const deadline: Deadline = {
      after: (_, work) => {
        if (hasBegun) setImmediate(work);
        return () => undefined;
      },
    };
    const client = await late(() => {
      hasBegun = true;
    }, deadline);
    const stream = await client.responses.create({ ...RESPONSES, input: "Hello", stream: true });
    const { value } = await stream[Symbol.asyncIterator]().next();
    expect(value).toMatchObject({ type: "response.created" });
  });

  it("is an error where the host gives up before that, not an empty stream", async () => {
    const abort = new AbortController();
    const client = await late(() => setImmediate(() => abort.abort()), systemDeadline);
    const asked = client.responses.create(
      { ...RESPONSES, input: "Hello", stream: true },
      { signal: abort.signal },
    );
    await expect(asked).rejects.toThrow("aborted");
  });
});
