/** Finding a session by its name among very many. */
import { InMemoryFileSystem, seededIds } from "palimpsest-testing";
import { expect, it } from "vitest";
import { findSession } from "#host/home/find-session.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { message } from "#test/fault/workload.ts";

it("reads the sessions of an index that was lost once, not each time", async () => {
  const fs = new InMemoryFileSystem();
  const store = new FileSessionStore({
    root: "/s",
    fs,
    hasher: nodeHasher,
    ids: seededIds(5),
    isIndexed: true,
  });
  for (let number = 0; number < 120; number++) {
    const log = await store.create(`session-${number}`);
    await log.append([message(1)]);
    await log.close();
  }
  const places = [{ project: { name: "p", folder: "/s", trashFolder: "/t" }, store }];
  await expect(findSession("session-", places, "p")).rejects.toMatchObject({ code: "SESSION_AMBIGUOUS" });
  const untitled = (await store.overview()).filter(({ title }) => title === undefined);
  expect(untitled).toEqual([]);
});
