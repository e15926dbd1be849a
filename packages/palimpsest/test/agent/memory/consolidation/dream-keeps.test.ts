/** A dream keeps the memories it decided for, those a person restored, and a user's preferences. */
import { describe, expect, it } from "vitest";
import { formatMemoryFile } from "#memory/files/memory-file.ts";
import type { MemoryStore } from "#ports/memory-store.ts";
import { aPersistentMemory, DAY_MS, put, START_MS } from "#test/agent/memory/a-persistent-memory.ts";
import { dreamer, fact, sessionsWith, supersede } from "#test/agent/memory/dreaming.ts";

const OLD = 8080;

async function twoPorts(store: MemoryStore, ports: readonly [number, number]): Promise<void> {
  await fact(store, "january.md", `The API listens on port ${ports[0]}.`, { days: 300, decays: true });
  await fact(store, "march.md", `The API listens on port ${ports[1]}.`, { days: 240, decays: true });
}

describe("a dream", () => {
  it.each([
    { ports: [OLD, 9090] as const, kind: "supersede", why: "the winner of a contradiction" },
    { ports: [OLD, OLD] as const, kind: "merge", why: "the one that stays of two that say the same" },
  ])("does not archive $why, and the next dreams do not either", async ({ ports, kind }) => {
    const { memory, store, clock } = aPersistentMemory();
    await twoPorts(store, ports);
    const dream = await memory.dream({ force: true });
    expect(dream.actions.map((action) => action.kind)).toEqual([kind, "index"]);
    clock.nowMs += 2 * DAY_MS;
    expect((await memory.dream({ force: true })).status).toBe("nothing-to-do");
    const { memories } = await memory.recall("Which port does the API listen on?");
    expect(memories).toMatchObject([{ path: "march.md", ageDays: 242 }]);
  });

  it("keeps its winner however little relevance the file claims", async () => {
    const { memory, store } = aPersistentMemory();
    await fact(store, "january.md", "The API listens on port 8080.", { days: 300 });
    const body = "The API listens on port 9090.";
    const reported = { name: "march", body, source: "user", isConfirmed: true, relevance: 0.05 } as const;
    await put(store, "march.md", formatMemoryFile({ ...reported, createdAtMs: START_MS - DAY_MS }));
    const dream = await memory.dream({ force: true });
    expect(dream.actions.map(({ kind }) => kind)).toEqual(["supersede", "index"]);
  });

  it("archives the winner if no person confirmed it for another lifetime", async () => {
    const { memory, store, clock } = aPersistentMemory();
    await twoPorts(store, [OLD, 9090]);
    await memory.dream({ force: true });
    clock.nowMs += 101 * DAY_MS;
    const later = await memory.dream({ force: true });
    expect(later.actions).toContainEqual(expect.objectContaining({ kind: "prune", paths: ["march.md"] }));
  });

  it("does not let the date of its decision make an old fact newer than a later one", async () => {
    const { memory, store } = aPersistentMemory();
    await twoPorts(store, [OLD, 9090]);
    const body = "The API listens on port 7070.";
    await fact(store, "june.md", body, { days: 150, source: "agent" });
    const dream = await memory.dream({ force: true });
    expect(dream.actions).not.toContainEqual(expect.objectContaining({ paths: ["march.md", "june.md"] }));
    expect(dream.notes).toEqual([
      "june.md says otherwise than march.md, which is better founded: a person has to decide.",
    ]);
  });

  it("keeps what it takes out of an old session", async () => {
    const { memory } = aPersistentMemory();
    const message = {
      name: "Deploy days",
      description: "",
      type: "project",
      body: "We deploy the API on Tuesdays.",
      source: "user",
      isConfirmed: true,
      isQuarantined: false,
      decays: true,
      folder: "",
      createdAtMs: START_MS - 200 * DAY_MS,
    } as const;
    const sessions = { ...sessionsWith(), gather: async () => [message] };
    const dream = await memory.dream({ force: true, sessions });
    expect(dream.actions.map(({ kind }) => kind)).toEqual(["remember", "index"]);
    expect((await memory.dream({ force: true })).status).toBe("nothing-to-do");
  });

  it("does not archive again what a person took back from the archive", async () => {
    const { memory, store } = aPersistentMemory();
    await fact(store, "old.md", "The archive room is in Ghent.", { days: 300 });
    await memory.dream({ force: true });
    await memory.restore("old.md");
    await memory.dream({ force: true });
    expect((await memory.list()).memories.map(({ path }) => path)).toEqual(["old.md"]);
  });

  it("does not archive what came back because its correction was forgotten", async () => {
    const { memory, store } = aPersistentMemory();
    await fact(store, "old.md", "The API listens on port 8080.", { days: 300, supersededBy: "new.md" });
    await fact(store, "new.md", "The API listens on port 9090.", { days: 200, supersedes: ["old.md"] });
    await memory.forget("new.md");
    await memory.dream({ force: true });
    expect((await memory.list()).memories.map(({ path }) => path)).toEqual(["old.md"]);
  });
});

