/** A client of the Anthropic SDK with a session's window, over HTTP. */
import Anthropic from "@anthropic-ai/sdk";
import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import {
  callTool,
  type Script,
  type ScriptedProvider,
  say,
  scriptedProvider,
  think,
} from "palimpsest-testing";
import { afterEach, describe, expect, it } from "vitest";
import type { AgentSession } from "#agent/agent-session.ts";
import { createMemory } from "#host/create-memory.ts";
import { createPalimpsest } from "#host/create-palimpsest.ts";
import { anthropicHistoryTools, withAnthropicWindow } from "#integrations/anthropic/with-anthropic.ts";
import { anthropicModel } from "#models/anthropic/anthropic-model.ts";
import { inMemoryMemoryStore } from "#stores/in-memory/in-memory-memory-store.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { blockText } from "#transcript/blocks.ts";
import { GOOD_SUMMARY, isSummaryRequest } from "../../../../../test/helpers/recorded-agent.ts";

type Messages = Anthropic.MessageParam[];

const MODEL = "claude-opus-4-6";
const FEW = { model: MODEL, max_tokens: 500 };

let provider: ScriptedProvider;
let plain: Anthropic;
let session: AgentSession;
afterEach(async () => {
  await session.close();
  await provider.close();
});

/** A managed client over a provider that answers by the script. */
async function open(script: Script, windowTokens = 10_000): Promise<Anthropic> {
  provider = await scriptedProvider({ script, windowTokens });
  plain = new Anthropic({ apiKey: "key", baseURL: provider.url, maxRetries: 0 });
  const palimpsest = createPalimpsest({
    model: anthropicModel(plain, { model: MODEL }),
    store: new InMemorySessionStore(),
    window: { windowTokens },
    notes: "off",
  });
  session = await palimpsest.session("s");
  return withAnthropicWindow(plain, session);
}

/** The requests for an answer; the session also asks for limits and counts. */
const asked = () => provider.requests.filter(({ purpose }) => purpose === "answer");
const sent = (): Messages => (asked().at(-1)?.body as { messages: Messages }).messages;
const user = (content: string): Anthropic.MessageParam => ({ role: "user", content });
const shown = (): string[] =>
  session.visible.map(
    ({ role, blocks }) => `${role}: ${blocks.map(({ block }) => blockText(block)).join("|")}`,
  );

/** Asks question after question with the whole list, as hosts do; resolves with the list. */
async function ask(client: Anthropic, turns: number): Promise<Messages> {
  const messages: Messages = [];
  for (let turn = 1; turn <= turns; turn++) {
    messages.push(user(`Question ${turn}: ${`night ${turn} `.repeat(300)}`));
    const { content } = await client.messages.create({ ...FEW, messages });
    messages.push({ role: "assistant", content });
  }
  return messages;
}

