/** One lease a session: its winner, the refused writers, and the folder afterwards. */

import { FakeClock, InMemoryFileSystem } from "palimpsest-testing";
import { FakeProcess, FakeTimer } from "palimpsest-testing/internal";
import { beforeEach, describe, expect, it } from "vitest";
import type { FileSystem } from "#ports/file-system.ts";
import { leaseState } from "#stores/files/lease/lease-state.ts";
import { SessionLease } from "#stores/files/lease/session-lease.ts";

const FOLDER = "/sessions/s";
const DAY_MS = 86_400_000;

let disk: InMemoryFileSystem;
let clock: FakeClock;
let living: Set<string>;
let leaseCount: number;

beforeEach(() => {
  clock = new FakeClock();
  disk = new InMemoryFileSystem(() => clock.nowMs());
  living = new Set();
  leaseCount = 0;
});

function aProcess({ host = "machine", fs = disk as FileSystem } = {}) {
  const process = new FakeProcess({ pid: 100 + ++leaseCount, host, living });
  const timer = new FakeTimer();
  const lease = new SessionLease({
    ...{ clock, process, timer, fs, sessionId: "s", sessionFolder: FOLDER, leaseId: `lease ${leaseCount}` },
    ensureFolder: () => fs.makeDirectory(FOLDER),
  });
  return { process, timer, lease };
}

const IN_USE = expect.objectContaining({ code: "SESSION_IN_USE" });
const names = () => (disk.stat(FOLDER) === undefined ? [] : [...disk.list(FOLDER)].sort());

describe("a lease", () => {
  it("is one file while it is held, and nothing afterwards", () => {
    const { lease, timer } = aProcess();
    expect(lease.acquire(0)).toBe("free");
    expect(names()).toEqual(["lease.1"]);
    expect(lease.acquire(0)).toBe("held-already");
    lease.release();
    lease.release();
    expect(disk.list("/sessions")).toEqual([]);
    expect(timer.runningCount).toBe(0);
  });

  it("is refused with who has it and how long one may wait", () => {
    aProcess().lease.acquire(0);
    clock.advance(2_100);
    expect(() => aProcess().lease.acquire(0)).toThrow(
      expect.objectContaining({
        code: "SESSION_IN_USE",
        message:
          "Session s is in use: process 101 on machine is its writer, and its last sign of life was 2.1 s ago.",
        hint: "Fork the session and go on in the fork, try again in 13 s in case it is gone, or only read it.",
      }),
    );
  });

  it.each<{ harm: string; ms: number; beats: boolean; acquired: string; why: string }>([
    { harm: "none", ms: 15_000, beats: false, acquired: "refused", why: "exactly its time" },
    { harm: "none", ms: 15_001, beats: false, acquired: "over-living", why: "no sign of life for longer" },
    { harm: "none", ms: 60_000, beats: true, acquired: "refused", why: "it gave signs of life" },
    { harm: "dies", ms: 0, beats: false, acquired: "over-dead", why: "its process is gone" },
    { harm: "none", ms: -DAY_MS, beats: false, acquired: "over-living", why: "the clock went back by a day" },
    { harm: "none", ms: -DAY_MS, beats: true, acquired: "refused", why: "it goes by the clock of now" },
    { harm: "none", ms: 75 * 365 * DAY_MS, beats: false, acquired: "over-living", why: "a clock far ahead" },
  ])("of a writer that $harm is $acquired after $ms ms: $why", ({ harm, ms, beats, acquired }) => {
    const first = aProcess();
    first.lease.acquire(0);
    clock.advance(ms);
    if (beats) first.timer.tick();
    if (harm === "dies") first.process.die();
    const next = aProcess().lease;
    if (acquired === "refused") expect(() => next.acquire(0)).toThrow(IN_USE);
    else expect(next.acquire(0)).toBe(acquired);
    expect(names()).toHaveLength(1);
  });

  it("of another machine is not judged by a number of a process here", () => {
    const far = aProcess({ host: "far" });
    far.lease.acquire(0);
    far.process.die();
    expect(() => aProcess().lease.acquire(0)).toThrow(IN_USE);
    clock.advance(15_001);
    expect(aProcess().lease.acquire(0)).toBe("over-living");
  });

  it("is taken again if another process removed it before it was written", () => {
    const open = disk.open.bind(disk);
    let createdCount = 0;
    disk.open = (path, mode) => {
      const file = open(path, mode);
      if (mode === "create" && ++createdCount === 1) disk.remove(path);
      return file;
    };
    expect(aProcess().lease.acquire(0)).toBe("free");
    expect(createdCount).toBe(2);
    expect(names()).toEqual(["lease.1"]);
    expect(() => aProcess().lease.acquire(0)).toThrow(IN_USE);
  });

  it("is lost by who slept through it, which touches and removes nothing of the next one's", () => {
    const asleep = aProcess();
    asleep.lease.acquire(0);
    clock.advance(20_000);
    const next = aProcess();
    next.lease.acquire(50);
    expect(names()).toEqual(["lease.50"]);
    asleep.timer.tick();
    expect(asleep.lease.isHeld).toBe(false);
    expect(asleep.timer.runningCount).toBe(0);
    asleep.lease.release();
    expect(names()).toEqual(["lease.50"]);
    expect(() => asleep.lease.acquire(50)).toThrow(IN_USE);
  });

  it.each([
    "",
    "half a lea",
    "[]",
    "null",
    '{"id":7}',
    "\0".repeat(5_000),
  ])("whose file holds %j is waited for, for a moment only", (text) => {
    disk.writeFile(`${FOLDER}/lease.4`, Buffer.from(text));
    disk.touch(`${FOLDER}/lease.4`, clock.nowMs());
    expect(() => aProcess().lease.acquire(0)).toThrow(IN_USE);
    clock.advance(1_001);
    expect(aProcess().lease.acquire(0)).toBe("over-living");
    expect(names()).toEqual(["lease.5"]);
  });

  it("cannot be made to last for ever by what its file says", () => {
    const holder = { id: "x", pid: 1, host: "far", space: "far", ttlMs: 1e15 };
    disk.writeFile(`${FOLDER}/lease.1`, Buffer.from(JSON.stringify(holder)));
    disk.touch(`${FOLDER}/lease.1`, clock.nowMs());
    clock.advance(300_001);
    expect(aProcess().lease.acquire(0)).toBe("over-living");
  });

  it.each([
    { name: "lease.9007199254740991", why: "no number comes after it" },
    { name: "lease.9999999999999999", why: "it is no number that is told from the next" },
    { name: "lease.7/file", why: "a folder is no lease" },
  ])("is to be had whatever somebody put there: $name, $why", ({ name }) => {
    disk.makeDirectory(`${FOLDER}/lease.7`.slice(0, name.includes("/") ? undefined : FOLDER.length));
    disk.open(`${FOLDER}/${name}`, "create").close();
    clock.advance(60_000);
    const { lease } = aProcess();
    expect(lease.acquire(5)).not.toBe("held-already");
    expect(names().filter((found) => !name.startsWith(found))).toEqual(["lease.5"]);
    expect(() => aProcess().lease.acquire(5)).toThrow(IN_USE);
    lease.release();
    expect(aProcess().lease.acquire(6)).toBe("free");
  });

  it("is told of without being taken, and files with other names are none", () => {
    expect(leaseState(disk, FOLDER, clock.nowMs())).toMatchObject({ type: "free" });
    for (const name of ["lease", "lease.", "lease.0", "lease.01", "lease.1x", "lease.-1"])
      disk.writeFile(`${FOLDER}/${name}`, Buffer.from("x"));
    expect(leaseState(disk, FOLDER, clock.nowMs())).toMatchObject({ type: "free" });
    const { process } = aProcess();
    aProcess().lease.acquire(0);
    expect(leaseState(disk, FOLDER, clock.nowMs(), process)).toMatchObject({ type: "held", ageMs: 0 });
  });
});

