/** The log of what was recalled: by the month, and never in the way. */
import { expect, it } from "vitest";
import { StoreError } from "#base/errors.ts";
import type { MemoryStore } from "#ports/memory-store.ts";
import { inMemoryMemoryStore } from "#stores/in-memory/in-memory-memory-store.ts";
import { aPersistentMemory, DAY_MS } from "#test/agent/memory/a-persistent-memory.ts";

const failed = () => new StoreError("STORE_FAILED", { message: "It is read-only.", hint: "None." });

/** A store, some of whose calls do something else. */
function changed(changes: Partial<MemoryStore>): MemoryStore {
  const store = inMemoryMemoryStore();
  const bound = Object.fromEntries(
    ["list", "read", "apply", "archived", "readArchived", "readRecord", "writeRecord", "appendRecord"]
      .concat(["listRecords", "tryLock", "close"])
      .map((name) => [name, (store as unknown as Record<string, CallableFunction>)[name]!.bind(store)]),
  );
  return { ...bound, ...changes } as unknown as MemoryStore;
}

it("does not keep a memory from being recalled where it cannot be written", async () => {
  const store = changed({ appendRecord: async () => Promise.reject(failed()) });
  const { memory } = aPersistentMemory({ store });
  await memory.remember("We deploy on Tuesdays only.");
  expect((await memory.recall("When may I deploy?")).memories).toHaveLength(1);
  expect(await memory.injections()).toEqual([]);
});

it("begins anew with each month, and tells the newest of all of them first", async () => {
  const { memory, store, clock } = aPersistentMemory();
  await memory.remember("We deploy on Tuesdays only.");
  for (let month = 0; month < 3; month++) {
    await memory.recall("When may I deploy?", { sessionId: `s${month}` });
    clock.nowMs += 31 * DAY_MS;
  }
  expect(await store.listRecords("injections/")).toEqual([
    "injections/2026-03.jsonl",
    "injections/2026-04.jsonl",
    "injections/2026-05.jsonl",
  ]);
  expect((await memory.injections()).map(({ sessionId }) => sessionId)).toEqual(["s2", "s1", "s0"]);
  expect((await memory.injections(2)).map(({ sessionId }) => sessionId)).toEqual(["s2", "s1"]);
});

it("passes over a month that is no text any more, also when memories are audited and dreamt of", async () => {
  const store = changed({ readRecord: async () => Promise.reject(failed()) });
  const { memory } = aPersistentMemory({ store });
  await memory.remember("We deploy on Tuesdays only.");
  await memory.recall("When may I deploy?");
  expect(await memory.injections()).toEqual([]);
  expect((await memory.audit()).findings.map(({ kind }) => kind)).not.toContain("unreadable");
});
