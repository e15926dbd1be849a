/** What an agent or a teammate was sent and had not read when its process died, it reads once when it is resumed. */
import { createPalimpsest, functionModel } from "palimpsest";
import { describe, expect, it } from "vitest";
import type { ModelRequest } from "#ports/model-client.ts";
import type { SessionStore } from "#ports/session-store.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { usualFew } from "../../../../../test/helpers/size-of-run.ts";
import { type Fault, faultyStore } from "./faulty-store.ts";

/** The last text that the model received. */
const lastText = ({ messages }: ModelRequest): string =>
  JSON.stringify(messages.findLast(({ role }) => role === "user")?.content);

/** A host whose agents answer once `go` is called, and remember what they heard. */
function host(store: SessionStore) {
  const heard: string[] = [];
  let go = (): void => undefined;
  const going = new Promise<void>((resolve) => {
    go = resolve;
  });
  const model = functionModel(
    async (request) => {
      heard.push(lastText(request));
      await going;
      return "Heard.";
    },
    { model: "claude-opus-4-5" },
  );
  const main = functionModel(async () => "Fine.", { model: "claude-opus-4-5" });
  const agents = { worker: { description: "works", model } };
  const palimpsest = createPalimpsest({ model: main, store, notes: "off", tasks: { agents } });
  return { palimpsest, heard, go };
}

const AGENT = { kind: "local_agent", input: { agent: "worker", prompt: "Work." } } as const;
const TEAMMATE = {
  kind: "in_process_teammate",
  input: { name: "ada", agent: "worker", prompt: "Work." },
} as const;

/** A life in which each task is sent three texts. Returns those that were taken. */
async function live(store: SessionStore): Promise<readonly string[]> {
  const { palimpsest, go } = host(store);
  const session = await palimpsest.session("parent");
  const taken: string[] = [];
  const attempt = async (work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
      return false;
    }
  };
  await attempt(() => session.turn("Hello."));
  for (const { kind, input } of [AGENT, TEAMMATE])
    await attempt(async () => {
      const { id } = await session.tasks.start(kind, input);
      const send = async (text: string): Promise<void> => {
        if (await attempt(() => session.tasks.input(id, `${text} for ${id}.`, { key: `${text}-${id}` })))
          taken.push(`${text} for ${id}.`);
      };
      await send("One");
      await send("Two");
      go();
      if (kind === "local_agent") await session.tasks.wait(id);
      else {
        while (session.tasks.get(id).status === "running" && session.tasks.pendingCount < 3)
          await session.tasks.changed();
        await send("Three");
      }
    });
  await attempt(() => session.close());
  return taken;
}

/** Resumes what ended early, sends each a last text, and returns everything that its agents read. */
async function resumed(store: InMemorySessionStore, sent: readonly string[]): Promise<readonly string[]> {
  const { palimpsest, heard, go } = host(store);
  go();
  const session = await palimpsest.session("parent");
  await session.turn("Are you there?");
  for (const { id, status, kind } of session.tasks.list()) {
    if (status === "done") continue;
    await session.tasks.resume(id);
    await session.tasks.input(id, `Last for ${id}.`);
    // Sent again, because its answer was lost.
    for (const text of sent.filter((one) => one.endsWith(`${id}.`)))
      await session.tasks.input(id, text, { key: `${text.split(" ")[0]}-${id}` });
    if (kind === "local_agent") await session.tasks.wait(id);
    while (!heard.some((text) => text.includes(`Last for ${id}.`))) await session.tasks.changed();
  }
  await palimpsest.close();
  const read: string[] = [];
  for (const { sessionId, header } of (await store.describe()).sessions) {
    if (header?.purpose !== "task") continue;
    const log = await store.open(sessionId);
    for await (const { entries } of log.readAll())
      for (const { entry } of entries)
        if (entry.type === "message" && entry.role === "user") read.push(JSON.stringify(entry.content));
    await log.close();
  }
  return read;
}

async function livedThrough(fault: Fault) {
  const store = new InMemorySessionStore();
  const faulty = faultyStore(store, fault);
  const taken = await live(faulty);
  await faulty.kill();
  return { taken, read: await resumed(store, taken), writes: faulty.count() };
}

const countOf = (read: readonly string[], text: string): number =>
  read.filter((one) => one.includes(text)).length;
const TEXTS = ["One for t1.", "Two for t1.", "One for t2.", "Two for t2.", "Three for t2."];

describe("a text that an agent is sent", () => {
  it("is read once, in order, where nothing fails", async () => {
    const { taken, read } = await livedThrough({ at: Infinity, isLasting: false, isWritten: false });
    expect(taken).toEqual(TEXTS);
    expect(TEXTS.map((text) => countOf(read, text))).toEqual([1, 1, 1, 1, 1]);
    const ofTeammate = read.flatMap((text) => /(One|Two|Three|Last) for t2/.exec(text)?.[1] ?? []);
    expect(ofTeammate).toEqual(["One", "Two", "Three", "Last"]);
  });

  for (const isWritten of [false, true])
    it(`is read once, whichever write the process dies at, ${isWritten ? "after" : "before"} it reached the disk`, async () => {
      const { writes } = await livedThrough({ at: Infinity, isLasting: true, isWritten });
      const places = Array.from({ length: writes }, (_, index) => index + 1);
      for (const at of usualFew(places, 3, isWritten ? 1 : 0)) {
        const { taken, read } = await livedThrough({ at, isLasting: true, isWritten });
        for (const text of TEXTS) {
          const count = countOf(read, text);
          // One that was not taken may have been stored all the same.
          expect(count, `write ${at}: ${text} in ${read.join("; ")}`).toBeLessThanOrEqual(1);
          if (taken.includes(text)) expect(count, `write ${at}: ${text} in ${read.join("; ")}`).toBe(1);
        }
      }
    });
});
