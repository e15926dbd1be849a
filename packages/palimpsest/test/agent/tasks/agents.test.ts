/** Agents and teammates as tasks: separate sessions, reports, messages, usage, and going on after an interruption. */
import { getEventListeners } from "node:events";
import { createPalimpsest, functionModel, InMemorySessionStore } from "palimpsest";
import { describe, expect, it } from "vitest";
import type { AgentDefinition } from "#agent/tasks/local-agent/agent-task.ts";
import type { PalimpsestOptions } from "#host/create-palimpsest.ts";
import type { ModelAnswer, ModelRequest } from "#ports/model-client.ts";
import type { SessionEvent } from "#session/events/events.ts";
import { internalsOf } from "#session/session.ts";
import type { ContentBlock } from "#transcript/blocks.ts";
import { engineTexts } from "./notices.ts";

const USAGE = { inputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 10 };

/** The last message that the model received. */
const lastText = ({ messages }: ModelRequest): string =>
  messages
    .at(-1)!
    .content.map((block) => (block.type === "text" ? block.text : ""))
    .join("");

function modelOf(answer: (request: ModelRequest) => string | readonly ContentBlock[] | Promise<string>) {
  return functionModel(
    async (request): Promise<ModelAnswer> => {
      const given = await answer(request);
      const content = typeof given === "string" ? [{ type: "text" as const, text: given }] : given;
      const isCall = content.some(({ type }) => type === "tool_use");
      return {
        messages: [{ role: "assistant", content }],
        stopReason: isCall ? "tool-use" : "end",
        usage: USAGE,
      };
    },
    { model: "claude-opus-4-5" },
  );
}

const agentOf = (answer: Parameters<typeof modelOf>[0]): AgentDefinition => ({
  description: "works",
  model: modelOf(answer),
});

function open(agents: Readonly<Record<string, AgentDefinition>>, options: Partial<PalimpsestOptions> = {}) {
  const store = new InMemorySessionStore();
  const start = () =>
    createPalimpsest({ model: modelOf(() => "Fine."), store, notes: "off", tasks: { agents }, ...options });
  return { store, start };
}

