/**
 * Fails the 1st file operation of a move to the trash, of a restore and of a purge, then the 2nd …: a
 * session is always in the list and whole, or in the trash and can be restored.
 */

import { FakeClock, faultyFileSystem, InMemoryFileSystem, seededIds } from "palimpsest-testing";
import type { Crash, FileFault } from "palimpsest-testing/internal";
import { afterAll, describe, expect, it } from "vitest";
import { StoreError } from "#base/errors.ts";
import type { FileSystem } from "#ports/file-system.ts";
import type { SessionStore } from "#ports/session-store.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";
import { message, ROOT, readSession, SESSION } from "./workload.ts";

const BYSTANDER = "bystander";
const BLOBS = [JSON.stringify("first blob ".repeat(20)), JSON.stringify("second blob ".repeat(20))];
const OTHER_FILES = ["notes.md", "tasks/t1/output.log", "damage/120.bad", "memory/kept.md"];
const TRASHING = { at: 1_767_225_600_000, reason: "by hand" };
const ERRORS: readonly { readonly error: FileFault; readonly failCount: number }[] = [
  { error: "EIO", failCount: 1 },
  { error: "ENOSPC", failCount: 3 },
  { error: "short", failCount: 1 },
];
const DEATHS: readonly FileFault[] = ["kill", "torn"];

type Operation = "trash" | "restore" | "purge";
const OPERATIONS: readonly Operation[] = ["trash", "restore", "purge"];

let cases = 0;
afterAll(() => console.info(`${cases} cases of a trash that is interrupted`));

/** A store as a process of this number has it; only process 2 lives. */
function storeOf(fs: FileSystem, pid: number): SessionStore {
  const process = {
    pid,
    host: "host",
    space: "space",
    startedAt: undefined,
    isAlive: (other: number) => other === 2,
  };
  // A lease that a crash tore is believed for a moment.
  const clock = new FakeClock(TRASHING.at + pid * 60_000);
  const lease = { clock, process, timer: { every: () => () => undefined } };
  return new FileSessionStore({ root: ROOT, fs, hasher: nodeHasher, ids: seededIds(pid), lease });
}

async function storedDisk(operation: Operation): Promise<InMemoryFileSystem> {
  const disk = new InMemoryFileSystem();
  const store = storeOf(disk, 1);
  for (const id of [SESSION, BYSTANDER]) {
    const log = await store.create(id);
    for (const text of BLOBS) await log.putBlob(nodeHasher.sha256(text), text);
    await log.append([message(1), message(2)]);
    await log.sync();
    await log.close();
    for (const name of OTHER_FILES) disk.writeFile(`${ROOT}/${id}/${name}`, Buffer.from(`${id} ${name}`));
  }
  if (operation !== "trash") await store.trash(SESSION, TRASHING);
  return disk.crashedCopy("process");
}

function run(store: SessionStore, operation: Operation): Promise<void> {
  return operation === "trash" ? store.trash(SESSION, TRASHING) : store[operation](SESSION);
}

type Place = "listed" | "trashed" | "gone";

async function whereIs(store: SessionStore): Promise<Place> {
  const isListed = (await store.list()).includes(SESSION);
  const isTrashed = (await store.listTrash()).some(({ sessionId }) => sessionId === SESSION);
  expect(isListed && isTrashed).toBe(false);
  return isListed ? "listed" : isTrashed ? "trashed" : "gone";
}

/** Everything of the session, wherever it is now. */
async function expectWhole(disk: InMemoryFileSystem, why: string): Promise<Place> {
  const place = await whereIs(storeOf(disk, 2));
  if (place === "trashed") {
    const [record] = await storeOf(disk, 2).listTrash();
    expect(record, why).toEqual({ sessionId: SESSION, trashedAt: TRASHING.at, reason: TRASHING.reason });
    expect(auditOf(disk), why).toContain("trash");
    await storeOf(disk, 2).restore(SESSION);
  } else if (place === "listed") {
    // Any operation finishes what was left.
    await storeOf(disk, 2).trash(BYSTANDER, TRASHING);
    await storeOf(disk, 2).restore(BYSTANDER);
  } else await storeOf(disk, 2).trash(BYSTANDER, TRASHING);
  if (place !== "gone") await expectSession(disk, SESSION, why);
  else await storeOf(disk, 2).restore(BYSTANDER);
  await expectSession(disk, BYSTANDER, why);
  expect(litter(disk, place), why).toEqual([]);
  return place;
}

async function expectSession(disk: InMemoryFileSystem, id: string, why: string): Promise<void> {
  const log = await storeOf(disk, 2).open(id);
  const seqs: number[] = [];
  for await (const { entries } of log.readAll()) seqs.push(...entries.map(({ entry }) => entry.seq));
  expect(seqs, why).toEqual([1, 2]);
  for (const text of BLOBS) expect(await log.getBlob(nodeHasher.sha256(text)), why).toBe(text);
  await log.close();
  for (const name of OTHER_FILES)
    expect(Buffer.from(disk.readFile(`${ROOT}/${id}/${name}`)).toString(), why).toBe(`${id} ${name}`);
}

