/** Dreams: what they would do is shown, what they did can be taken back, and they end. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DreamSessions } from "#agent/memory/consolidation/run-dream.ts";
import { formatMemoryFile } from "#memory/files/memory-file.ts";
import type { FreshMemory } from "#memory/write/plan-remember.ts";
import type { MemoryStore } from "#ports/memory-store.ts";
import { inMemoryMemoryStore } from "#stores/in-memory/in-memory-memory-store.ts";
import { aPersistentMemory, DAY_MS, put, START_MS } from "#test/agent/memory/a-persistent-memory.ts";
import { bySize } from "../../../../../../test/helpers/size-of-run.ts";

async function filesOf(store: MemoryStore): Promise<Readonly<Record<string, string>>> {
  const { files } = await store.list();
  const read = await Promise.all(files.map(({ path }) => store.read(path)));
  return Object.fromEntries(read.map((file) => [file!.path, file!.text]));
}

const TOWNS = ["Ghent", "Turin", "Porto", "Lyon", "Malmo", "Graz", "Cadiz", "Delft", "Siena", "Tartu"];

/** Thirty memories to be put in order, among others that are left alone. */
async function planted(areas: number): Promise<ReturnType<typeof aPersistentMemory>> {
  const staged = aPersistentMemory();
  const { store } = staged;
  for (let at = 0; at < areas; at++) {
    const body = `The archive room ${at} in ${TOWNS[at % 10]} keeps crate number ${at * 37}.`;
    await put(store, `room-${at}.md`, memoryText(body, { createdAtMs: START_MS - DAY_MS }));
  }
  for (let at = 0; at < 10; at++) {
    const body = `Service ${TOWNS[at]} listens on port ${8000 + at}.`;
    await put(store, `port-${at}.md`, memoryText(body, { createdAtMs: START_MS - 9 * DAY_MS }));
    await put(store, `twin-${at}.md`, memoryText(body.toUpperCase(), { createdAtMs: START_MS - 5 * DAY_MS }));
  }
  for (let at = 0; at < 5; at++) {
    const body = `Service ${TOWNS[at]} listens on port ${9000 + at}.`;
    await put(store, `moved-${at}.md`, memoryText(body, { createdAtMs: START_MS - DAY_MS }));
    await put(
      store,
      `stale-${at}.md`,
      memoryText(`Rumour ${at} of ${TOWNS[at]}.`, { createdAtMs: START_MS - 300 * DAY_MS }),
    );
  }
  return staged;
}

function memoryText(body: string, reported: { readonly createdAtMs: number }): string {
  return formatMemoryFile({ name: body.slice(0, 30), body, source: "user", isConfirmed: true, ...reported });
}

const MEMORIES = bySize({ usual: 100, long: 200 });

describe(`a dream on ${MEMORIES} memories`, () => {
  let staged: Awaited<ReturnType<typeof planted>>;
  let files: Awaited<ReturnType<typeof filesOf>>;
  let id: string | undefined;

  it("finds what was planted, and a second one finds nothing to do", async () => {
    staged = await planted(MEMORIES - 30);
    const { memory, store } = staged;
    files = await filesOf(store);
    const shown = await memory.dream({ dryRun: true, force: true });
    const countOf = (kind: string) => shown.actions.filter((action) => action.kind === kind).length;
    expect([countOf("merge"), countOf("supersede"), countOf("prune"), countOf("index")]).toEqual([
      5, 10, 5, 1,
    ]);
    expect(shown).toMatchObject({ status: "planned", notes: [] });
    expect(shown.diff).toContain("archived stale-0.md");
    expect(shown.diff).toContain("+ supersededBy: moved-0.md");

    const done = await memory.dream({ force: true });
    id = done.id;
    expect(done).toMatchObject({ status: "applied", actions: shown.actions, diff: shown.diff });
    expect((await memory.list({ state: "active" })).memories).toHaveLength(MEMORIES - 20);
    expect((await memory.recall("On which port does service Ghent listen?", { limit: 1 })).text).toContain(
      "9000",
    );
    const { text, warnings } = await memory.index();
    expect(text.split("\n").length).toBeLessThanOrEqual(200);
    expect(warnings).toEqual([]);

    const before = await filesOf(store);
    expect(await memory.dream({ force: true })).toMatchObject({
      status: "nothing-to-do",
      actions: [],
      diff: "",
    });
    expect(await filesOf(store)).toEqual(before);
  });

  it("is taken back to the byte", async () => {
    const { memory, store } = staged;
    expect(await filesOf(store)).not.toEqual(files);
    await memory.revertDream(id);
    expect(await filesOf(store)).toEqual(files);
    expect((await memory.dreams()).find((dream) => dream.id === id)).toMatchObject({ state: "reverted" });
    await expect(memory.revertDream(id)).rejects.toMatchObject({ code: "MEMORY_NOT_FOUND" });
  });
});