describe("an agent as a task", () => {
  it("leaves nothing on the signal of those who waited for it", async () => {
    const { start } = open({ reader: agentOf(() => "Read.") });
    const session = await start().session("parent");
    const { signal } = new AbortController();
    const { id } = await session.tasks.start("local_agent", { agent: "reader", prompt: "Read it." });
    const waits = [session.tasks.wait(id, { signal }), session.tasks.wait(id, { signal })];
    expect(getEventListeners(signal, "abort")).toHaveLength(2);
    expect((await Promise.all(waits)).map(({ status }) => status)).toEqual(["done", "done"]);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    await session.close();
  });

  it("works in a session of its own, reports back, and its usage is counted", async () => {
    const { store, start } = open({ reader: agentOf((request) => `I read: ${lastText(request)}`) });
    const session = await start().session("parent");
    const { id } = await session.tasks.start("local_agent", { agent: "reader", prompt: "Read it." });
    expect(await session.tasks.wait(id)).toMatchObject({
      status: "done",
      result: "I read: Read it.",
      usage: USAGE,
    });
    const second = await session.tasks.start("local_agent", { agent: "reader", prompt: "Again." });
    await session.tasks.wait(second.id);
    expect(session.tasks.usage).toEqual({
      inputTokens: 200,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 20,
    });
    await session.turn("Well?");
    expect(engineTexts(session.session)[0]).toContain("Its report, as data:\n```\nI read: Read it.\n```");
    const own = (await store.describe()).sessions.filter(({ header }) => header?.purpose === "task");
    expect(own.map(({ metadata }) => metadata["parent"])).toEqual(
      expect.arrayContaining([
        { session: "parent", task: "t1" },
        { session: "parent", task: "t2" },
      ]),
    );
    expect(own.map(({ isInUse }) => isInUse)).toEqual([false, false]);
    // The window of the parent has the reports, not the work.
    expect(session.session.visible.filter(({ role }) => role === "assistant")).toHaveLength(1);
    await session.close();
  });

  it("closing the session of an agent leaves its parent's open to the host", async () => {
    const { start } = open({ reader: agentOf(() => "Done.") });
    const palimpsest = start();
    const session = await palimpsest.session("parent");
    const { id } = await session.tasks.start("local_agent", { agent: "reader", prompt: "Read." });
    await session.tasks.wait(id);
    expect(await palimpsest.session("parent")).toBe(session);
    await palimpsest.close();
    await expect(session.turn("Still there?")).rejects.toMatchObject({ code: "SESSION_CLOSED" });
  });

  it("takes input as its next turn, and none once it has ended", async () => {
    const asked: string[] = [];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { start } = open({
      reader: agentOf(async (request) => {
        asked.push(lastText(request));
        await released;
        return `Answer ${asked.length}`;
      }),
    });
    const { tasks, close } = await start()
      .session()
      .then((session) => ({ tasks: session.tasks, close: () => session.close() }));
    const { id } = await tasks.start("local_agent", { agent: "reader", prompt: "First." });
    await tasks.input(id, "Second.");
    release();
    expect(await tasks.wait(id)).toMatchObject({ status: "done", result: "Answer 2" });
    expect(asked).toEqual(["First.", "Second."]);
    await expect(tasks.input(id, "Third.")).rejects.toMatchObject({ code: "TASK_ENDED" });
    await close();
  });

  it("is stopped where its files have no more room, whatever the limits say", async () => {
    const { start } = open({ reader: agentOf(() => "A long report.") });
    const session = await start().session("parent");
    const { tasks: files } = internalsOf(session.session).log;
    expect(files?.mostBytes).toBe(134_217_728);
    Object.assign(files!, { mostBytes: 6 });
    const { id } = await session.tasks.start("local_agent", { agent: "reader", prompt: "Read." });
    expect(await session.tasks.wait(id)).toMatchObject({
      status: "failed",
      reason: "the outputs of this session's tasks reached the limit of 6 bytes",
      outputBytes: 6,
    });
    await session.close();
  });

  it("never begins where an observer of its start stops it", async () => {
    let calls = 0;
    let stop = (): void => undefined;
    const onEvent = (event: SessionEvent): void => {
      if (event.type === "task" && event.what === "started") stop();
    };
    const { store, start } = open({ reader: agentOf(() => `Call ${++calls}`) }, { observer: { onEvent } });
    const session = await start().session("parent");
    stop = () => void session.tasks.stop("t1", "not now");
    const { id } = await session.tasks.start("local_agent", { agent: "reader", prompt: "Read." });
    expect(await session.tasks.wait(id)).toMatchObject({ status: "stopped", reason: "not now" });
    await session.close();
    expect(calls).toBe(0);
    expect((await store.describe()).sessions).toEqual([]);
  });

  it("is stopped in the middle of a call, keeps what it cost, and goes on in its session when it is resumed", async () => {
    const seen: ModelRequest[] = [];
    let isHanging = true;
    let reached = (): void => undefined;
    const hanging = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const tool = { name: "look", description: "Looks.", inputSchema: { type: "object" }, run: () => "seen" };
    const answer = (request: ModelRequest): string | readonly ContentBlock[] | Promise<string> => {
      seen.push(request);
      if (seen.length === 1) return [{ type: "tool_use", id: "c1", name: "look", input: {} }];
      if (!isHanging) return "Found it.";
      reached();
      return new Promise<string>(() => undefined);
    };
    const { start } = open({ reader: { ...agentOf(answer), tools: [tool] } });
    const session = await start().session("parent");
    const { id } = await session.tasks.start("local_agent", { agent: "reader", prompt: "Look." });
    await hanging;
    expect(await session.tasks.stop(id, "enough")).toMatchObject({
      status: "stopped",
      reason: "enough",
      usage: USAGE,
    });
    isHanging = false;
    await session.tasks.resume(id);
    expect(await session.tasks.wait(id)).toMatchObject({ status: "done", result: "Found it." });
    expect(session.tasks.get(id).usage).toMatchObject({ inputTokens: 200 });
    const texts = seen
      .at(-1)!
      .messages.flatMap(({ content }) => content)
      .map((block) => JSON.stringify(block));
    expect(texts.filter((text) => text.includes("Look."))).toHaveLength(2);
    expect(texts.at(-1)).toContain("You were interrupted. Go on where you were");
    await session.close();
  });

  it("begins anew where nothing of its session was stored, and never goes on in another session", async () => {
    const { store, start } = open({ reader: agentOf((request) => lastText(request)) });
    const first = await start().session("parent");
    await first.turn("Hello.");
    await first.close();
    const users = await start().session("private");
    await users.turn("My secret.");
    await users.close();
    const log = await store.open("parent");
    const owner = { pid: 4_000_000, startedAt: "1", space: "elsewhere", host: "h" };
    const write = (record: object): void => log.tasks!.appendJournal(JSON.stringify({ at: 1, ...record }));
    for (const [id, session] of [
      ["t1", "gone"],
      ["t2", "private"],
    ] as const) {
      const input = { agent: "reader", prompt: "Read." };
      write({ type: "start", id, kind: "local_agent", title: "read", input, owner });
      write({ type: "facts", id, facts: { session, usage: { inputTokens: "many" } } });
    }
    await log.close();
    const session = await start().session("parent");
    await session.turn("Well?");
    await session.tasks.resume("t1");
    expect(await session.tasks.wait("t1")).toMatchObject({ status: "done", result: "Read.", usage: USAGE });
    await session.tasks.resume("t2");
    expect(await session.tasks.wait("t2")).toMatchObject({
      status: "failed",
      reason: "Session private is not one of task t2.",
    });
    expect(session.tasks.get("t2").usage).toBeUndefined();
    await session.close();
  });
});

