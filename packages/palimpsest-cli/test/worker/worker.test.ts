/** A worker over real HTTP, and `remote_agent` tasks of a session that use it. */
import { chmodSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  createPalimpsest,
  functionModel,
  InMemorySessionStore,
  type ModelAnswer,
  type PalimpsestOptions,
} from "palimpsest";
import { afterEach, describe, expect, it } from "vitest";
import { runCli } from "#program/program.ts";
import { type CliDouble, cliDouble } from "../../../../test/helpers/cli-double.ts";
import { testFolder } from "../../../../test/helpers/recordings.ts";

const TOKEN = "0123456789abcdef-token";

/** The options of the agent, which its module takes from here. */
const shared = globalThis as { workerAgent?: PalimpsestOptions & { readonly system?: string } };

/** Pauses pass at once; limits of time are not reached. */
const deadline = {
  after: (ms: number, work: () => void) => {
    if (ms > 1_000) return () => undefined;
    const timer = setImmediate(work);
    return () => clearImmediate(timer);
  },
};

function makeFiles(folder: string) {
  writeFileSync(join(folder, "token"), `${TOKEN}\n`, { mode: 0o600 });
  for (const name of ["agent.mjs", "restarted.mjs"])
    writeFileSync(join(folder, name), "export default globalThis.workerAgent;\n");
}

const running: { readonly context: CliDouble; readonly code: Promise<number> }[] = [];

/** Starts the command; resolves once it listens. */
async function startWorker(
  folder: string,
  answer: (prompt: string) => Promise<string>,
  { port = 0, agent = "agent.mjs", more = [] as readonly string[] } = {},
): Promise<{ readonly url: string; readonly context: CliDouble; readonly stop: () => Promise<number> }> {
  const model = functionModel(
    async ({ messages }): Promise<ModelAnswer> => ({
      messages: [
        {
          role: "assistant",
          content: [{ type: "text", text: await answer(JSON.stringify(messages.at(-1)?.content)) }],
        },
      ],
      stopReason: "end",
      usage: { inputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 7 },
    }),
    { model: "claude-opus-4-5" },
  );
  shared.workerAgent = { model, folder: join(folder, "sessions"), system: "Be brief." };
  const context = cliDouble({ folder });
  const args = ["worker", "--port", `${port}`, "--token-file", "token", "--agent", agent, ...more];
  const code = runCli(args, context, "1.2.3");
  running.push({ context, code });
  for (;;) {
    const url = /Listening on (\S+)/.exec(context.written.err)?.[1];
    if (url !== undefined) {
      const stop = (): Promise<number> => {
        context.stop.abort();
        return code;
      };
      return { url, context, stop };
    }
    const ended = await Promise.race([code, new Promise((resolve) => setImmediate(resolve, "open"))]);
    if (ended !== "open") throw new Error(context.written.err);
  }
}

afterEach(async () => {
  for (const { context } of running) context.stop.abort();
  await Promise.all(running.splice(0).map(({ code }) => code));
});

function host(url: string, store = new InMemorySessionStore()) {
  const model = functionModel(async () => "Done.", { model: "claude-opus-4-5" });
  const workers = { build: { url, token: TOKEN } };
  return createPalimpsest({ model, store, deadline, tasks: { workers } });
}