describe("two that take over at once", () => {
  /** Runs `work` right before the n-th operation on files of the folder. */
  function interrupted(work: () => void, atOperation: number): FileSystem {
    let operations = 0;
    const count = <Result>(operation: () => Result): Result => {
      if (++operations === atOperation) work();
      return operation();
    };
    return {
      open: (path, mode) => count(() => disk.open(path, mode)),
      makeDirectory: (path) => count(() => disk.makeDirectory(path)),
      list: (path) => count(() => disk.list(path)),
      stat: (path) => count(() => disk.stat(path)),
      rename: (from, to) => count(() => disk.rename(from, to)),
      remove: (path) => count(() => disk.remove(path)),
      removeDirectory: (path) => count(() => disk.removeDirectory(path)),
      touch: (path, atMs) => count(() => disk.touch(path, atMs)),
      syncDirectory: (path) => count(() => disk.syncDirectory(path)),
    };
  }

  it.each([
    { leastToken: 40, otherToken: 40, why: "the log is as it was" },
    { leastToken: 40, otherToken: 90, why: "the sleeping writer appended in between" },
    { leastToken: 90, otherToken: 40, why: "the other looked at the log before" },
  ])("never both have it, whenever the other comes in between: $why", ({ leastToken, otherToken }) => {
    for (let atOperation = 1; ; atOperation++) {
      disk = new InMemoryFileSystem(() => clock.nowMs());
      aProcess({ host: "far" }).lease.acquire(0);
      clock.advance(20_000);
      const other = aProcess().lease;
      let didInterrupt = false;
      const attempt = (lease: SessionLease, token: number): boolean => {
        try {
          lease.acquire(token);
          return true;
        } catch (error) {
          expect(error).toEqual(IN_USE);
          return false;
        }
      };
      let didOther = false;
      const fs = interrupted(() => {
        didInterrupt = true;
        didOther = attempt(other, otherToken);
      }, atOperation);
      const did = attempt(aProcess({ fs }).lease, leastToken);
      expect([did, didOther], `at operation ${atOperation}`).not.toEqual([true, true]);
      if (!didInterrupt) return;
    }
  });
});