describe("create", () => {
  it("sends the window of the host's whole list, and records answers with their usage", async () => {
    const client = await open((request) => (isSummaryRequest(request) ? GOOD_SUMMARY : undefined));
    expect(client).toBeInstanceOf(Anthropic);
    const messages = await ask(client, 16);
    expect(messages).toHaveLength(32);
    expect(provider.violations).toEqual([]);
    expect(provider.overflows).toEqual([]);
    expect(sent().length).toBeLessThan(28);
    const [hit] = await session.history.search('"Question 2:"');
    expect(hit?.snippet).toContain("Question 2:");
    expect(session.tokens.source).toBe("reported");
    // Nothing of the list was ever taken out by the host.
    expect(shown().at(-1)).toContain("assistant: ");
    expect(sent().at(-1)).toMatchObject({ role: "user" });
    // The client that it was made of is as it was.
    await plain.messages.create({ ...FEW, messages: [user("Unmanaged?")] });
    expect(sent()).toEqual([user("Unmanaged?")]);
  });

  it("keeps system prompt, tools and parameters as the host wrote them, and adds cache marks", async () => {
    const client = await open(["Fine."]);
    const tools = [{ name: "look", input_schema: { type: "object" as const } }];
    const system = [
      { type: "text" as const, text: "Be brief." },
      { type: "text" as const, text: "Be kind.", cache_control: { type: "ephemeral" as const } },
    ];
    const words = "Some words. ".repeat(500);
    const messages = [user(words), { role: "assistant" as const, content: words }, user(words)];
    await client.messages.create(
      { ...FEW, system, tools, metadata: { user_id: "u" }, messages: [...messages, ...messages] },
      { headers: { "anthropic-beta": "context-1m-2025-08-07" } },
    );
    const [request] = asked();
    expect(request?.body).toMatchObject({ system, tools, max_tokens: 500, metadata: { user_id: "u" } });
    expect(request?.betas).toEqual(["context-1m-2025-08-07"]);
    expect(JSON.stringify(request?.body).split("cache_control")).toHaveLength(3);
  });

  it("hides what the host took out of its list, and keeps it in the history", async () => {
    const client = await open(["By train?", "By sea."]);
    await client.messages.create({ ...FEW, messages: [user("A trip to Rome.")] });
    await client.messages.create({ ...FEW, messages: [user("A trip to Naples.")] });
    expect(shown()).toEqual(["user: A trip to Naples.", "assistant: By sea."]);
    expect(await session.history.search("Rome")).toHaveLength(1);
  });

  it("takes an answer back as it was recorded, whatever fields the SDK or the host leave out", async () => {
    const client = await open([[think("Hm."), say("One.")], "Two.", "Three."]);
    const first = await client.messages.create({ ...FEW, messages: [user("1")] });
    const list: Messages = [user("1"), { role: "assistant", content: first.content }, user("2")];
    const second = await client.messages.create({ ...FEW, messages: list });
    expect(second.content).toMatchObject([{ text: "Two." }]);
    await client.messages.create({
      ...FEW,
      messages: [...list, { role: "assistant", content: "Two." }, user("3")],
    });
    expect(shown()).toEqual([
      "user: 1",
      "assistant: Hm.|One.",
      "user: 2",
      "assistant: Two.",
      "user: 3",
      "assistant: Three.",
    ]);
    expect(provider.violations).toEqual([]);
  });
});

describe("the tool runner", () => {
  it("runs the SDK's own loop without a thread on the server, also with the history tools", async () => {
    const client = await open((request) => {
      if (isSummaryRequest(request)) return GOOD_SUMMARY;
      const count = asked().length;
      if (count < 16) return [callTool("look", { page: count })];
      return say("Done.");
    });
    const look = {
      ...({ type: "custom", name: "look", input_schema: { type: "object" } } as const),
      run: ({ page }: { readonly page: number }) => `Page ${page}: ${"text ".repeat(900)}`,
      parse: (input: unknown) => input as { readonly page: number },
    };
    const runner = client.beta.messages.toolRunner({
      ...FEW,
      messages: [user("Read all pages.")],
      tools: [look, ...anthropicHistoryTools(session)],
    });
    const last = await runner;
    expect(last.content).toMatchObject([{ type: "text", text: "Done." }]);
    expect(provider.violations).toEqual([]);
    expect(provider.overflows).toEqual([]);
    expect(runner.params.messages.length).toBeGreaterThan(28);
    expect(sent().length).toBeLessThan(28);
    expect(asked().every(({ betas }) => betas.length === 0)).toBe(true);
    const [search] = anthropicHistoryTools(session);
    expect(await search?.run({ query: '"Page 2:"' })).toContain("Page 2: text");
  });

  it("streams, and writes memories with the SDK's memory tool as the model's own word", async () => {
    const file = { command: "create", path: "/memories/tea.md", file_text: "The user drinks tea." };
    const client = await open([[callTool("memory", file)], "Noted."]);
    const memory = createMemory({ store: inMemoryMemoryStore() });
    const runner = client.beta.messages.toolRunner({
      ...FEW,
      stream: true,
      messages: [user("I drink tea.")],
      tools: [betaMemoryTool(memory.tool())],
    });
    for await (const stream of runner) await stream.finalMessage();
    expect(shown()).toHaveLength(4);
    expect((await memory.list()).memories).toMatchObject([{ path: "tea.md", source: "agent" }]);
    expect(provider.violations).toEqual([]);
  });

  it("refuses a thread that has to be on the server", async () => {
    const client = await open([]);
    const thread = client.beta.messages.thread(FEW);
    await expect(thread.send(user("Hello."))).rejects.toThrow("keeps no message thread");
    expect(asked()).toEqual([]);
  });
});

