/** A coordinator and two teammates in one process, over memories in files: what one remembers, all recall. */
import { readdirSync } from "node:fs";
import { type AgentTool, createPalimpsest, functionModel, InMemorySessionStore } from "palimpsest";
import { expect, it } from "vitest";
import { createMemory, memoryFolder } from "#host/create-memory.ts";
import type { ModelAnswer, ModelRequest } from "#ports/model-client.ts";
import type { ContentBlock, Usage } from "#transcript/blocks.ts";
import { testFolder } from "../../../../../test/helpers/recordings.ts";
import { engineTexts } from "./notices.ts";

const usageOf = (inputTokens: number): Usage => ({
  inputTokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 1,
});

const textOf = ({ messages }: Pick<ModelRequest, "messages">): string => JSON.stringify(messages);

/** The newest text that is not of the memory. */
const lastText = ({ messages }: ModelRequest): string =>
  messages
    .flatMap(({ role, content }) => (role === "user" ? content : []))
    .flatMap((block) => (block.type === "text" && !block.text.includes("memor") ? [block.text] : []))
    .at(-1) ?? "";

/** A model whose calls cost so many tokens; what it is asked is kept. */
function modelOf(inputTokens: number, answer: (request: ModelRequest) => string | readonly ContentBlock[]) {
  const requests: ModelRequest[] = [];
  const model = functionModel(
    async (request): Promise<ModelAnswer> => {
      requests.push(request);
      const given = answer(request);
      const content = typeof given === "string" ? [{ type: "text" as const, text: given }] : given;
      const isCall = content.some(({ type }) => type === "tool_use");
      return {
        messages: [{ role: "assistant", content }],
        stopReason: isCall ? "tool-use" : "end",
        usage: usageOf(inputTokens),
      };
    },
    { model: "claude-opus-4-5" },
  );
  return { model, requests };
}

const call = (id: string, name: string, input: Record<string, string>): readonly ContentBlock[] => [
  { type: "tool_use", id, name, input },
];
const hasResult = ({ messages }: ModelRequest, id: string): boolean =>
  messages.some(({ content }) =>
    content.some((block) => block.type === "tool_result" && block.tool_use_id === id),
  );

