/** A wish is kept once, whenever the process dies: extraction goes on where the log says that it got to. */
import { describe, expect, it } from "vitest";
import type { MemoryStore } from "#ports/memory-store.ts";
import type { SessionEvent } from "#session/events/events.ts";
import { inMemoryMemoryStore } from "#stores/in-memory/in-memory-memory-store.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { type FakeReply, fakeModel } from "#test/agent/fake-model.ts";
import { aPersistentMemory, DAY_MS } from "#test/agent/memory/a-persistent-memory.ts";
import { call } from "#test/agent/memory/dreaming.ts";
import { type StageOptions, setTheStage } from "#test/agent/stage.ts";
import type { Entry } from "#transcript/entries.ts";

const WISH = "Remember: the deploy host is delta-7.";
const never = (): Promise<FakeReply> => new Promise(() => {});

/** Sessions and memories that outlive a process, and a clock for both. */
function world(memoryStore: MemoryStore = inMemoryMemoryStore()) {
  let sessions = new InMemorySessionStore();
  const clock = { nowMs: Date.parse("2026-03-02T00:00:00Z") };
  const process = async (options: StageOptions = {}, memories = memoryStore) => {
    // The processes before, which were not closed, are dead: they write into another store.
    sessions = await copyOf(sessions);
    const { memory } = aPersistentMemory({ store: memories, clock });
    const sessionClock = { nowMs: () => clock.nowMs };
    const staged = await setTheStage({
      ...{ memory, store: sessions, clock: sessionClock, answer: () => "Done." },
      ...options,
    });
    return { ...staged, memory };
  };
  /** Says something and dies while the model answers. */
  const dies = async (text: string, options: StageOptions = {}): Promise<void> => {
    let isCalled = (): void => undefined;
    const called = new Promise<void>((resolve) => {
      isCalled = resolve;
    });
    const answer = (): Promise<FakeReply> => {
      isCalled();
      return never();
    };
    const { session } = await process({ answer, ...options });
    session.turn(text).catch(() => undefined);
    await called;
  };
  return { clock, process, dies, memoryStore };
}

async function copyOf(from: InMemorySessionStore): Promise<InMemorySessionStore> {
  const to = new InMemorySessionStore();
  if ((await from.list()).length === 0) return to;
  const log = await from.open("s1");
  const entries: Entry[] = [];
  for await (const batch of log.readAll()) entries.push(...batch.entries.map(({ entry }) => entry));
  const copy = await to.create("s1");
  await copy.append(entries);
  await copy.close();
  return to;
}

const receiptsIn = (events: readonly SessionEvent[]) =>
  events.flatMap((event) => (event.type === "memory-extracted" ? event.receipts : []));

