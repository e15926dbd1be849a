/** Readers of stored sessions report damage to the observer. */

import { FakeClock, InMemoryFileSystem, seededIds } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import { storedSessions } from "#agent/memory/consolidation/dream-sessions.ts";
import type { SessionStore } from "#ports/session-store.ts";
import type { SessionEvent, SessionObserver } from "#session/events/events.ts";
import { searchSessions } from "#session/history/search-sessions.ts";
import { exportLines } from "#session/lifecycle/export-session-lines.ts";
import { createSession } from "#session/lifecycle/open-session.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { assistant, user } from "#test/helpers/histories.ts";

/** Session `broken` has a line that says something else than was stored; `sound` is whole. */
async function aStoreWithDamage() {
  const disk = new InMemoryFileSystem();
  const clock = new FakeClock();
  const ids = seededIds(1);
  const store = new FileSessionStore({ root: "/s", fs: disk, hasher: nodeHasher, ids });
  for (const sessionId of ["sound", "broken"]) {
    const session = await createSession({ store, clock, ids, hasher: nodeHasher, sessionId });
    for (const message of [user("We chose the ledger."), assistant("r1", "Noted."), user("A needle, too.")])
      await session.append(message);
    await session.close();
  }
  const text = Buffer.from(disk.readFile("/s/broken.jsonl")).toString("utf8");
  disk.writeFile("/s/broken.jsonl", Buffer.from(text.replace("Noted.", "Nothin"), "utf8"));
  return store;
}

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const readers: Readonly<
  Record<string, (store: SessionStore, observer: SessionObserver | undefined) => Promise<unknown>>
> = {
  "a search": (store, observer) =>
    all(searchSessions(store, "needle", observer === undefined ? {} : { observer })),
  "an export": async (store, observer) => {
    const watched = observer === undefined ? {} : { observer };
    for (const id of ["sound", "broken"]) {
      const log = await store.open(id);
      await all(exportLines(log, { isRedacted: true, hasher: nodeHasher, ...watched }));
      await log.close();
    }
  },
  "a dream that gathers": (store, observer) =>
    storedSessions(store, undefined, observer).gather(0, undefined),
  "a dream that judges": (store, observer) =>
    all(storedSessions(store, undefined, observer).conversations!(0, undefined)),
};

describe("damage in stored sessions", () => {
  it.each(
    Object.keys(readers),
  )("is told to the observer of %s, once, with the session's id", async (name) => {
    const store = await aStoreWithDamage();
    const reported: SessionEvent[] = [];
    await readers[name]!(store, { onEvent: (event) => void reported.push(event) });
    expect(reported).toEqual([
      {
        type: "damage",
        damage: { position: expect.any(Number), bytes: expect.any(Number), reason: "bad-checksum" },
        sessionId: "broken",
      },
    ]);
    await readers[name]!(store, undefined);
    expect(reported).toHaveLength(1);
  });
});
