/** An outdated fact does not return because an old session contains it. */
import { describe, expect, it } from "vitest";
import { storedSessions } from "#agent/memory/consolidation/dream-sessions.ts";
import type { DreamSessions } from "#agent/memory/consolidation/run-dream.ts";
import { inMemoryMemoryStore } from "#stores/in-memory/in-memory-memory-store.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { fakeModel } from "#test/agent/fake-model.ts";
import { aPersistentMemory, DAY_MS, put, START_MS } from "#test/agent/memory/a-persistent-memory.ts";
import { dreamer, fact, says, sessionsWith, write } from "#test/agent/memory/dreaming.ts";

/** Sessions in which a user said one thing each, the newest first. */
function sessionsOf(...texts: readonly (readonly [atMs: number, text: string])[]): DreamSessions {
  return {
    count: async () => texts.length,
    gather: async () =>
      texts.map(([createdAtMs, body], index) => ({
        ...{ name: body, description: "", type: "project", body, source: "user", folder: "" },
        ...{ isConfirmed: true, isQuarantined: false, decays: false, createdAtMs },
        ...{ sessionId: `s${index}`, messageId: "m1" },
      })),
  };
}

const active = async (memory: ReturnType<typeof aPersistentMemory>["memory"]) =>
  (await memory.list({ state: "active" })).memories.map(({ body }) => body.trim());

const OLD = "The API listens on port 9090.";
const NEW = "The API listens on port 9091.";

describe("a dream", () => {
  it.each([
    ["the newest first", [1, 0]],
    ["the oldest first", [0, 1]],
  ])("keeps a correction, whatever order the sessions come in: %s", async (_name, order) => {
    const { memory, clock } = aPersistentMemory();
    await memory.remember(OLD);
    clock.nowMs += DAY_MS;
    await memory.remember(NEW);
    clock.nowMs += DAY_MS;
    const messages = [
      [START_MS, OLD],
      [START_MS + DAY_MS, NEW],
    ] as const;
    await memory.dream({ force: true, sessions: sessionsOf(...order.map((at) => messages[at]!)) });
    expect(await active(memory)).toEqual([NEW]);
  });

  it("finds a correction by itself where nothing was remembered yet", async () => {
    const { memory, clock } = aPersistentMemory();
    clock.nowMs += 2 * DAY_MS;
    const sessions = sessionsOf([START_MS + DAY_MS, NEW], [START_MS, OLD]);
    await memory.dream({ force: true, sessions });
    expect(await active(memory)).toEqual([NEW]);
  });

  it("leaves forgotten what was forgotten after it was said, and takes what was said again since", async () => {
    const clock = { nowMs: START_MS };
    const store = inMemoryMemoryStore({ clock: { nowMs: () => clock.nowMs } });
    const { memory } = aPersistentMemory({ store, clock });
    const fact = "My badge number is 4711.";
    const { path } = await memory.remember(fact);
    clock.nowMs += DAY_MS;
    await memory.forget(path!);
    clock.nowMs += DAY_MS;
    expect((await memory.dream({ force: true, sessions: sessionsOf([START_MS, fact]) })).actions).toEqual([]);
    expect(await active(memory)).toEqual([]);
    await memory.dream({ force: true, sessions: sessionsOf([clock.nowMs, fact]) });
    expect(await active(memory)).toEqual([fact]);
  });

  it("keeps lines of what is there and is no memory", async () => {
    const { memory, store } = aPersistentMemory();
    await memory.remember(NEW);
    await put(store, "architect/MEMORY.md", "Somebody's own notes.\n");
    const line = "- [Architect](architect/MEMORY.md) — an index of its own\n";
    const gone = "- [Gone](gone.md) — nowhere\n";
    await put(store, "MEMORY.md", (await store.read("MEMORY.md"))!.text + line + gone);
    await memory.dream({ force: true });
    const { text } = (await store.read("MEMORY.md"))!;
    expect(text).toContain(line);
    expect(text).not.toContain(gone);
  });
});

