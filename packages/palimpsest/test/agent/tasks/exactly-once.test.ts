/** Every end, and every message, is in the session's log once: whatever write fails, and wherever the process stops. */
import { createPalimpsest, functionModel } from "palimpsest";
import { describe, expect, it } from "vitest";
import type { SessionStore } from "#ports/session-store.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { bySize } from "../../../../../test/helpers/size-of-run.ts";
import { type Fault, faultyStore } from "./faulty-store.ts";

/** By default each way to fail has every twelfth write, and each has others. */
const STEP = bySize({ usual: 12, long: 3, soak: 1 });

const model = functionModel(async () => "Fine.", { model: "claude-opus-4-5" });
const agents = { worker: { description: "works", model } };
const sessionsOf = (store: SessionStore) =>
  createPalimpsest({ model, store, notes: "off", tasks: { agents } });

/** A life with an agent that ends, a teammate that says something and is stopped, and one more that is interrupted. */
async function live(store: SessionStore): Promise<void> {
  const session = await sessionsOf(store).session("parent");
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    await work().catch((error: unknown) => expect(error).toBeInstanceOf(Error));
  };
  await attempt(() => session.turn("Hello."));
  await attempt(async () => {
    const { id } = await session.tasks.start("local_agent", { agent: "worker", prompt: "One." });
    await session.tasks.wait(id);
  });
  await attempt(() => session.turn("Well?"));
  await attempt(async () => {
    const before = session.tasks.pendingCount;
    const { id } = await session.tasks.start("in_process_teammate", {
      name: "two",
      agent: "worker",
      prompt: "Two.",
    });
    while (session.tasks.pendingCount === before && session.tasks.get(id).status === "running")
      await session.tasks.changed();
    await session.turn("And?");
    await session.tasks.stop(id);
  });
  await attempt(() => session.turn("And now?"));
  await attempt(() => session.close());
}

/** Opens it again, twice, and takes a turn: the texts of the engine in the log. */
async function reopened(store: InMemorySessionStore): Promise<{
  readonly texts: readonly string[];
  readonly records: readonly Readonly<Record<string, unknown>>[];
}> {
  for (let time = 0; time < 2; time++) {
    const session = await sessionsOf(store).session("parent");
    await session.turn("Are you there?");
    await session.close();
  }
  const texts: string[] = [];
  const log = await store.open("parent");
  for await (const { entries } of log.readAll())
    for (const { entry } of entries)
      if (entry.type === "message" && entry.origin === "engine")
        for (const block of entry.content) if (block.type === "text") texts.push(block.text);
  const records = log.tasks!.readJournal().lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  await log.close();
  return { texts, records };
}

/** How often the end of a task is in the texts, and how often a message of it. */
function countsOf(texts: readonly string[], id: string) {
  const all = texts.join("\n");
  const count = (words: string): number =>
    all.match(new RegExp(`Task ${id} \\([^\\n]*\\) ${words}`, "g"))?.length ?? 0;
  return { ends: count("(ended|failed|was)"), messages: count("says") };
}

async function livedThrough(fault: Fault) {
  const store = new InMemorySessionStore();
  const faulty = faultyStore(store, fault);
  await live(faulty);
  await faulty.kill();
  return { ...(await reopened(store)), writes: faulty.count() };
}

describe("a notice", () => {
  it("is in the log once, where nothing fails", async () => {
    const { texts } = await livedThrough({ at: Infinity, isLasting: false, isWritten: false });
    expect(countsOf(texts, "t1")).toEqual({ ends: 1, messages: 0 });
    expect(countsOf(texts, "t2")).toEqual({ ends: 1, messages: 1 });
  });

  for (const isLasting of [false, true])
    for (const isWritten of [false, true])
      it(`is in the log once, whichever write fails ${isLasting ? "for good" : "once"}, ${isWritten ? "after" : "before"} it reached the disk`, async () => {
        const { writes } = await livedThrough({ at: Infinity, isLasting, isWritten });
        const turn = (isLasting ? 2 : 0) + (isWritten ? 1 : 0);
        for (let at = 1 + ((turn * 3) % STEP); at <= writes; at += STEP) {
          const { texts, records } = await livedThrough({ at, isLasting, isWritten });
          for (const id of ["t1", "t2"]) {
            const own = records.filter((record) => record["id"] === id);
            // A task that never began is not in the journal; of one that did, the agent hears once.
            const ends = own.some(({ type }) => type === "start") ? 1 : 0;
            const messages = new Set(own.filter(({ type }) => type === "notice").map(({ no }) => no)).size;
            expect(countsOf(texts, id), `write ${at}, ${id}: ${texts.join("; ")}`).toEqual({
              ends,
              messages,
            });
          }
        }
      });
});