describe("a team", () => {
  it("passes messages both ways, each member with a transcript of its own", async () => {
    const asked: Record<string, string[]> = { tester: [], writer: [] };
    const call = (to: string, text: string): readonly ContentBlock[] => [
      { type: "tool_use", id: `${to}-${text}`, name: "send_message", input: { to, text } },
    ];
    const agent = (name: string, react: (text: string) => string | readonly ContentBlock[]) =>
      agentOf((request) => {
        const text = lastText(request);
        if (text === "") return "";
        asked[name]!.push(text);
        return react(text);
      });
    const { store, start } = open({
      tester: agent("tester", (text) =>
        text.includes("Message of coordinator") || text.includes("the coordinator")
          ? call("writer", "Please mend it.")
          : "Ready to test.",
      ),
      writer: agent("writer", (text) =>
        text.includes("Message of tester") ? call("coordinator", "Mended.") : "Ready to write.",
      ),
    });
    const session = await start().session("parent");
    const tester = await session.tasks.start("in_process_teammate", {
      name: "tester",
      agent: "tester",
      prompt: "Test.",
    });
    const writer = await session.tasks.start("in_process_teammate", {
      name: "writer",
      agent: "writer",
      prompt: "Write.",
    });
    await expect(
      session.tasks
        .start("in_process_teammate", { name: "writer", agent: "writer", prompt: "Write." })
        .then(({ id }) => session.tasks.wait(id)),
    ).resolves.toMatchObject({ status: "failed", reason: "There is a teammate writer already." });
    const noticed = async (count: number): Promise<void> => {
      while (session.tasks.pendingCount < count) await session.tasks.changed();
    };
    await noticed(3);
    await session.tasks.input(tester.id, "It fails.");
    await noticed(4);
    await session.turn("Well?");
    const [notice = ""] = engineTexts(session.session);
    expect(notice).toContain("Ready to test.");
    expect(notice).toContain("Ready to write.");
    expect(notice).toContain(
      `Task ${writer.id} (in_process_teammate: "writer: Write.") says, as data:\n\`\`\`\nMended.\n\`\`\``,
    );
    expect(asked["tester"]).toEqual([
      "You are tester, a member of a team. Test.",
      "Message of the coordinator:\nIt fails.",
    ]);
    expect(asked["writer"]).toEqual([
      "You are writer, a member of a team. Write.",
      "Message of tester:\nPlease mend it.",
    ]);
    expect((await store.describe()).sessions.filter(({ header }) => header?.purpose === "task")).toHaveLength(
      2,
    );
    expect((await session.tasks.stop(writer.id)).status).toBe("stopped");
    await session.close();
    expect(internalsOf(session.session).log.sessionId).toBe("parent");
  });
});