describe("a wish that was said before a crash", () => {
  it.each([
    { kept: 1, isForgotten: false, why: "once" },
    { kept: 0, isForgotten: true, why: "and not again where it was forgotten since" },
  ])("is kept where its turn ended and the model was still to be asked: $why", async ({
    kept,
    isForgotten,
  }) => {
    const { process } = world();
    const { session, memory } = await process();
    await session.turn(WISH);
    await session.memorySettled();
    const [first] = (await memory.list()).memories;
    if (isForgotten) await memory.forget(first!.path);
    const again = await process();
    await again.session.turn("What is next?");
    await again.session.close();
    expect((await again.memory.list()).memories).toHaveLength(kept);
  });

  it("becomes one memory when the session goes on, of the time at which it was said", async () => {
    const { process, dies, clock } = world();
    await dies(WISH);
    clock.nowMs += 3 * DAY_MS;
    const { session, memory, events } = await process();
    await session.turn("Go on, please.");
    await session.memorySettled();
    expect(receiptsIn(events)).toMatchObject([{ status: "written" }]);
    const { memories } = await memory.list();
    expect(memories).toMatchObject([
      { body: "The deploy host is delta-7.", source: "user", decays: false, sessionId: "s1" },
    ]);
    expect(memories[0]!.createdAtMs).toBe(clock.nowMs - 3 * DAY_MS);
    const read = await session.session.history.read(memories[0]!.messageId!);
    expect(read).toMatchObject({ text: WISH });
  });

  it("becomes one memory when the session is only opened and closed", async () => {
    const { process, dies } = world();
    await dies(WISH);
    const { session, memory } = await process();
    await session.close();
    expect((await memory.list()).memories).toHaveLength(1);
  });

  it("stays one memory through any number of crashes and closings", async () => {
    const { process, dies } = world();
    const seen: number[] = [];
    for (let round = 0; round < 3; round++) {
      await dies(round === 0 ? WISH : `Step ${round}, please.`);
      const { session, memory, events } = await process();
      await session.turn("Go on, please.");
      await session.memorySettled();
      // Of two processes one is closed, and one dies.
      if (round === 1) await session.close();
      seen.push(receiptsIn(events).length);
      expect((await memory.list()).memories).toHaveLength(1);
    }
    expect(seen).toEqual([1, 0, 0]);
  });

  it("is not kept again where the process died between memory and log", async () => {
    const { process, dies } = world();
    await dies(WISH);
    const first = await process();
    const messageId = "m3.0";
    await first.memory.remember("The deploy host is delta-7.", {
      source: "user",
      sessionId: "s1",
      messageId,
    });
    await first.session.close();
    expect(receiptsIn(first.events)).toEqual([]);
    expect((await first.memory.list()).memories).toHaveLength(1);
  });

  it("does not come back where it was forgotten, or corrected, since", async () => {
    for (const isForgotten of [true, false]) {
      const { process, dies, clock } = world();
      await dies(WISH);
      clock.nowMs += DAY_MS;
      const { memory, session } = await process();
      const { path } = await memory.remember("The deploy host is delta-7.", { source: "user" });
      if (isForgotten) await memory.forget(path!);
      else await memory.supersede(path!, "The deploy host is omega-1.", { source: "user" });
      await session.close();
      const { memories } = await memory.list({ state: "active" });
      expect(memories.map(({ body }) => body)).toEqual(isForgotten ? [] : ["The deploy host is omega-1."]);
    }
  });

  it("is kept where the store failed, or never answered, the first time", async () => {
    const endings = [() => Promise.reject(new Error("no space")), () => new Promise<never>(() => {})];
    for (const apply of endings) {
      const { process, memoryStore } = world();
      const first = await process({}, storeThat(apply));
      await first.session.turn(WISH);
      const { session, memory } = await process({}, memoryStore);
      await session.close();
      expect((await memory.list()).memories).toHaveLength(1);
    }
  });

  it("is found in the log where a compaction has hidden it", async () => {
    const { process, memoryStore } = world();
    const first = await process(
      {},
      storeThat(() => new Promise<never>(() => {})),
    );
    await first.session.turn(WISH);
    for (let step = 0; step < 4; step++)
      await first.session.turn(`Step ${step}: ${"do it well. ".repeat(900)}`);
    await first.session.compact();
    const shown = JSON.stringify(first.session.session.visible.map(({ seq }) => seq));
    const { session, memory } = await process({}, memoryStore);
    await session.close();
    const [kept] = (await memory.list()).memories;
    expect(kept).toMatchObject({ body: "The deploy host is delta-7." });
    expect(shown).not.toContain(`[${kept!.messageId!.slice(1, -2)},`);
  });

  it("is not kept where it was taken back by rewinding", async () => {
    const { process, dies } = world();
    await dies("First, look around.");
    const { session } = await process({ memory: undefined as never });
    const before = session.session.visible.at(-1)!.seq;
    await session.append({ role: "user", content: [{ type: "text", text: WISH }] });
    await session.session.rewind(before);
    const last = await process();
    await last.session.close();
    expect((await last.memory.list()).memories).toEqual([]);
  });

  it("is found by a model, too, with what is new", async () => {
    const { process, dies, clock } = world();
    await dies(WISH, { memoryExtraction: "model", lightModel: fakeModel(() => "Nothing.") });
    clock.nowMs += DAY_MS;
    const asked: string[] = [];
    const lightModel = fakeModel(({ messages }) => {
      asked.push(JSON.stringify(messages));
      const input = { name: "Deploy host", description: "", type: "project", messages: ["m3.0"] };
      return asked.length === 1
        ? [call("memory_write", { ...input, text: "The deploy host is delta-7." })]
        : "Nothing.";
    });
    const { session, memory } = await process({ memoryExtraction: "model", lightModel });
    await session.turn("Go on, please.");
    expect(asked).toEqual([]);
    await session.close();
    expect(asked[0]).toContain("delta-7");
    expect(asked[0]).toContain("Go on, please.");
    expect((await memory.list()).memories).toMatchObject([{ decays: false }]);
  });
});

describe("what was said while nothing was extracted", () => {
  it("is not looked at later", async () => {
    const { process, dies } = world();
    await dies("Look around, please.");
    await dies(WISH, { memoryExtraction: "off" });
    const { session, memory } = await process();
    await session.turn("Go on, please.");
    await session.close();
    expect((await memory.list()).memories).toEqual([]);
  });

  it("counts as looked at in a log without a mark, and what is said from then on does not", async () => {
    const { process, dies } = world();
    await dies(WISH, { memory: undefined as never });
    await dies("Go on, please.");
    await dies("Remember: the staging host is otter-2.");
    const { session, memory } = await process();
    await session.close();
    expect((await memory.list()).memories.map(({ body }) => body)).toEqual(["The staging host is otter-2."]);
  });
});

/** A store whose changes end like this. */
function storeThat(apply: () => Promise<never>): MemoryStore {
  const store = inMemoryMemoryStore();
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "apply") return apply;
      const value = Reflect.get(target, name) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
