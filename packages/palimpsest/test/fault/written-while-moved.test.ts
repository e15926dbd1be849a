/**
 * A session that is written at the very moment it is moved to the trash, at whichever file operation of the move:
 * it is moved, or it is written, and it has everything acknowledged. The same for a session that has a folder
 * and for one that has none, whose move takes no lease. Such a one is also moved by a process that dies.
 */

import { FakeClock, faultyFileSystem, InMemoryFileSystem, seededIds } from "palimpsest-testing";
import type { Crash, FileFault } from "palimpsest-testing/internal";
import { afterAll, describe, expect, it } from "vitest";
import type { FileSystem } from "#ports/file-system.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { isLong } from "../../../../test/helpers/size-of-run.ts";
import { message, ROOT, SESSION } from "./workload.ts";

const TRASHING = { at: 1_767_225_600_000, reason: "by hand" };
const BLOB = JSON.stringify("a blob");

let cases = 0;
afterAll(() => console.info(`${cases} cases of a session that is written while it is moved`));

interface Living {
  readonly pid: number;
  /** Processes that live. */
  readonly alive: readonly number[];
  readonly afterMs?: number;
}

function storeOf(fs: FileSystem, { pid, alive, afterMs = 0 }: Living): FileSessionStore {
  const isAlive = (other: number) => alive.includes(other);
  const process = { pid, host: "host", space: "space", startedAt: undefined, isAlive };
  const clock = new FakeClock(TRASHING.at + afterMs);
  const lease = { clock, process, timer: { every: () => () => undefined } };
  return new FileSessionStore({ root: ROOT, fs, hasher: nodeHasher, ids: seededIds(pid), lease });
}

async function aDisk({ hasFolder }: { readonly hasFolder: boolean }): Promise<InMemoryFileSystem> {
  const disk = new InMemoryFileSystem();
  const log = await storeOf(disk, { pid: 9, alive: [] }).create(SESSION);
  if (hasFolder) await log.putBlob(nodeHasher.sha256(BLOB), BLOB);
  await log.append([message(1), message(2)]);
  await log.sync();
  await log.close();
  return disk;
}

/** Calls `act` before the n-th operation. */
function interrupted(inner: FileSystem, at: number, act: () => void): FileSystem & { count: number } {
  const fs = { ...inner, count: 0 };
  const names = ["open", "makeDirectory", "list", "stat", "rename", "remove", "touch"] as const;
  for (const name of [...names, "removeDirectory", "syncDirectory"] as const)
    Object.assign(fs, {
      [name]: (...args: readonly unknown[]) => {
        if (++fs.count === at) act();
        return (inner[name] as (...all: readonly unknown[]) => unknown).apply(inner, [...args]);
      },
    });
  return fs;
}

/** The place of the session, and the numbers of its entries. */
async function lookAt(disk: InMemoryFileSystem, why: string, crash: Crash = "process") {
  const store = storeOf(disk, { pid: 3, alive: [3], afterMs: 60_000 });
  const isListed = (await store.list()).includes(SESSION);
  const isTrashed = (await store.listTrash()).length > 0;
  expect(isListed || isTrashed, why).toBe(true);
  // A disk that forgets one half of a renaming has it twice.
  if (crash === "process") expect(isListed && isTrashed, why).toBe(false);
  if (!isListed) await store.restore(SESSION);
  const log = await store.open(SESSION);
  await log.acquire();
  const seqs: number[] = [];
  for await (const { entries, damage } of log.readAll()) {
    expect(damage, why).toEqual([]);
    seqs.push(...entries.map(({ entry }) => entry.seq));
  }
  const blob = await log.getBlob(nodeHasher.sha256(BLOB));
  await log.close();
  return { isTrashed, seqs, blob };
}

describe("a session that is written while it is moved", () => {
  it.each([{ hasFolder: true }, { hasFolder: false }])("is moved or written: %j", async ({ hasFolder }) => {
    const base = await aDisk({ hasFolder });
    const seen = new Set<string>();
    for (let at = 1; ; at += isLong ? 1 : 2) {
      const disk = base.crashedCopy("process");
      const writing = storeOf(disk, { pid: 2, alive: [1, 2] });
      const log = await writing.open(SESSION);
      let append: Promise<unknown> = Promise.resolve("never");
      const fs = interrupted(disk, at, () => {
        append = log.append([message(3)]).then(
          () => "written",
          (error: { readonly code: string }) => error.code,
        );
      });
      const moving = storeOf(fs, { pid: 1, alive: [1, 2] });
      const moved = await moving.trash(SESSION, TRASHING).then(
        () => "moved",
        (error: { readonly code: string }) => error.code,
      );
      const written = await append;
      if (written === "never") break;
      cases++;
      await log.close();
      const why = `${moved} and ${written}: at operation ${at}`;
      const { isTrashed, seqs, blob } = await lookAt(disk, why);
      expect(seqs, why).toEqual(written === "written" ? [1, 2, 3] : [1, 2]);
      expect(blob, why).toBe(hasFolder ? BLOB : undefined);
      expect(isTrashed, why).toBe(moved === "moved");
      expect(moved === "moved" && written === "written", why).toBe(false);
      seen.add(`${moved} ${written}`);
    }
    expect([...seen].sort()).toEqual(
      expect.arrayContaining(["SESSION_IN_USE written", "moved SESSION_IN_USE", "moved SESSION_NOT_FOUND"]),
    );
  });
});

describe("a session without a folder", () => {
  /** By default every fourth operation fails; each kind of fault begins at another one. */
  it.each<[error: FileFault, first: number]>([
    ["kill", 1],
    ["torn", 2],
    ["EIO", 3],
    ["ENOSPC", 4],
  ])("is whole in the old place or in the new one: %s", async (error, first) => {
    const base = await aDisk({ hasFolder: false });
    for (let failAtCall = isLong ? 1 : first; ; failAtCall += isLong ? 1 : 4) {
      const disk = base.crashedCopy("process");
      const fs = faultyFileSystem(disk, { failAtCall, error });
      const moved = await storeOf(fs, { pid: 1, alive: [1] })
        .trash(SESSION, TRASHING)
        .then(
          () => true,
          () => false,
        );
      if (!fs.didFail()) break;
      for (const crash of ["process", "power", "power-torn"] satisfies readonly Crash[]) {
        cases++;
        const why = `${error} at operation ${failAtCall}, ${crash}`;
        const { isTrashed, seqs } = await lookAt(disk.crashedCopy(crash), why, crash);
        expect(seqs, why).toEqual([1, 2]);
        if (moved) expect(isTrashed, why).toBe(true);
      }
    }
  });
});