/** Files that must be gone after the next operation. */
function litter(disk: InMemoryFileSystem, place: Place): readonly string[] {
  const trash = `${ROOT}/.trash`;
  if (disk.stat(trash) === undefined) return [];
  const kept = place === "gone" ? [SESSION] : [];
  const busy = disk.stat(`${trash}/.busy`) === undefined ? [] : disk.list(`${trash}/.busy`);
  const leases = [SESSION, BYSTANDER]
    .filter((id) => disk.stat(`${ROOT}/${id}`) !== undefined)
    .flatMap((id) => disk.list(`${ROOT}/${id}`).filter((name) => name.startsWith("lease")));
  const places = disk.list(trash).filter((name) => ![".busy", "audit.jsonl", ...kept].includes(name));
  const outside = place === "gone" ? disk.list(ROOT).filter((name) => name.startsWith(SESSION)) : [];
  return [...busy, ...leases, ...places, ...outside];
}

function auditOf(disk: InMemoryFileSystem): readonly string[] {
  const text = Buffer.from(disk.readFile(`${ROOT}/.trash/audit.jsonl`)).toString();
  return text.split("\n").flatMap((line) => {
    try {
      const { sessionId, action } = JSON.parse(line) as { sessionId: string; action: string };
      return sessionId === SESSION ? [action] : [];
    } catch {
      return [];
    }
  });
}

interface Run {
  readonly disk: InMemoryFileSystem;
  readonly store: SessionStore;
  readonly failure: unknown;
  readonly why: string;
}

/** In a long run every operation fails in turn, by default every third. */
const STEP = bySize({ usual: 13, long: 3, soak: 1 });

/** One run for every operation that can fail, and one in which none does. */
async function sweep(
  operation: Operation,
  fault: { readonly error: FileFault; readonly failCount: number },
  check: (run: Run) => Promise<void>,
): Promise<number> {
  const base = await storedDisk(operation);
  for (let failAtCall = 1; ; failAtCall += STEP) {
    const disk = base.crashedCopy("process");
    const fs = faultyFileSystem(disk, { failAtCall, ...fault });
    const store = storeOf(fs, fault.failCount === 0 ? 2 : 1);
    const failure = await run(store, operation).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!fs.didFail()) return failAtCall - STEP;
    cases++;
    const why = `${operation}, ${fault.error} × ${fault.failCount} at operation ${failAtCall}`;
    await check({ disk, store, failure, why });
  }
}

describe("a trash whose process is killed", () => {
  it.each(
    OPERATIONS.flatMap((operation) => DEATHS.map((error) => ({ operation, error }))),
  )("has the session whole in the old place or in the new one: $operation, $error", async ({
    operation,
    error,
  }) => {
    const seen = new Set<Place>();
    const runs = await sweep(operation, { error, failCount: 1 }, async ({ disk, why }) => {
      seen.add(await expectWhole(disk, why));
    });
    expect(runs).toBeGreaterThan(20);
    expect([...seen].sort()).toEqual(
      { trash: ["listed", "trashed"], restore: ["listed", "trashed"], purge: ["gone", "trashed"] }[operation],
    );
  });
});

describe("a trash on a disk that fails", () => {
  it.each(
    OPERATIONS.flatMap((operation) => ERRORS.map((fault) => ({ operation, ...fault }))),
  )("tells it in the same call and can be asked again: $operation, $error × $failCount", async ({
    operation,
    error,
    failCount,
  }) => {
    await sweep(operation, { error, failCount }, async ({ disk, store, failure, why }) => {
      if (failure !== undefined) expect(failure, why).toBeInstanceOf(StoreError);
      const place = await whereIs(storeOf(disk, 2));
      const wanted = { trash: "trashed", restore: "listed", purge: "gone" }[operation];
      if (failure === undefined) expect(place, why).toBe(wanted);
      if (place !== wanted) await untilDone(store, operation);
      expect(await expectWhole(disk, why), why).toBe(wanted);
    });
  });
});

/** The same store, without a restart: the disk may fail a few times more. */
async function untilDone(store: SessionStore, operation: Operation): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run(store, operation);
    } catch (error) {
      if ((error as StoreError).code === "SESSION_NOT_FOUND" && attempt > 1) return;
      if (attempt === 6) throw error;
    }
  }
}

describe("a power cut during a move", () => {
  it.each([
    "power",
    "power-torn",
  ] as const)("loses no session (%s), at whichever operation", async (crash: Crash) => {
    for (const operation of ["trash", "restore"] as const)
      for (const error of DEATHS)
        await sweep(operation, { error, failCount: 1 }, async ({ disk, why }) => {
          const rest = disk.crashedCopy(crash);
          const store = storeOf(rest, 2);
          if (!(await store.list()).includes(SESSION)) await store.restore(SESSION);
          const found = await readSession(store, BLOBS);
          expect(found.seqs, `${crash}, ${why}`).toEqual([1, 2]);
        });
  });
});

describe("the cases", () => {
  it("are many", () => {
    expect(cases).toBeGreaterThan(400 / STEP);
  });
});