it("shares the team's memory, has a transcript each, counts what they cost, and passes messages both ways", async () => {
  const [own, shared] = [testFolder(), testFolder()];
  const memory = createMemory({ folder: own, team: memoryFolder(shared) });
  const remember: AgentTool = {
    name: "remember",
    description: "Remembers a fact for the team.",
    inputSchema: { type: "object" },
    run: async (input) => {
      const { text } = input as { readonly text: string };
      return (await memory.remember(text, { source: "user", isTeam: true })).status;
    },
  };
  // Ada gets a fact, keeps it, and sends Bob a message; Bob reports to the coordinator.
  const ada = modelOf(100, (request) => {
    const hasFact = lastText(request).includes("harbour crane");
    if (hasFact && !hasResult(request, "a1"))
      return call("a1", "remember", { text: "The harbour crane is serviced on Thursdays." });
    if (hasFact && !hasResult(request, "a2"))
      return call("a2", "send_message", { to: "bob", text: "Ask away." });
    return "Kept.";
  });
  const bob = modelOf(1_000, (request) =>
    lastText(request).includes("harbour crane") && !hasResult(request, "b1")
      ? call("b1", "send_message", { to: "coordinator", text: "On Thursdays, says the memory." })
      : "Listening.",
  );
  const main = modelOf(10_000, () => "I see.");
  const store = new InMemorySessionStore();
  const tasks = {
    agents: {
      writer: { description: "keeps", model: ada.model, tools: [remember] },
      asker: { description: "asks", model: bob.model },
    },
  };
  const options = { model: main.model, store, memory, memoryExtraction: "off", notes: "off", tasks } as const;
  const session = await createPalimpsest(options).session("parent");
  const start = (name: string, agent: string) =>
    session.tasks.start("in_process_teammate", { name, agent, prompt: "Wait for messages." });
  const noticed = async (count: number): Promise<void> => {
    while (session.tasks.pendingCount < count) await session.tasks.changed();
  };
  const first = await start("ada", "writer");
  const second = await start("bob", "asker");
  await noticed(2);

  await session.tasks.input(first.id, "The harbour crane is serviced on Thursdays. Keep that.");
  // Ada's answer, and Bob's to her message.
  await noticed(4);
  expect(readdirSync(shared)).toContain("the-harbour-crane-is-serviced-on-thursdays.md");
  expect(readdirSync(own).filter((name) => name.endsWith(".md"))).toEqual([]);
  expect(bob.requests.some((request) => textOf(request).includes("Message of ada:\\nAsk away."))).toBe(true);

  // Bob and the coordinator know it from the memory alone.
  await session.tasks.input(second.id, "When is the harbour crane serviced?");
  await noticed(6);
  expect(textOf(bob.requests.at(-1)!)).toContain("serviced on Thursdays");
  await session.turn("When is the harbour crane serviced?");
  expect(textOf(main.requests.at(-1)!)).toContain("team/the-harbour-crane-is-serviced-on-thursdays.md");
  expect(engineTexts(session.session).join("\n")).toContain("On Thursdays, says the memory.");

  await session.tasks.stop(first.id);
  await session.tasks.stop(second.id);
  expect([ada.requests.length, bob.requests.length]).toEqual([4, 4]);
  expect(session.tasks.get(first.id).usage).toEqual({ ...usageOf(400), outputTokens: 4 });
  expect(session.tasks.get(second.id).usage).toEqual({ ...usageOf(4_000), outputTokens: 4 });
  const total = { ...usageOf(4_400), outputTokens: 8 };
  expect(session.tasks.usage).toEqual(total);
  await session.close();

  // A transcript each, and none has the other's words. What they cost is known after a restart.
  const own1 = (await store.describe()).sessions.filter(({ header }) => header?.purpose === "task");
  expect(own1.map(({ metadata }) => metadata["parent"])).toEqual(
    expect.arrayContaining([
      { session: "parent", task: first.id },
      { session: "parent", task: second.id },
    ]),
  );
  const again = await createPalimpsest(options).session("parent");
  expect(again.tasks.usage).toEqual(total);
  await again.close();
  await memory.close();
});

it("counts what extraction of memories costs a teammate's session, also when it ends", async () => {
  const memory = createMemory({ folder: testFolder() });
  const worker = modelOf(100, ({ tools = [] }) =>
    JSON.stringify(tools).includes("memory_write") ? "Nothing to keep." : "Working.",
  );
  const { model } = modelOf(10_000, () => "I see.");
  const session = await createPalimpsest({
    ...{ model, memory, store: new InMemorySessionStore(), memoryExtraction: "model", notes: "off" },
    tasks: { agents: { worker: { description: "works", model: worker.model } } },
  }).session("parent");
  const { id } = await session.tasks.start("local_agent", {
    agent: "worker",
    prompt: "We deploy on Fridays.",
  });
  await session.tasks.wait(id);
  expect(worker.requests).toHaveLength(2);
  expect(session.tasks.usage).toEqual({ ...usageOf(200), outputTokens: 2 });
  await session.close();
  await memory.close();
});

it("keeps nothing as the user's word that another agent said", async () => {
  const memory = createMemory({ folder: testFolder() });
  const worker = modelOf(100, () => "Noted.");
  const { model } = modelOf(100, () => "I see.");
  const session = await createPalimpsest({
    ...{ model, memory, store: new InMemorySessionStore(), notes: "off" },
    tasks: { agents: { worker: { description: "works", model: worker.model } } },
  }).session("parent");
  const prompt = "Remember that the harbour crane is serviced on Fridays.";
  const { id } = await session.tasks.start("local_agent", { agent: "worker", prompt });
  await session.tasks.wait(id);
  expect(worker.requests).toHaveLength(1);
  expect((await memory.list()).memories).toEqual([]);
  await session.turn("Remember that the harbour crane is serviced on Mondays.");
  await session.memorySettled();
  expect((await memory.list()).memories.map(({ source }) => source)).toEqual(["user"]);
  await session.close();
  await memory.close();
});
