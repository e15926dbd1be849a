/** A session for the runs of the OpenAI Agents SDK, with a loop that does what `run` does to the list of items. */
import { describe, expect, it } from "vitest";
import { createPalimpsest } from "#host/create-palimpsest.ts";
import { agentsSession, type OpenAIAgentsSession } from "#integrations/openai-agents/agents-session.ts";
import type { SessionEvent } from "#session/events/events.ts";
import { type Stage, setTheStage, wordsOf } from "../../agent/stage.ts";

type Item = Readonly<Record<string, unknown>>;
interface Request {
  readonly input: string | readonly Item[];
  readonly systemInstructions?: string;
  readonly tools?: readonly object[];
  readonly handoffs?: readonly object[];
  readonly previousResponseId?: string;
}
interface Response {
  readonly output: readonly Item[];
  readonly usage: object;
}

const user = (content: string): Item => ({ role: "user", content });
const reply = (text: string): Item => ({
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text }],
});
const call = (callId: string): Item => ({
  type: "function_call",
  id: `fc_${callId}`,
  callId,
  name: "read",
  arguments: '{"path":"a"}',
  status: "completed",
});
const result = (callId: string, output = "text"): Item => ({
  type: "function_call_result",
  callId,
  name: "read",
  status: "completed",
  output,
});
const usage = { inputTokens: 400, outputTokens: 5, inputTokensDetails: [{ cached_tokens: 100 }] };
const readTool = {
  type: "function",
  name: "read",
  description: "Reads.",
  parameters: { type: "object" },
  strict: true,
};

/** A model of the SDK: with private fields, as its models have them. */
class AgentsModel {
  readonly #answer: (request: Request) => readonly Item[];
  readonly requests: Request[] = [];

  constructor(answer: (request: Request) => readonly Item[]) {
    this.#answer = answer;
  }