describe("streams", () => {
  it("are recorded when they end", async () => {
    const client = await open([[think("Hm."), say("Streamed."), callTool("look", { at: 1 }, "toolu_1")]]);
    const stream = client.messages.stream({ ...FEW, messages: [user("Go.")] });
    const message = await stream.finalMessage();
    expect(message.content).toMatchObject([{ thinking: "Hm." }, { text: "Streamed." }, { id: "toolu_1" }]);
    expect(shown()[1]).toMatch(/^assistant: Hm\.\|Streamed\.\|/);
    expect(session.tokens.source).toBe("anchored");
  });

  it("leave a valid history where they break, or are not read to their end", async () => {
    const long = say("A long answer. ".repeat(40));
    const client = await open([
      { fault: "cut", afterEvents: 8, answer: { parts: [long, callTool("look")] } },
      { parts: [long] },
      "Whole.",
    ]);
    const messages = [user("Go.")];
    await expect(client.messages.stream({ ...FEW, messages }).finalMessage()).rejects.toThrow();
    for await (const _ of await client.messages.create({ ...FEW, messages, stream: true })) break;
    const { content } = await client.messages.create({ ...FEW, messages });
    expect(content).toMatchObject([{ text: "Whole." }]);
    expect(shown()).toEqual(["user: Go.", "assistant: Whole."]);
    expect(provider.violations).toEqual([]);
  });
});

describe("refusals", () => {
  it.each([false, true])("recovers once from a prompt that is too long; streamed: %s", async (stream) => {
    let isRefused = false;
    const client = await open((request) => {
      if (isSummaryRequest(request)) return GOOD_SUMMARY;
      if (request.lastUserText !== "Now." || isRefused) return undefined;
      isRefused = true;
      return { fault: "prompt-too-long", windowTokens: 5_000 };
    });
    const messages = [...(await ask(client, 5)), user("Now.")];
    const message = stream
      ? await client.messages.stream({ ...FEW, messages }).finalMessage()
      : await client.messages.create({ ...FEW, messages });
    expect(message.stop_reason).toBe("end_turn");
    expect(asked().filter(({ outcome }) => outcome !== "answered")).toHaveLength(1);
    expect(shown().at(-1)).toContain("assistant: ");
  });

  it("leaves the provider's own refusal to the SDK, and its retries", async () => {
    const client = await open([{ fault: "overloaded" }, "Late.", { fault: "bad-request", message: "no" }]);
    const { content } = await client.messages.create(
      { ...FEW, messages: [user("Hello.")] },
      { maxRetries: 1 },
    );
    expect(content).toMatchObject([{ text: "Late." }]);
    const refused = client.messages.create({ ...FEW, messages: [user("Hello.")] });
    await expect(refused).rejects.toBeInstanceOf(Anthropic.BadRequestError);
    expect(asked()).toHaveLength(3);
  });

  it("refuses with the reason, and sends nothing, where nothing makes the request fit", async () => {
    const client = await open([], 4_000);
    const refused = client.messages.create(
      { ...FEW, system: "word ".repeat(6_000), messages: [user("Hello.")] },
      { maxRetries: 3 },
    );
    await expect(refused).rejects.toMatchObject({
      status: 400,
      error: { error: { code: "WINDOW_TOO_SMALL" } },
    });
    expect(asked()).toEqual([]);
  });
});

describe("the session of a request", () => {
  it("is the one that its header names", async () => {
    await open(["One.", "None."]);
    const names: (string | undefined)[] = [];
    const client = withAnthropicWindow(plain, {
      session: (name) => {
        names.push(name);
        return name === "s" ? session : undefined;
      },
    });
    const messages = [user("Hello.")];
    await client.messages.create({ ...FEW, messages }, { headers: { "palimpsest-session": "s" } });
    await client.messages.create({ ...FEW, messages });
    expect(names).toEqual(["s", undefined]);
    expect(shown()).toEqual(["user: Hello.", "assistant: One."]);
  });

  it("has to be given, and asks its model through another client", async () => {
    const client = await open([]);
    expect(() => anthropicModel(client)).toThrow("has a managed window");
    expect(() => withAnthropicWindow(plain, {} as AgentSession)).toThrow("There is no session");
  });
});
