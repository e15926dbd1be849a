/**
 * Every operation of changing memories fails in turn, or is the last of its process: all of the change is there
 * or nothing of it, each text is whole, and nothing is left behind once the memories were changed again.
 */

import type { InMemoryFileSystem } from "palimpsest-testing";
import { faultyFileSystem } from "palimpsest-testing";
import type { Crash, FileFault } from "palimpsest-testing/internal";
import { describe, expect, it } from "vitest";
import { StoreError } from "#base/errors.ts";
import type { FileSystem } from "#ports/file-system.ts";
import { readDerived, writeDerived } from "#stores/files/memory/derived-file.ts";
import { MemoryFiles } from "#stores/files/memory/memory-file-steps.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { bySize, isLong } from "../../../../test/helpers/size-of-run.ts";
import {
  allTexts,
  BEFORE,
  CHANGES,
  change,
  diskWith,
  LATER_MS,
  memoryProcesses,
  ownNames,
  readOnly,
  textsAfter,
  textsOf,
} from "./memory-workload.ts";
import { withoutLinks } from "./notes-workload.ts";

const DISKS = [
  { disk: "with links", dress: (fs: FileSystem) => fs },
  { disk: "without links", dress: withoutLinks },
];
const DEATHS: readonly FileFault[] = ["kill", "torn"];
const CRASHES: readonly Crash[] = ["process", "power", "power-torn"];
const ERRORS: readonly { readonly error: FileFault; readonly failCount: number }[] = [
  { error: "EIO", failCount: 1 },
  ...(isLong
    ? [{ error: "ENOSPC", failCount: 1_000 } as const, { error: "short", failCount: 1 } as const]
    : []),
  ...(isLong ? [{ error: "EIO", failCount: 3 } as const] : []),
];
/** The default part has the two that the others are parts of. */
const KINDS = isLong ? CHANGES : [CHANGES[0]!, CHANGES.at(-1)!];
const all = DISKS.slice(0, isLong ? 2 : 1).flatMap((disk) => KINDS.map((kind) => ({ ...disk, ...kind })));
/** Every n-th operation fails, in a soak each: an odd number, so that both ways to die take turns. */
const STEP = bySize({ usual: 7, long: 3, soak: 1 });
const cases = { dead: 0, failed: 0 };

/** The next process finds one of these, also where it may not write, changes something, and nothing else is left. */
async function expectSettled(disk: InMemoryFileSystem, expected: readonly object[], why: string) {
  const { open, killAll } = memoryProcesses(LATER_MS);
  open(disk);
  open(disk);
  const seen = await textsOf(open(readOnly(disk)));
  expect(expected, `${why}, on a disk that takes nothing`).toContainEqual(seen);
  const next = open(disk);
  expect(await textsOf(next), why).toEqual(seen);
  expect((await next.list()).problems, why).toEqual([]);
  expect((await change(next, { "last.md": "1" })).isApplied, why).toBe(true);
  killAll();
  const later = open(disk);
  expect((await change(later, { "last.md": "2" })).isApplied, why).toBe(true);
  expect(await textsOf(later), why).toEqual({ ...seen, "last.md": "2" });
  const left = ownNames(disk).filter((name) => !name.startsWith(".palimpsest/archive/"));
  const kinds = left.map((name) => name.replace(/\/\d+-[0-9a-z-]+\./, "/"));
  expect(kinds.sort(), why).toEqual([".palimpsest/work/old/old.0", ".palimpsest/work/old/plan.json"]);
  // The archive has every removed memory and no other.
  const isAway = BEFORE["a.md"] !== undefined && seen["a.md"] === undefined;
  const archived = allTexts(disk).filter(([path]) => path.startsWith(".palimpsest/archive/"));
  expect(
    archived.map(([, text]) => text),
    why,
  ).toEqual(isAway ? [BEFORE["a.md"]] : []);
}

describe("a process that is killed while it changes memories", () => {
  for (const { disk: name, dress, what, wanted } of all)
    it(`changes all or nothing: a disk ${name}, it ${what}`, async () => {
      const seen = new Set<string>();
      for (const odd of isLong ? [0, 1] : [0])
        for (let failAtCall = 1; ; failAtCall += STEP) {
          const disk = diskWith(BEFORE);
          const error = DEATHS[(failAtCall + odd) % DEATHS.length]!;
          const fs = faultyFileSystem(disk, { failAtCall, error });
          await change(memoryProcesses().open(dress(fs)), wanted).catch(() => undefined);
          if (!fs.didFail()) break;
          for (const crash of CRASHES) {
            const why = `${error} at operation ${failAtCall}, ${crash}`;
            const copy = disk.crashedCopy(crash);
            seen.add(
              JSON.stringify(await textsOf(memoryProcesses(LATER_MS).open(copy.crashedCopy("process")))),
            );
            await expectSettled(copy, [BEFORE, textsAfter(wanted)], why);
            cases.dead++;
          }
        }
      expect(seen.size).toBe(2);
    });
});

describe("a disk that fails while memories are changed", () => {
  for (const { disk: name, dress, what, wanted } of all)
    it.each(
      ERRORS,
    )(`is told in the same call: a disk ${name}, it ${what}, $error x $failCount`, async (fault) => {
      for (let failAtCall = 1; ; failAtCall += STEP) {
        const disk = diskWith(BEFORE);
        const fs = faultyFileSystem(disk, { ...fault, failAtCall });
        const why = `at operation ${failAtCall}`;
        const processes = memoryProcesses();
        const outcome = await change(processes.open(dress(fs)), wanted).catch((thrown: unknown) => thrown);
        if (!fs.didFail()) break;
        cases.failed++;
        if (outcome instanceof StoreError) {
          const isDone = outcome.message.includes("did not confirm");
          await expectSettled(disk, [isDone ? textsAfter(wanted) : BEFORE], `${why}: ${outcome.message}`);
        } else {
          expect(outcome, why).toMatchObject({ isApplied: true });
          await expectSettled(disk, [textsAfter(wanted)], why);
        }
      }
    });
});

describe("a disk that fails while what was derived from memories is read", () => {
  it.each(["EIO", "kill"] as const)("gives every piece as it was written, or an error: %s", async (error) => {
    const disk = diskWith(BEFORE);
    const files = (fs: FileSystem) => new MemoryFiles(fs, nodeHasher);
    const pieces = [400, 5, 700].map((length, index) => new Uint8Array(length).fill(index + 1));
    await writeDerived(files(disk), "1-a", pieces);
    for (let failAtCall = 1; ; failAtCall++) {
      const fs = faultyFileSystem(disk, { failAtCall, error });
      const read: Uint8Array[] = [];
      let thrown: unknown;
      try {
        for (const piece of readDerived(files(fs))) read.push(piece.slice());
      } catch (failure) {
        thrown = failure;
      }
      expect(read, `operation ${failAtCall}`).toEqual(pieces.slice(0, read.length));
      expect(thrown === undefined, `operation ${failAtCall}`).toBe(!fs.didFail());
      if (!fs.didFail()) break;
      cases.failed++;
    }
  });
});

describe("the cases", () => {
  it("are many", () => {
    console.info(`memories: ${JSON.stringify(cases)} cases`);
    expect(cases.dead).toBeGreaterThan(bySize({ usual: 80, long: 1_300, soak: 4_000 }));
    expect(cases.failed).toBeGreaterThan(bySize({ usual: 25, long: 1_000, soak: 3_000 }));
  });
});