describe("a preference", () => {
  it.each([
    { type: "user", source: "user", isKept: true },
    { type: "feedback", source: "import", isKept: true },
    { type: "user", source: "unknown", isKept: true },
    { type: "project", source: "user", isKept: false },
    { type: "user", source: "agent", isKept: false },
  ] as const)("of type $type from source $source is kept after 200 days: $isKept", async (reported) => {
    const { type, source, isKept } = reported;
    const { memory, store } = aPersistentMemory();
    const body = "Prefers bun over npm.";
    const createdAtMs = START_MS - 200 * DAY_MS;
    await put(store, "a.md", formatMemoryFile({ name: "a", body, type, source, createdAtMs }));
    expect((await memory.list()).memories[0]!.decays).toBe(!isKept);
    await memory.dream({ force: true });
    expect((await memory.list()).memories).toHaveLength(isKept ? 1 : 0);
  });

  it("that was imported stays, and other imports have a life of their own before they fade", async () => {
    const { memory, clock } = aPersistentMemory();
    const modifiedMs = START_MS - 200 * DAY_MS;
    const file = (path: string, type: string, body: string) => ({
      path,
      modifiedMs,
      text: `---\nname: ${path}\ndescription: d\ntype: ${type}\n---\n${body}\n`,
    });
    await memory.import([
      file("bun.md", "user", "Prefers bun over npm."),
      file("short.md", "feedback", "Keep answers short."),
      file("token.md", "reference", "The auth token is renewed each hour."),
    ]);
    await memory.dream({ force: true });
    expect((await memory.list()).memories).toHaveLength(3);
    clock.nowMs += 101 * DAY_MS;
    await memory.dream({ force: true });
    expect((await memory.list()).memories.map(({ type }) => type)).toEqual(["user", "feedback"]);
  });
});

describe("facts about several instances of one kind", () => {
  const about = (number: number): string => `From now on always use pnpm for workspace ${number}.`;

  it("stay side by side when they are remembered, and in a dream", async () => {
    const { memory, clock } = aPersistentMemory();
    for (const number of [0, 3, 7, 12]) {
      clock.nowMs += DAY_MS;
      expect(await memory.remember(about(number), { source: "user" })).toMatchObject({ status: "written" });
    }
    expect((await memory.dream({ force: true })).actions).toEqual([]);
    expect((await memory.list({ state: "active" })).memories).toHaveLength(4);
  });

  it("stay where a model says that one corrects the other", async () => {
    const model = dreamer([supersede("b.md", "a.md")]);
    const { memory, store } = aPersistentMemory({ lightModel: model });
    await fact(store, "a.md", about(0), { days: 2 });
    await fact(store, "b.md", about(3), { days: 1 });
    const dream = await memory.dream({ force: true });
    expect(dream.refused).toEqual(["They are about two instances of one kind: both hold. (b.md, a.md)"]);
    const named = await memory.remember(about(12), { source: "user", corrects: ["a.md"] });
    expect(named.superseded).toEqual([]);
    expect((await memory.list({ state: "active" })).memories).toHaveLength(3);
  });
});