describe("a dream", () => {
  it("changes nothing where it is only looked at", async () => {
    const { memory, store } = await planted(20);
    const before = await filesOf(store);
    await memory.dream({ dryRun: true, force: true });
    expect(await filesOf(store)).toEqual(before);
    expect(await memory.dreams()).toEqual([]);
  });

  it.each([
    { hours: 23, sessions: 9, status: "not-due", why: "the last one was today" },
    { hours: 25, sessions: 4, status: "not-due", why: "hardly anything happened since" },
    { hours: 25, sessions: 5, status: "nothing-to-do", why: "both gates are open" },
    { hours: -100, sessions: 9, status: "not-due", why: "a clock went back" },
  ])("is $status after $hours hours and $sessions sessions: $why", async ({ hours, sessions, status }) => {
    const { memory, clock } = aPersistentMemory();
    await memory.dream({ force: true });
    clock.nowMs += hours * 3_600_000;
    const source: DreamSessions = { count: async () => sessions, gather: async () => [] };
    expect((await memory.dream({ sessions: source })).status).toBe(status);
  });

  it("leaves a contradiction to a person where the newer one is less to be believed", async () => {
    const { memory, store } = aPersistentMemory();
    await put(
      store,
      "old.md",
      memoryText("The API listens on port 8080.", { createdAtMs: START_MS - 9 * DAY_MS }),
    );
    const text = formatMemoryFile({
      name: "new",
      body: "The API listens on port 9090.",
      source: "agent",
      createdAtMs: START_MS,
    });
    await put(store, "new.md", text);
    const { notes, actions } = await memory.dream({ force: true });
    expect(actions.filter(({ kind }) => kind !== "index")).toEqual([]);
    expect(notes).toEqual([
      "new.md says otherwise than old.md, which is better founded: a person has to decide.",
    ]);
  });

  it("keeps what users asked for in sessions, once", async () => {
    const { memory } = aPersistentMemory();
    const fresh: FreshMemory = {
      ...{
        name: "Port",
        description: "",
        type: "project",
        body: "The API listens on port 9090.",
        source: "user",
      },
      ...{
        isConfirmed: true,
        isQuarantined: false,
        decays: true,
        folder: "",
        sessionId: "s1",
        messageId: "m2.0",
      },
    };
    const sessions: DreamSessions = { count: async () => 9, gather: async () => [fresh, fresh] };
    const { actions } = await memory.dream({ sessions });
    expect(actions.map(({ kind, paths }) => [kind, ...paths])).toEqual([
      ["remember", "port.md"],
      ["index", "MEMORY.md"],
    ]);
    expect(await memory.show("port.md")).toMatchObject({ sessionId: "s1", source: "user" });
  });

  it("archives no more than its cap, and says what it left", async () => {
    const { memory, store } = aPersistentMemory();
    for (let at = 0; at < 30; at++)
      await put(
        store,
        `stale-${at}.md`,
        memoryText(`Rumour ${at} of ${TOWNS[at % 10]}.`, { createdAtMs: START_MS - 300 * DAY_MS }),
      );
    const { actions, notes } = await memory.dream({ force: true });
    expect(actions.filter(({ kind }) => kind === "prune")).toHaveLength(20);
    expect(notes).toHaveLength(10);
  });

  it("cannot be taken back over what somebody changed since, and says so", async () => {
    const { memory, store } = await planted(20);
    await memory.dream({ force: true });
    await put(store, "port-0.md", "mine");
    const before = await filesOf(store);
    await expect(memory.revertDream()).rejects.toMatchObject({ code: "MEMORY_REFUSED" });
    expect(await filesOf(store)).toEqual(before);
  });

  it("is one process's at a time", async () => {
    const store = inMemoryMemoryStore();
    const lock = await store.tryLock("dream");
    const { memory } = aPersistentMemory({ store });
    expect(await memory.dream({ force: true })).toMatchObject({ status: "busy" });
    await lock!.release();
    expect(await memory.dream({ force: true })).toMatchObject({ status: "nothing-to-do" });
  });

  it("plans anew where somebody changes a memory while it does, and loses nothing of theirs", async () => {
    const { memory, store } = await planted(20);
    const apply = store.apply.bind(store);
    let isFirst = true;
    store.apply = async (changes) => {
      if (isFirst && changes.length > 5) {
        isFirst = false;
        await put(store, "port-1.md", "A person's own words.");
      }
      return apply(changes);
    };
    expect(await memory.dream({ force: true })).toMatchObject({ status: "applied" });
    expect((await store.read("port-1.md"))!.text).toBe("A person's own words.");
  });

  it("ends whatever the memories are, and a second one changes nothing", async () => {
    const fact = fc.record({
      town: fc.constantFrom(...TOWNS.slice(0, 3)),
      port: fc.integer({ min: 1, max: 3 }),
      days: fc.integer({ min: 0, max: 400 }),
      source: fc.constantFrom("user", "agent", "tool"),
      decays: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fact, { maxLength: 12 }), async (facts) => {
        const { memory, store } = aPersistentMemory();
        for (const [at, { town, port, days, source, decays }] of facts.entries()) {
          const body = `Service ${town} listens on port ${port}.`;
          const reported = {
            createdAtMs: START_MS - days * DAY_MS,
            source,
            decays,
            isQuarantined: source === "tool",
          } as const;
          await put(store, `${at}.md`, formatMemoryFile({ name: `n${at}`, body, ...reported }));
        }
        const before = await filesOf(store);
        const first = await memory.dream({ force: true });
        const second = await memory.dream({ force: true });
        expect(second).toMatchObject({ status: "nothing-to-do" });
        if (first.status === "applied") await memory.revertDream(first.id);
        expect(await filesOf(store)).toEqual(before);
      }),
      { numRuns: 40 },
    );
  });
});
