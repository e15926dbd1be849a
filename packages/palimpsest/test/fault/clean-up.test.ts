/**
 * Kills a clean-up at its 1st file operation, then at its 2nd …: no session is lost, and the next run ends
 * the work. A soak takes every operation, otherwise every few.
 */

import { FakeClock, faultyFileSystem, InMemoryFileSystem, seededIds } from "palimpsest-testing";
import type { FileFault } from "palimpsest-testing/internal";
import { expect, it } from "vitest";
import type { FileSystem } from "#ports/file-system.ts";
import { cleanUp } from "#session/lifecycle/clean-up.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";
import { ROOT } from "./workload.ts";

const STRIDE = bySize({ usual: 17, long: 4, soak: 1 });
const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 5, 1);
const AGES_DAYS = { old: 40, older: 50, trashed: 33, recent: 1 };
const BLOB = JSON.stringify("a blob");

function storeAt(fs: FileSystem, pid: number, nowMs = NOW_MS) {
  const clock = new FakeClock(nowMs);
  const isAlive = (other: number) => other === pid;
  const process = { pid, host: "host", space: "space", startedAt: undefined, isAlive };
  const lease = { clock, process, timer: { every: () => () => undefined } };
  const store = new FileSessionStore({ root: ROOT, fs, hasher: nodeHasher, ids: seededIds(pid), lease });
  return { store, run: () => cleanUp(store, { clock, ledger: store.cleanUpLedger() }) };
}

/** Two that are old, one whose grace is over with this run, one of yesterday. */
async function aDisk(): Promise<InMemoryFileSystem> {
  const disk = new InMemoryFileSystem();
  const { store } = storeAt(disk, 1);
  for (const [id, days] of Object.entries(AGES_DAYS)) {
    const at = NOW_MS - days * DAY_MS;
    const log = await store.create(id);
    await log.putBlob(nodeHasher.sha256(BLOB), BLOB);
    await log.append([
      { type: "message", seq: 1, id: "e1", v: 1, at, role: "user", content: [], origin: "user" },
    ]);
    await log.close();
    disk.touch(`${ROOT}/${id}.jsonl`, at);
  }
  await store.trash("trashed", { at: NOW_MS - 31 * DAY_MS, reason: "by hand" });
  const notes = [31, 24, 17, 10, 5, 1].map((days) => NOW_MS - days * DAY_MS);
  const ledger = notes.map((atMs) => ({ atMs, observedMs: atMs - notes[0]! }));
  await store.cleanUpLedger().write({ v: 1, notes: ledger });
  return disk;
}

async function places(disk: InMemoryFileSystem) {
  const { store } = storeAt(disk, 2);
  const listed = await store.list();
  const trashed = (await store.listTrash()).map(({ sessionId }) => sessionId);
  return { store, listed, trashed };
}

it.each([
  "kill",
  "torn",
] as const)("loses nothing and is ended by the next run: %s", async (error: FileFault) => {
  const base = await aDisk();
  for (let failAtCall = STRIDE === 1 || error === "kill" ? 1 : 9; ; failAtCall += STRIDE) {
    const disk = base.crashedCopy("process");
    const fs = faultyFileSystem(disk, { failAtCall, error });
    await storeAt(fs, 1)
      .run()
      .catch(() => undefined);
    if (!fs.didFail()) {
      expect(failAtCall).toBeGreaterThan(150);
      return;
    }
    const why = `${error} at operation ${failAtCall}`;
    const after = await places(disk);
    expect([...after.listed, ...after.trashed], why).toEqual(
      expect.arrayContaining(["old", "older", "recent"]),
    );

    // Half a lease that a crash tore is believed for a second.
    const { run } = storeAt(disk, 2, NOW_MS + 60_000);
    const report = await run();
    expect(report, why).toMatchObject({ outcome: "done", failures: [] });
    const { store, listed, trashed } = await places(disk);
    expect({ listed, trashed }, why).toEqual({ listed: ["recent"], trashed: ["old", "older"] });
    for (const id of trashed) {
      await store.restore(id);
      const log = await store.open(id);
      expect(await log.getBlob(nodeHasher.sha256(BLOB)), why).toBe(BLOB);
      await log.close();
    }
    const names = disk.list(ROOT).filter((name) => /tmp|lease|^trashed/.test(name));
    expect([...names, ...disk.list(`${ROOT}/.trash/.busy`)], why).toEqual([]);
  }
});
