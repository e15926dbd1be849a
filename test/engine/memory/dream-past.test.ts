/** What is over does not come back because it stands in an old session. */
import { describe, expect, it } from "vitest";
import { inMemoryMemoryStore } from "../../../src/adapters/in-memory/in-memory-memory-store.ts";
import { InMemorySessionStore } from "../../../src/adapters/in-memory/in-memory-session-store.ts";
import type { DreamSessions } from "../../../src/engine/memory/dream.ts";
import { storedSessions } from "../../../src/engine/memory/dream-sessions.ts";
import { aPersistentMemory, DAY_MS, put, START_MS } from "./a-persistent-memory.ts";

/** Sessions in which a user said one thing each, the newest first. */
function sessionsOf(...said: readonly (readonly [atMs: number, text: string])[]): DreamSessions {
  return {
    count: async () => said.length,
    gather: async () =>
      said.map(([createdAtMs, body], index) => ({
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
    const said = [
      [START_MS, OLD],
      [START_MS + DAY_MS, NEW],
    ] as const;
    await memory.dream({ force: true, sessions: sessionsOf(...order.map((at) => said[at]!)) });
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