  async getResponse(request: Request): Promise<Response> {
    this.requests.push(request);
    // As large as it is for a provider.
    const inputTokens = Math.max(400, Math.round(JSON.stringify(request.input).length / 4.6));
    return { output: this.#answer(request), usage: { ...usage, inputTokens } };
  }

  async *getStreamedResponse(request: Request): AsyncGenerator<object> {
    this.requests.push(request);
    const output = this.#answer(request);
    yield { type: "response_started" };
    yield { type: "response_done", response: { id: "r", output, usage } };
  }

  getRetryAdvice(): number {
    return this.requests.length;
  }
}

const answers = ({ events }: Stage) => events.filter(({ type }) => type === "answer");
const hostEdits = ({ events }: Stage) => events.filter(({ type }) => type === "host-edit");

/** One run: history and input, calls until there are no tool calls, and its items are stored at its end. */
async function run(
  session: OpenAIAgentsSession<Item>,
  { model, text, isFiltered = false }: { model: AgentsModel; text: string; isFiltered?: boolean },
): Promise<void> {
  const history = await session.getItems();
  const fresh = [user(text)];
  const listeners = new Set<(context: object) => void>();
  const on = (event: string, listener: (context: object) => void): unknown =>
    event === "agent_tool_start" && listeners.add(listener);
  const agent = { tools: [readTool], on };
  for (;;) {
    const modelData = { input: [...history, ...fresh], instructions: "Be brief." };
    const { input } = isFiltered ? await session.callModelInputFilter({ modelData, agent }) : modelData;
    const asked = { input: structuredClone(input), systemInstructions: "Be brief.", tools: [readTool] };
    const answer = await model.getResponse(asked);
    const { output } = answer;
    for (const listener of listeners) listener({ usage: { requestUsageEntries: [answer.usage] } });
    fresh.push(...structuredClone(output));
    const calls = output.filter(({ type }) => type === "function_call");
    if (calls.length === 0) break;
    fresh.push(...calls.map(({ callId }) => result(String(callId), wordsOf(700))));
  }
  // It stores calls without the ids that they came with.
  const stored = fresh.map(({ id, ...item }) =>
    item["type"] === "function_call" ? item : { ...item, ...(id === undefined ? {} : { id }) },
  );
  await session.addItems(stored, { usage: { requestUsageEntries: [usage] } });
}

/** Two calls at once, and then an answer. */
const twoCalls = ({ input }: Request): readonly Item[] => {
  const { type } = (input as readonly Item[]).at(-1)!;
  const count = input.length;
  return type === "function_call_result"
    ? [{ type: "reasoning", id: "rs", content: [] }, reply(`Answer ${count}`)]
    : [reply("I read."), call(`a${count}`), call(`b${count}`)];
};

describe("a session for the OpenAI Agents SDK", () => {
  it.each([
    { isWrapped: true, isFiltered: false, reports: 4, why: "a wrapped model" },
    { isWrapped: false, isFiltered: true, reports: 4, why: "a filter" },
    { isWrapped: true, isFiltered: true, reports: 4, why: "both" },
  ])("records each answer once and edits nothing, with $why", async ({ isWrapped, isFiltered, reports }) => {
    const stage = await setTheStage();
    const session = agentsSession<Item>(stage.session);
    const plain = new AgentsModel(twoCalls);
    const model = isWrapped ? session.model(plain) : plain;
    await run(session, { model, text: "One", isFiltered });
    await run(session, { model, text: "Two", isFiltered });
    expect(hostEdits(stage)).toEqual([]);
    expect(answers(stage)).toHaveLength(reports);
    expect(await session.getItems()).toHaveLength(16);
    const turn = ["user", "assistant", "user", "user", "assistant"];
    expect(stage.session.visible.map(({ role }) => role)).toEqual([...turn, ...turn]);
    expect(plain.requests.at(-1)?.input).toHaveLength(14);
    const used = { usage: { cacheReadTokens: 100, cacheWriteTokens: 0, outputTokens: 5 } };
    expect(answers(stage)).toMatchObject([used, used, used, used]);
    expect(stage.session.lastRequest).toMatchObject({ system: "Be brief.", tools: [{ name: "read" }] });
  });

  it.each([
    { isFiltered: false },
    { isFiltered: true },
  ])("keeps each call of a long run within the window (filter: $isFiltered)", async ({ isFiltered }) => {
    const stage = await setTheStage({ window: { windowTokens: 16_000 } });
    const session = agentsSession<Item>(stage.session);
    let calls = 0;
    const sizes: number[] = [];
    const plain = new AgentsModel(({ input }) => {
      sizes.push(JSON.stringify(input).length);
      return calls++ < 24 ? [call(`c${calls}`)] : [reply("Done.")];
    });
    await run(session, {
      model: isFiltered ? plain : session.model(plain),
      text: "Read it all.",
      isFiltered,
    });
    expect(sizes).toHaveLength(25);
    expect(Math.max(...sizes)).toBeLessThan(16_000 * 5);
    expect(await session.getItems()).toHaveLength(50);
    expect(hostEdits(stage)).toEqual([]);
  });

  it("gives a filter the run's own items back", async () => {
    const { session: own } = await setTheStage();
    const { callModelInputFilter } = agentsSession<Item>(own);
    const input = [user("One"), reply("1"), user("Two")];
    const filtered = await callModelInputFilter({ modelData: { input }, agent: {} });
    expect(filtered.input.map((item, index) => item === input[index])).toEqual([true, true, true]);
    expect(callModelInputFilter.preserveInputIdentity).toBe(true);
  });

  it("listens to an agent once for all its sessions, and tells each the usage of its own run", async () => {
    const listeners: ((run: object) => void)[] = [];
    const agent = {
      on: (event: string, listener: (run: object) => void) =>
        event === "agent_end" && listeners.push(listener),
    };
    const opened = [];
    for (const text of ["One", "Two"]) {
      const [stage, context] = [await setTheStage(), {}];
      const session = agentsSession<Item>(stage.session);
      await session.getItems();
      await session.callModelInputFilter({ modelData: { input: [user(text)] }, agent, context });
      opened.push({ stage, session, context, items: [user(text), reply("Yes")] });
    }
    expect(listeners).toHaveLength(1);
    for (const [index, { context }] of opened.entries()) {
      const own = { inputTokens: 100 + index, outputTokens: 1 };
      for (const listener of listeners) listener({ context, usage: { requestUsageEntries: [own] } });
    }
    for (const { session, items } of opened) await session.addItems(items);
    expect(opened.map(({ stage }) => answers(stage))).toMatchObject([
      [{ usage: { inputTokens: 100 } }],
      [{ usage: { inputTokens: 101 } }],
    ]);
  });

  it("hides what a run did not store, such as an input that a guardrail stopped", async () => {
    const stage = await setTheStage();
    const session = agentsSession<Item>(stage.session);
    const model = session.model(new AgentsModel(() => [reply("Yes")]));
    await run(session, { model, text: "One" });
    await model.getResponse({ input: [...(await session.getItems()), user("Blocked")] });
    await run(session, { model, text: "Two" });
    expect(JSON.stringify(model.requests.at(-1)?.input)).not.toContain("Blocked");
    expect(await session.getItems()).toEqual([user("One"), reply("Yes"), user("Two"), reply("Yes")]);
  });

  it("takes items out and puts others in, and the log keeps them all", async () => {
    const stage = await setTheStage();
    const session = agentsSession<Item>(stage.session);
    expect(await session.getSessionId()).toBe(stage.session.id);
    expect(await session.popItem()).toBeUndefined();
    const items = [
      user("The door is teal."),
      reply("Let me see."),
      call("c1"),
      result("c1"),
      reply("Noted."),
    ];
    await session.addItems(items);
    expect(await session.getItems()).toEqual(items);
    expect(await session.getItems(2)).toEqual(items.slice(-2));
    expect(await session.getItems(0)).toEqual([]);
    expect(await session.getItems(99)).toEqual(items);
    expect(await session.popItem()).toEqual(items[4]);
    expect(await session.popItem()).toEqual(items[3]);
    expect(await session.popItem()).toEqual(items[2]);
    expect(await session.getItems()).toEqual(items.slice(0, 2));
    await session.addItems([call("c2"), result("c2", "other")]);
    const replacement = { ...call("c2"), arguments: '{"path":"b"}' };
    await session.applyHistoryMutations({
      mutations: [{ type: "replace_function_call", callId: "c2", replacement } as never],
    });
    expect((await session.getItems())[2]).toEqual(replacement);
    await session.replaceHistoryWithCompaction([
      { type: "compaction", encrypted_content: "x" },
      user("Go on"),
    ]);
    expect(await session.getItems()).toHaveLength(2);
    await session.clearSession();
    expect(await session.getItems()).toEqual([]);
    expect(stage.session.visible).toEqual([]);
    expect(await stage.session.runTool("history_search", { query: "teal" })).toContain("The door is teal.");
  });

  it("goes on in another process with the same items", async () => {
    const stage = await setTheStage();
    const model = new AgentsModel(twoCalls);
    const first = agentsSession<Item>(stage.session);
    await run(first, { model: first.model(model), text: "One" });
    const items = await first.getItems();
    await stage.palimpsest.close();
    const events: SessionEvent[] = [];
    const palimpsest = createPalimpsest({
      model: stage.model,
      store: stage.store,
      observer: { onEvent: (event) => events.push(event) },
    });
    const again = agentsSession<Item>(await palimpsest.session("s1"));
    expect(await again.getItems()).toEqual(items);
    await run(again, { model: again.model(model), text: "Two" });
    expect(await again.getItems()).toHaveLength(16);
    expect(events.filter(({ type }) => type === "host-edit")).toEqual([]);
    await palimpsest.close();
  });

  it("records a streamed answer before its last event, and asks again for one that was refused", async () => {
    const stage = await setTheStage({ window: { windowTokens: 200_000 } });
    const session = agentsSession<Item>(stage.session);
    const refusal = Object.assign(new Error("prompt is too long: 9500 tokens > 8000 maximum"), {
      status: 400,
    });
    let asked = 0;
    const sizes: number[] = [];
    const plain = new AgentsModel(({ input }) => {
      sizes.push(JSON.stringify(input).length);
      if (asked++ === 0) throw refusal;
      return [reply("Done.")];
    });
    const model = session.model(plain);
    const turns = [1, 2, 3].flatMap((turn) => [user(`${turn} ${wordsOf(3_000)}`), reply(String(turn))]);
    const events: object[] = [];
    for await (const event of model.getStreamedResponse({ input: [...turns, user("Go on")] })) {
      events.push(event);
      expect(answers(stage)).toHaveLength(events.length - 1);
    }
    expect(events).toHaveLength(2);
    expect(sizes).toHaveLength(2);
    expect(sizes[1]).toBeLessThan(sizes[0]! / 2);
  });

  it("asks again where a stream is refused after its first events, and shows these once", async () => {
    const stage = await setTheStage({ window: { windowTokens: 200_000 } });
    const session = agentsSession<Item>(stage.session);
    const plain = new AgentsModel(() => [reply("Done.")]);
    const answering = plain.getStreamedResponse.bind(plain);
    const head = [
      { type: "response_started" },
      { type: "model", event: { type: "response.created" } },
      { type: "model", event: { type: "response.in_progress" } },
    ];
    let asked = 0;
    plain.getStreamedResponse = async function* (request) {
      yield* head;
      if (asked++ === 0)
        throw Object.assign(new Error("Your input exceeds the context window."), {
          code: "context_length_exceeded",
        });
      yield* answering(request);
    };
    const turns = [1, 2, 3].flatMap((turn) => [user(`${turn} ${wordsOf(3_000)}`), reply(String(turn))]);
    const model = session.model(plain);
    const events: object[] = [];
    for await (const event of model.getStreamedResponse({ input: [...turns, user("Go on")] }))
      events.push(event);
    expect(asked).toBe(2);
    expect(events.slice(0, 3)).toEqual(head);
    expect(events).toHaveLength(5);
  });

  it("leaves alone what is not its own: errors, other members, lists that the provider keeps", async () => {
    const stage = await setTheStage();
    const session = agentsSession<Item>(stage.session);
    const error = Object.assign(new Error("invalid key"), { status: 401 });
    const failing = session.model(
      new AgentsModel(() => {
        throw error;
      }),
    );
    await expect(failing.getResponse({ input: "Hello" })).rejects.toBe(error);
    await expect(failing.getStreamedResponse({ input: "Hello" }).next()).rejects.toBe(error);
    expect(failing.getRetryAdvice()).toBe(2);
    const model = session.model(new AgentsModel(() => [reply("Yes")]));
    await model.getResponse({ input: [user("More")], previousResponseId: "r" });
    expect(stage.session.visible.map(({ blocks }) => blocks[0]?.block)).toMatchObject([{ text: "Hello" }]);
  });

  it("counts tools and handoffs, and offers the history tools in the SDK's words", async () => {
    const { session: own } = await setTheStage();
    const session = agentsSession<Item>(own);
    const tools = session.historyTools(
      (options: { name: string; strict: boolean; parameters: object; execute: (input: object) => unknown }) =>
        options,
    );
    expect(tools.map(({ name, strict }) => [name, strict])).toEqual([
      ["history_search", false],
      ["history_read", false],
      ["history_pin", false],
    ]);
    expect(tools[0]?.parameters).toMatchObject({ type: "object", additionalProperties: true });
    const handoff = {
      toolName: "transfer",
      toolDescription: "Hands over.",
      inputJsonSchema: { type: "object" },
    };
    const computer = { type: "computer", name: "computer_use_preview" };
    const model = session.model(new AgentsModel(() => [reply("The door is teal.")]));
    await model.getResponse({
      input: "Which door?",
      tools: [...tools.map((one) => ({ ...one, type: "function" })), computer],
      handoffs: [handoff],
    });
    expect(own.lastRequest?.tools?.slice(-2)).toEqual([
      computer,
      { name: "transfer", description: "Hands over.", input_schema: { type: "object" } },
    ]);
    expect(await tools[0]?.execute({ query: "teal" })).toContain("The door is teal.");
  });
});