describe("what a model finds in old talk", () => {
  const BADGE = "My badge number is 4711.";
  const conversation = [
    says("user", BADGE, START_MS),
    says("assistant", "Fine.", START_MS + 1),
    says("user", "How is the weather on my way to the office?", START_MS + 3 * DAY_MS),
  ];

  it.each([
    { why: "no message", messages: [] },
    { why: "an unknown one", messages: ["m9"] },
    { why: "the right one", messages: ["1/m0.0"] },
    { why: "a newer one than said it", messages: ["1/m2.0"] },
  ])("stays forgotten where it names $why", async ({ messages }) => {
    const clock = { nowMs: START_MS };
    const store = inMemoryMemoryStore({ clock: { nowMs: () => clock.nowMs } });
    const { memory } = aPersistentMemory({ store, clock });
    const { path } = await memory.remember(BADGE);
    clock.nowMs += DAY_MS;
    await memory.forget(path!);
    clock.nowMs += 3 * DAY_MS;
    const model = dreamer("Nothing.", [write(BADGE, { messages })]);
    const report = await memory.dream({ force: true, model, sessions: sessionsWith(conversation) });
    expect(report).toMatchObject({ actions: [], notes: [] });
    expect(await active(memory)).toEqual([]);
  });

  it("takes the place of nothing newer, and of what is older", async () => {
    const { memory, store, clock } = aPersistentMemory();
    await fact(store, "port.md", NEW, { days: 1 });
    clock.nowMs += DAY_MS;
    const messageOf = (text: string, days: number) =>
      sessionsWith([says("user", text, START_MS - days * DAY_MS)]);
    const dreamOf = (text: string, days: number) =>
      memory.dream({
        force: true,
        model: dreamer("Nothing.", [write(text)]),
        sessions: messageOf(text, days),
      });
    await dreamOf(OLD, 2);
    expect(await active(memory)).toEqual([NEW]);
    await dreamOf("The API listens on port 9092.", 0);
    expect(await active(memory)).toEqual(["The API listens on port 9092."]);
  });

  it("is not taken where nobody knows when it was said", async () => {
    const { memory } = aPersistentMemory();
    const sessions = sessionsWith([{ ...says("user", OLD), at: undefined } as never]);
    const model = dreamer("Nothing.", [write(OLD, { messages: ["1/m0.0"] })]);
    expect((await memory.dream({ force: true, model, sessions })).refused).toEqual([
      "Its messages have no time: it may be outdated.",
    ]);
    expect(await active(memory)).toEqual([]);
  });

  it("is not over because something else of the same message is", async () => {
    const both = `${OLD} Ben waters the plants on Mondays.`;
    const { memory, clock } = aPersistentMemory();
    const { path } = await memory.remember(OLD, { sessionId: "s0", messageId: "m0.0" });
    await memory.forget(path!);
    clock.nowMs += DAY_MS;
    const facts = ["Port 9090 is what the API listens on.", "Ben waters the plants on Mondays."];
    const model = dreamer(
      "Nothing.",
      facts.map((text) => write(text)),
    );
    const sessions = sessionsWith([says("user", both, START_MS - DAY_MS)]);
    await memory.dream({ force: true, model, sessions });
    expect(await active(memory)).toEqual([facts[1]]);
  });
});

it("what is said while a dream asks its model is what the next one listens to", async () => {
  const { memory, clock } = aPersistentMemory();
  const model = fakeModel(() => {
    clock.nowMs += DAY_MS;
    return "Nothing.";
  });
  const sinceMs: number[] = [];
  const { conversations } = sessionsWith([says("user", OLD)]);
  const sessions: DreamSessions = {
    ...sessionsWith(),
    conversations: (since, signal) => {
      sinceMs.push(since);
      return conversations!(since, signal);
    },
  };
  const ids = [];
  for (let at = 0; at < 3; at++) ids.push((await memory.dream({ force: true, model, sessions })).id);
  expect(sinceMs).toEqual([0, START_MS, START_MS + DAY_MS]);
  expect(new Set(ids).size).toBe(3);
});

it("what was corrected hangs on what the correction was merged into", async () => {
  const { memory, store } = aPersistentMemory();
  await fact(store, "old.md", OLD, { days: 9, supersededBy: "new.md" });
  await fact(store, "new.md", NEW, { days: 5, supersedes: ["old.md"] });
  await fact(store, "again.md", NEW, { days: 1 });
  await memory.dream({ force: true });
  expect((await memory.list()).memories).toMatchObject([
    { path: "again.md", state: "active", supersedes: ["old.md"] },
    { path: "old.md", state: "superseded", supersededBy: "again.md" },
  ]);
  expect((await memory.confirm("old.md")).status).toBe("rejected");
  await memory.forget("again.md");
  expect(await active(memory)).toEqual([OLD]);
});

it("what a session's user asked for is told with when it was said", async () => {
  const store = new InMemorySessionStore();
  const log = await store.create("s1");
  const place = { seq: 2, id: "e2", parentId: "e1", v: 1, at: START_MS } as const;
  await log.append([
    { type: "header", seq: 1, id: "e1", v: 1, at: START_MS, sessionId: "s1", createdBy: "test" },
    {
      ...{ type: "message", ...place, role: "user", origin: "user" },
      content: [{ type: "text", text: `Remember that ${OLD}` }],
    },
  ]);
  await log.close();
  const gathered = await storedSessions(store).gather(0, undefined);
  expect(gathered).toMatchObject([{ createdAtMs: START_MS, sessionId: "s1" }]);
});
