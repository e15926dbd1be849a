/** Sessions that an older version made under ids that new ones no longer get. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { folderStore } from "#host/folder-store.ts";
import { MemoryManager } from "#host/memory-manager.ts";
import type { SessionStore } from "#ports/session-store.ts";
import { exportLines } from "#session/lifecycle/export-session-lines.ts";
import { forkSession } from "#session/lifecycle/fork-session.ts";
import { importLines } from "#session/lifecycle/import-session-lines.ts";
import { createSession, openSession } from "#session/lifecycle/open-session.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { nodeHasher, randomIds, systemClock } from "#stores/platform/node-ports.ts";
import { user } from "#test/helpers/histories.ts";

const OLD_IDS = ["-rf", "a.", "CON", "__proto__"] as const;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-ids-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const wired = (store: SessionStore) => ({
  store,
  clock: systemClock,
  ids: randomIds,
  hasher: nodeHasher,
});

/** The store, creating every session under one id: the stores still take those that they took before. */
function creating(store: SessionStore, id: string): SessionStore {
  const create: SessionStore["create"] = (_, scope) => store.create(id, scope);
  const open: SessionStore["open"] = (sessionId, scope) => store.open(sessionId, scope);
  return { create, open } as SessionStore;
}

async function storedBefore(store: SessionStore, id: string): Promise<void> {
  const options = wired(store);
  const session = await createSession({
    ...options,
    store: creating(store, id),
    sessionId: "new",
  });
  await session.append(user("said before"));
  await session.close();
}

it.each(OLD_IDS)("a session %j of a folder opens, goes on, is listed and forks", async (id) => {
  const store = folderStore(folder);
  await storedBefore(store, id);
  await expect(createSession({ ...wired(store), sessionId: id })).rejects.toMatchObject({
    code: "OPTION_INVALID",
  });
  const session = await openSession(id, wired(store));
  await session.append(user("said now"));
  await session.close();
  expect(await store.list()).toEqual([id]);
  const fork = await forkSession(id, wired(store));
  expect(fork.visible).toHaveLength(2);
  await fork.close();
  await expect(forkSession(id, { ...wired(store), sessionId: "CON" })).rejects.toMatchObject({
    code: "OPTION_INVALID",
  });
});

it("an exported session with such an id comes back under a new one", async () => {
  const store = new InMemorySessionStore();
  await storedBefore(store, "CON");
  const log = await store.open("CON");
  const back = await importLines(exportLines(log, { isRedacted: false, hasher: nodeHasher }), {
    ...wired(new InMemorySessionStore()),
    name: "CON.jsonl",
  });
  expect(back).toMatchObject({ originalId: "CON", messages: 1 });
  expect(back.sessionId).toMatch(/^[0-9a-f-]{36}$/);
});

it.each([
  ...OLD_IDS,
  "memory",
  "!",
  ".",
])("a conversation %j is remembered under whatever id its store takes", async (id) => {
  const store = folderStore(folder);
  const memory = new MemoryManager({ store });
  await memory.addUserMessage(id, "said");
  await memory.close();
  const again = new MemoryManager({ store });
  expect(await again.loadSession(id)).toBe(true);
  expect(again.getActiveEntries(id).map(({ content }) => content)).toEqual(["said"]);
  await again.close();
});

it("a conversation that an older version stored under such an id is found there", async () => {
  const store = folderStore(folder);
  const memory = new MemoryManager({
    store: creating(store, "CON"),
  });
  await memory.addUserMessage("other", "said before");
  await memory.close();
  expect(await store.list()).toEqual(["CON"]);
  const again = new MemoryManager({ store });
  await again.addUserMessage("CON", "said now");
  expect(again.getActiveEntries("CON").map(({ content }) => content)).toEqual(["said before", "said now"]);
  await again.close();
});
