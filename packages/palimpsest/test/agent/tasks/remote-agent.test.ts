/** `remote_agent` with workers that fail and lie, over real HTTP; time passes by a fake clock. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createPalimpsest, functionModel, InMemorySessionStore } from "palimpsest";
import { afterEach, describe, expect, it } from "vitest";
import type { PalimpsestOptions } from "#host/create-palimpsest.ts";
import { until } from "../../runtime/processes/until.ts";

const TOKEN = "0123456789abcdef-token";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

/** A server that records what it was asked. */
async function serve(answer: Answer) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  opened.push({
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** Pauses pass at once; requests that hang are over when the test says so. */
function clock() {
  const hanging = new Set<() => void>();
  const pauses: number[] = [];
  const after = (ms: number, work: () => void): (() => void) => {
    if (ms < 1_000 || ms > 30_000) return () => undefined;
    if (ms === 10_000) {
      hanging.add(work);
      return () => void hanging.delete(work);
    }
    pauses.push(ms);
    const timer = setImmediate(work);
    return () => clearImmediate(timer);
  };
  return { deadline: { after }, hanging, pauses };
}

function open(url: string, options: Partial<PalimpsestOptions> = {}) {
  const time = clock();
  const store = new InMemorySessionStore();
  const model = functionModel(async () => "Done.", { model: "claude-opus-4-5" });
  const { tasks, ...others } = options;
  const workers = { build: { url, token: TOKEN } };
  const all = { model, store, deadline: time.deadline, ...others, tasks: { ...tasks, workers } };
  const palimpsest = createPalimpsest(all);
  opened.push(palimpsest);
  return { palimpsest, store, ...time };
}

const INPUT = { worker: "build", prompt: "Build it." };

/** An answer of the protocol. */
const view = (fields: object) =>
  JSON.stringify({
    id: "t1",
    status: "running",
    offset: 0,
    nextOffset: 0,
    text: "",
    isEnd: false,
    ...fields,
  });

/** Starts well, then answers every read with this. */
const liar =
  (fields: object): Answer =>
  (request, response) =>
    void response.end(request.method === "GET" ? view(fields) : view({}));

describe("a remote agent", () => {
  it.each([
    { what: "a wrong id", fields: { id: "t2" }, says: "it answered about task t2 when asked about t1" },
    {
      what: "an offset that goes back",
      fields: { nextOffset: -1 },
      says: "its offsets do not follow from 0",
    },
    {
      what: "another offset",
      fields: { offset: 5, nextOffset: 6 },
      says: "its offsets do not follow from 0",
    },
    { what: "too much text", fields: { text: "ü", nextOffset: 1 }, says: "longer than its offsets say" },
    {
      what: "a jump",
      fields: { nextOffset: 65_537 },
      says: "it sent more than 65536 bytes of output at a time",
    },
    { what: "a wrong usage", fields: { usage: { inputTokens: -1 } }, says: "its usage is not one" },
    { what: "an end that runs", fields: { isEnd: true }, says: "its answer ends a task that runs" },
    { what: "a path as id", fields: { id: "../../t1" }, says: "its answer has no id of a task" },
  ])("fails with $what, and stops the task there", async ({ fields, says }) => {
    const { url, asked } = await serve(liar(fields));
    const { palimpsest } = open(url);
    const { tasks } = await palimpsest.session();
    const { id } = await tasks.start("remote_agent", INPUT);
    const end = await tasks.wait(id);
    expect(end).toMatchObject({ status: "failed", outputBytes: 0 });
    expect(end.reason).toContain("Worker build cannot be trusted: ");
    expect(end.reason).toContain(`${says} (bad-answer)`);
    expect(asked.at(-1)).toBe("POST /v1/tasks/t1/stop");
  });

  it("refuses a text that waits for its start where that is refused", async () => {
    let refuse: (() => void) | undefined;
    const { url } = await serve((_, response) => {
      refuse = () => void response.writeHead(409).end(JSON.stringify({ error: "A task is running." }));
    });
    const { tasks } = await open(url).palimpsest.session("s1");
    const { id } = await tasks.start("remote_agent", INPUT);
    await until(() => refuse !== undefined);
    const sent = tasks.input(id, "Hurry.").then(
      () => "taken",
      ({ code }) => code,
    );
    refuse?.();
    expect(await tasks.wait(id)).toMatchObject({ status: "failed" });
    expect(await sent).toBe("TASK_ENDED");
  });

  it("reads one mebibyte of 100, and follows no redirect with its token", async () => {
    let sentBytes = 0;
    const large = await serve((_, response) => {
      const piece = Buffer.alloc(1_048_576, 0x20);
      const send = (): void => {
        for (let more = true; more && sentBytes < 100 * piece.length && !response.destroyed; ) {
          sentBytes += piece.length;
          more = response.write(piece);
        }
      };
      response.on("drain", send);
      send();
    });
    const one = await open(large.url).palimpsest.session();
    const task = await one.tasks.start("remote_agent", INPUT);
    expect((await one.tasks.wait(task.id)).reason).toBe(
      "Worker build sent more than 1048576 bytes (too-large)",
    );
    expect(sentBytes).toBeLessThan(20 * 1_048_576);
    const elsewhere = await serve((_, response) => void response.end());
    const there = await serve(
      (_, response) => void response.writeHead(307, { location: `${elsewhere.url}/v1/tasks` }).end(),
    );
    const two = await open(there.url).palimpsest.session();
    const other = await two.tasks.start("remote_agent", INPUT);
    expect((await two.tasks.wait(other.id)).reason).toBe(
      "Worker build sends elsewhere (status 307) (redirect)",
    );
    expect(elsewhere.asked).toEqual([]);
  });

  it("asks again with growing pauses where it gets no answer, and gives up after eight attempts", async () => {
    const { url, asked } = await serve(() => undefined);
    const { palimpsest, hanging, pauses } = open(url);
    const { tasks } = await palimpsest.session();
    const { id } = await tasks.start("remote_agent", INPUT);
    for (let attempt = 1; attempt <= 8; attempt++) {
      await until(() => asked.length === attempt && hanging.size === 1);
      for (const work of [...hanging]) work();
    }
    expect((await tasks.wait(id)).reason).toBe(
      "Worker build does not answer: It took longer than 10000 ms. (unreachable)",
    );
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it("goes on through errors of the network, and starts the task once", async () => {
    let requestCount = 0;
    const keys = new Set<string>();
    const { url } = await serve(async (request, response) => {
      let body = "";
      for await (const piece of request) body += piece;
      if (body !== "") keys.add(JSON.parse(body).key);
      requestCount++;
      if (requestCount % 3 === 1) return void request.socket.destroy();
      if (requestCount % 3 === 2) return void response.writeHead(503).end();
      if (request.method === "POST") return void response.end(view({}));
      const usage = { inputTokens: 3, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 2 };
      const end = { status: "done", nextOffset: 3, text: "Ok\n", isEnd: true, result: "Ok", usage };
      response.end(view(end));
    });
    const { tasks } = await open(url).palimpsest.session();
    const { id } = await tasks.start("remote_agent", INPUT);
    expect(await tasks.wait(id)).toMatchObject({ status: "done", result: "Ok", usage: { inputTokens: 3 } });
    expect(tasks.read(id).text).toBe("Ok\n");
    expect([requestCount, keys.size]).toEqual([6, 1]);
  });

  it("as a step of a workflow behind a local agent counts what both used", async () => {
    const usage = { inputTokens: 3, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 2 };
    const { url } = await serve((request, response) => {
      request.resume();
      const end = { status: "done", nextOffset: 3, text: "Ok\n", isEnd: true, result: "Ok", usage };
      response.end(view(request.method === "POST" ? {} : end));
    });
    const worker = functionModel(
      async () => ({
        messages: [{ role: "assistant", content: [{ type: "text", text: "Done." }] }],
        stopReason: "end",
        usage: { ...usage, outputTokens: 40 },
      }),
      { model: "claude-opus-4-5" },
    );
    const agents = { worker: { description: "works", model: worker } };
    const { tasks } = await open(url, { tasks: { agents } }).palimpsest.session();
    const { id } = await tasks.start("local_workflow", {
      steps: [
        { kind: "local_agent", input: { agent: "worker", prompt: "Go on." } },
        { kind: "remote_agent", input: INPUT },
      ],
    });
    expect(await tasks.wait(id)).toMatchObject({
      status: "done",
      usage: { inputTokens: 6, outputTokens: 42 },
    });
    await expect(tasks.resume(id)).rejects.toMatchObject({
      code: "TASK_REFUSED",
      message: `Task ${id} is done.`,
    });
  });

  it.each([
    "interrupted",
    "stopped",
  ])("goes on with a task that a restart of the worker left %s before it answered", async (status) => {
    const keys: string[] = [];
    const { url, asked } = await serve(async (request, response) => {
      let body = "";
      for await (const piece of request) body += piece;
      if (request.url === "/v1/tasks") keys.push(JSON.parse(body).key);
      if (keys.length === 1) return void request.socket.destroy();
      if (request.url === "/v1/tasks") return void response.end(view({ status }));
      if (request.method === "POST") return void response.end(view({}));
      response.end(view({ status: "done", nextOffset: 3, text: "Ok\n", isEnd: true }));
    });
    const { tasks } = await open(url).palimpsest.session();
    const { id } = await tasks.start("remote_agent", INPUT);
    expect(await tasks.wait(id)).toMatchObject({ status: "done" });
    expect(asked).toEqual([
      "POST /v1/tasks",
      "POST /v1/tasks",
      "POST /v1/tasks/t1/resume",
      "GET /v1/tasks/t1?offset=0",
    ]);
    expect(new Set(keys).size).toBe(1);
  });

  it("is stopped at the limit of its output, there too", async () => {
    const text = "x".repeat(65_535);
    const { url, asked } = await serve((request, response) => {
      const offset = Number(/offset=(\d+)/.exec(request.url ?? "")?.[1] ?? 0);
      const read = { offset, nextOffset: offset + 65_536, text: `${text}\n` };
      response.end(view(request.method === "GET" ? read : {}));
    });
    const { palimpsest } = open(url, { tasks: { limits: { outputBytes: 300_000 } } });
    const { tasks } = await palimpsest.session();
    const { id } = await tasks.start("remote_agent", INPUT);
    expect(await tasks.wait(id)).toMatchObject({
      status: "failed",
      outputBytes: 300_000,
      reason: "its output reached the limit of 300000 bytes",
    });
    expect(asked.at(-1)).toBe("POST /v1/tasks/t1/stop");
  });

  it.each([
    { written: "", why: "before a byte was written" },
    { written: "abc", why: "between two writes" },
    { written: Buffer.from("abcdé").subarray(0, 5), why: "within a character" },
    { written: "abcdéf\n", why: "after all was written" },
  ])("goes on after a crash $why: no byte is lost or doubled", async ({ written }) => {
    const { url, asked } = await serve((request, response) => {
      if (!request.url?.includes("offset=100")) return void response.writeHead(400).end();
      const end = { id: "t7", offset: 100, nextOffset: 120, text: "abcdéf\n", isEnd: true, status: "done" };
      response.end(view(end));
    });
    const { palimpsest, store } = open(url);
    const first = await palimpsest.session("a");
    await first.turn("Hello.");
    await first.close();
    const log = await store.open("a");
    const files = log.tasks!;
    const owner = { pid: 4_000_000, startedAt: "1", space: "elsewhere", host: "h" };
    const record = (fields: object): void =>
      files.appendJournal(JSON.stringify({ id: "t1", at: 1, ...fields }));
    record({ type: "start", kind: "remote_agent", title: "Build it.", input: INPUT, owner });
    record({ type: "facts", facts: { key: "k" } });
    record({ type: "facts", facts: { remote: "t7", offset: 100, at: 4 } });
    const output = files.openOutput("t1");
    output.write(Buffer.from("one\n"));
    output.write(Buffer.from(written));
    output.close();
    await log.close();
    const session = await palimpsest.session("a");
    await session.turn("Well?");
    await session.tasks.resume("t1");
    expect(await session.tasks.wait("t1")).toMatchObject({ status: "done" });
    expect(session.tasks.read("t1").text).toBe("one\nabcdéf\n");
    expect(asked).toEqual(["GET /v1/tasks/t7?offset=100", "GET /v1/tasks/t7?offset=100"]);
  });

  it("refuses an address or a token that cannot be used, without showing it", async () => {
    for (const [worker, says] of [
      [{ url: "http://me:secret@build", token: TOKEN }, 'The url of worker "build" cannot be used.'],
      [
        { url: "http://build", token: "secret\nsecret-secret" },
        'The token of worker "build" cannot be used.',
      ],
    ] as const) {
      const model = functionModel(async () => "Done.");
      const tasks = { workers: { build: worker } };
      const session = await createPalimpsest({ model, store: new InMemorySessionStore(), tasks }).session();
      expect(() => session.tasks).toThrow(says);
    }
  });
});
