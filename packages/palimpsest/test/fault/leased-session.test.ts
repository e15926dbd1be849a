/**
 * Kills, tears and fails the life of a session at each of its file operations in turn: nothing that was
 * acknowledged is lost, the next process opens it, and nothing is left lying about.
 */

import { faultyFileSystem, InMemoryFileSystem } from "palimpsest-testing";
import type { FileFault } from "palimpsest-testing/internal";
import { describe, expect, it } from "vitest";
import { bySize, isLong } from "../../../../test/helpers/size-of-run.ts";
import { goOn, type Promised, ROOT, readAll, runLife, SESSION, World } from "./leased-workload.ts";

const EVERYTHING = [
  "a1",
  "a2",
  "a3",
  "checkpoint-a4",
  "title-a5",
  "b1",
  "b2",
  "c1",
  "checkpoint-c2",
  "d1",
].concat(["e1", "e2", "title-e3"]);

const LONG_FAULTS: readonly { error: FileFault; failCount: number }[] = [
  { error: "EDQUOT", failCount: 1 },
  { error: "ENOSPC", failCount: 3 },
  { error: "EIO", failCount: 1 },
  { error: "EIO", failCount: 7 },
  { error: "short", failCount: 1 },
];

interface Sweep {
  readonly error: FileFault;
  readonly failCount: number;
  readonly attempts: number;
  readonly first?: number;
}

interface Case {
  readonly why: string;
  readonly world: World;
  readonly disk: InMemoryFileSystem;
  readonly promised: Promised;
}

/** By default every 25th operation; sweeps that are alike have different ones. */
const STEP = bySize({ usual: 25, long: 3, soak: 1 });

/** One life per file operation that fails, from the first on; returns how many operations there are. */
async function sweep(
  { error, failCount, attempts, first = 1 }: Sweep,
  check: (one: Case) => Promise<void>,
): Promise<number> {
  for (let failAtCall = isLong ? 1 + (first % STEP) : first; ; failAtCall += STEP) {
    const world = new World();
    const disk = new InMemoryFileSystem(() => world.clock.nowMs());
    const fs = faultyFileSystem(disk, { failAtCall, error, failCount });
    const promised = await runLife(world, fs, attempts);
    if (!fs.didFail()) return failAtCall - 1;
    await check({ why: `${error} × ${failCount} at operation ${failAtCall}`, world, disk, promised });
  }
}

/** Useless names in the session's folder: leases, half-written files; and the folder if it is empty. */
function litter(disk: InMemoryFileSystem): readonly string[] {
  const folder = `${ROOT}/${SESSION}`;
  if (disk.stat(folder) === undefined) return [];
  const blobs = disk.stat(`${folder}/blobs`) === undefined ? [] : disk.list(`${folder}/blobs`);
  const names = disk.list(folder);
  return [
    ...names.filter((name) => name !== "blobs"),
    ...blobs.filter((name) => !/^[0-9a-f]{64}$/.test(name)),
    ...(names.length === 0 ? ["an empty folder"] : []),
  ];
}

it("lives its life where nothing fails", async () => {
  const world = new World();
  const disk = new InMemoryFileSystem(() => world.clock.nowMs());
  const promised = await runLife(world, disk, 1);
  expect(promised).toMatchObject({ acknowledged: EVERYTHING, wasReportedLate: true, failures: 0 });
  expect(await readAll(world, disk, promised.blobs)).toEqual({ names: EVERYTHING, damage: [] });
  expect(litter(disk)).toEqual([]);
});

describe("a process that is killed at any file operation", () => {
  it.each([
    "kill",
    "torn",
  ] as const)("loses nothing acknowledged, and the next one opens at once: %s", async (error) => {
    const cases = await sweep(
      { error, failCount: 1, attempts: 1, first: error === "kill" ? 1 : 13 },
      async ({ why, world, disk, promised }) => {
        world.killAll();
        const found = await readAll(world, disk, promised.blobs);
        const { acknowledged, inFlight } = promised;
        expect([acknowledged, [...acknowledged, ...inFlight]], why).toContainEqual(found.names);
        // A lease that was not even written is waited for, for a second.
        await goOn(world, disk).catch(async (refused: { readonly code?: string }) => {
          expect(refused.code, why).toBe("SESSION_IN_USE");
          world.clock.advance(1_001);
          await goOn(world, disk);
        });
        expect((await readAll(world, disk, promised.blobs)).names, why).toEqual([...found.names, "z1"]);
        expect(litter(disk), why).toEqual([]);
      },
    );
    console.info(`${cases} cases of ${error}`);
    expect(cases).toBeGreaterThan(200);
  });

  it.each([
    "power",
    "power-torn",
  ] as const)("loses nothing durable when the power goes: %s", async (crash) => {
    for (const error of isLong ? (["kill", "torn"] as const) : (["torn"] as const))
      await sweep(
        { error, failCount: 1, attempts: 1, first: crash === "power" ? 5 : 17 },
        async ({ why, world, disk, promised }) => {
          world.killAll();
          world.clock.advance(60_000);
          const rest = disk.crashedCopy(crash);
          const { names } = await readAll(world, rest, promised.durableBlobs);
          expect(names.length, why).toBeGreaterThanOrEqual(promised.durable.length);
          expect([...promised.acknowledged, ...promised.inFlight].slice(0, names.length), why).toEqual(names);
          await goOn(world, rest);
          expect((await readAll(world, rest, promised.durableBlobs)).names, why).toEqual([...names, "z1"]);
          expect(litter(rest), why).toEqual([]);
        },
      );
  });
});

describe("a disk that fails at any file operation", () => {
  const faults: { error: FileFault; failCount: number }[] = [
    { error: "ENOSPC", failCount: 1 },
    { error: "EIO", failCount: 4 },
    ...(isLong ? LONG_FAULTS : []),
  ];
  it.each(
    faults,
  )("is told in the same call and recovered from without a restart: $error × $failCount", async (fault) => {
    const cases = await sweep(
      { ...fault, attempts: 8, first: fault.error === "EIO" ? 9 : 21 },
      async ({ why, world, disk, promised }) => {
        expect(promised.foreignErrors, why).toEqual([]);
        expect(promised.acknowledged, why).toEqual(EVERYTHING);
        expect(promised.wasReportedLate, why).toBe(true);
        // Only where a lease could neither be written, removed nor made old does anybody wait.
        if (fault.failCount === 1) expect(promised.waits, why).toBe(0);
        const { names, damage } = await readAll(world, disk, promised.blobs);
        expect(names, why).toEqual(EVERYTHING);
        expect(
          damage.filter((reason) => reason !== "torn-tail"),
          why,
        ).toEqual([]);
        world.clock.advance(15_001);
        await goOn(world, disk);
        expect(litter(disk), why).toEqual([]);
      },
    );
    console.info(`${cases} cases of ${fault.error} × ${fault.failCount}`);
    expect(cases).toBeGreaterThan(200);
  });
});