function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe("palimpsest worker", () => {
  it("runs the task of another machine, takes input for it, refuses a second one, and reports", async () => {
    const folder = testFolder();
    makeFiles(folder);
    const asked = gate();
    const first = gate();
    const { url, context } = await startWorker(folder, async (prompt) => {
      asked.open();
      await first.opened;
      return prompt.includes("And the tests?") ? "The tests pass." : "It is built: ünïcode.";
    });
    const palimpsest = host(url);
    const { tasks } = await palimpsest.session();
    const { id } = await tasks.start("remote_agent", { worker: "build", prompt: "Build it." });
    await asked.opened;
    const second = await tasks.start("remote_agent", { worker: "build", prompt: "Another." });
    expect(await tasks.wait(second.id)).toMatchObject({
      status: "failed",
      reason: "Worker build is busy, or the task takes no input now (status 409) (refused)",
    });
    await tasks.input(id, "And the tests?");
    first.open();
    expect(await tasks.wait(id)).toMatchObject({ status: "done", result: "The tests pass." });
    expect(tasks.read(id).text).toBe("It is built: ünïcode.\nThe tests pass.\n");
    // Two turns: the prompt, and the input.
    expect(tasks.get(id).usage).toMatchObject({ inputTokens: 20, outputTokens: 14 });
    expect(context.written.err).not.toContain(TOKEN);
    await palimpsest.close();
  });

  it("chains a remote agent as a step of a workflow, and stops it there when it is stopped here", async () => {
    const folder = testFolder();
    makeFiles(folder);
    const asked = gate();
    const { url } = await startWorker(folder, async (prompt) => {
      if (prompt.includes("three")) return "Three it is.";
      asked.open();
      return new Promise<string>(() => undefined);
    });
    const palimpsest = host(url);
    const { tasks } = await palimpsest.session();
    const steps = [
      { name: "count", kind: "local_bash", input: { command: "echo three" } },
      { name: "ask", kind: "remote_agent", input: { worker: "build", prompt: "How many?" } },
    ];
    const { id } = await tasks.start("local_workflow", { steps });
    expect(await tasks.wait(id)).toMatchObject({ status: "done", result: "Three it is." });
    const endless = await tasks.start("remote_agent", { worker: "build", prompt: "Never mind." });
    await asked.opened;
    expect(await tasks.stop(endless.id, "enough")).toMatchObject({ status: "stopped", reason: "enough" });
    const authorization = `Bearer ${TOKEN}`;
    const there = await fetch(`${url}/v1/tasks/t2?offset=0`, { headers: { authorization } });
    expect(await there.json()).toMatchObject({ status: "stopped", reason: "its client stopped it" });
    await palimpsest.close();
  });

  it("goes on where it was after a restart of the worker and of its client", async () => {
    const folder = testFolder();
    makeFiles(folder);
    const asked = gate();
    const before = await startWorker(folder, async () => {
      asked.open();
      return new Promise<string>(() => undefined);
    });
    const store = new InMemorySessionStore();
    const one = host(before.url, store);
    const session = await one.session("a");
    await session.turn("Hello.");
    const { id } = await session.tasks.start("remote_agent", { worker: "build", prompt: "Build it." });
    await asked.opened;
    await one.close();
    expect(await before.stop()).toBe(0);
    const after = await startWorker(folder, async () => "Built after all.", {
      port: Number(new URL(before.url).port),
      // Modules are loaded once a process.
      agent: "restarted.mjs",
    });
    const two = host(after.url, store);
    const { tasks } = await two.session("a");
    await tasks.resume(id);
    expect(await tasks.wait(id)).toMatchObject({ status: "done", result: "Built after all." });
    expect(tasks.read(id).text).toBe("Built after all.\n");
    await two.close();
  });

  it("writes nothing with --no-session-persistence, wherever the agent keeps its sessions", async () => {
    const folder = testFolder();
    makeFiles(folder);
    const files = (): readonly string[] => readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
    const before = files();
    const worker = await startWorker(folder, async () => "Done.", { more: ["--no-session-persistence"] });
    const palimpsest = host(worker.url);
    const { tasks } = await palimpsest.session();
    const { id } = await tasks.start("remote_agent", { worker: "build", prompt: "Build it." });
    expect(await tasks.wait(id)).toMatchObject({ status: "done", result: "Done." });
    await palimpsest.close();
    await worker.stop();
    expect(files()).toEqual(before);
  });

  it("answers nothing without the token, and refuses what is not a request", async () => {
    const folder = testFolder();
    makeFiles(folder);
    const { url } = await startWorker(folder, async () => "Done.");
    const send = async (path: string, init: RequestInit = {}, token = TOKEN) =>
      (await fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${token}` } })).status;
    expect(await send("/v1/tasks/t1?offset=0", {}, `${TOKEN}x`)).toBe(401);
    expect(await send("/v1/tasks/t1?offset=0")).toBe(404);
    expect(await send("/v1/tasks/../../etc/passwd")).toBe(400);
    expect(await send("/v1/tasks", { method: "POST", body: "{" })).toBe(400);
    expect(await send("/v1/tasks", { method: "POST", body: '{"key":"k","prompt":" "}' })).toBe(400);
    expect(await send("/v1/tasks", { method: "POST", body: " ".repeat(1_048_577) })).toBe(413);
    const start = { method: "POST", body: JSON.stringify({ key: "k", prompt: "Go." }) };
    expect(await send("/v1/tasks", start)).toBe(200);
    // Sent again, it is the same task.
    expect(await send("/v1/tasks", start)).toBe(200);
    expect(await send("/v1/tasks/t2?offset=0")).toBe(404);
    expect(await send("/v1/tasks/t1?offset=999999")).toBe(400);
  });

  it.each([
    { args: [], says: "A worker needs --port, --token-file and --agent." },
    { args: ["--token-file", "token", "--agent", "none.mjs"], says: "none.mjs cannot be loaded" },
    {
      args: ["--token-file", "open", "--agent", "agent.mjs"],
      says: "can be read by other users (chmod 600)",
    },
    { args: ["--token-file", "short", "--agent", "agent.mjs"], says: "needs a token of 16 characters" },
    { args: ["--token-file", "gone", "--agent", "agent.mjs"], says: "cannot be read" },
  ])("ends with 2: $says", async ({ args, says }) => {
    const folder = testFolder();
    makeFiles(folder);
    writeFileSync(join(folder, "open"), TOKEN);
    chmodSync(join(folder, "open"), 0o644);
    writeFileSync(join(folder, "short"), "secret", { mode: 0o600 });
    const context = cliDouble({ folder });
    expect(await runCli(["worker", "--port", "0", ...args], context, "1.2.3")).toBe(2);
    expect(context.written.err).toContain(says);
    expect(context.written.err).not.toContain("secret");
  });
});
