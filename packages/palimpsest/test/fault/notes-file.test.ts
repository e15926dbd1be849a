/**
 * Every operation of replacing a session's notes fails in turn, or is the last of its process, or a person
 * saves just before it: the notes are the old ones or the new ones, and what a person wrote is kept.
 */

import type { InMemoryFileSystem } from "palimpsest-testing";
import { faultyFileSystem } from "palimpsest-testing";
import type { Crash, FileFault } from "palimpsest-testing/internal";
import { afterAll, describe, expect, it } from "vitest";
import { StoreError } from "#base/errors.ts";
import type { FileSystem } from "#ports/file-system.ts";
import { bySize, isLong } from "../../../../test/helpers/size-of-run.ts";
import { diskWith, FOLDER, interrupted, NOTES, notesOf, textsIn, withoutLinks } from "./notes-workload.ts";

const OLD = "# Old\n".repeat(40);
const NEW = "# New\n".repeat(60);
const LAST = "# Last\n";
const DISKS = [
  { disk: "a disk with links", dress: (fs: FileSystem) => fs },
  { disk: "a disk without links", dress: withoutLinks },
];
const STARTS = [{ base: OLD }, { base: undefined }];
const DEATHS: readonly FileFault[] = ["kill", "torn"];
const ERRORS: readonly { readonly error: FileFault; readonly failCount: number }[] = [
  { error: "EIO", failCount: 1 },
  { error: "ENOSPC", failCount: 1_000 },
  { error: "short", failCount: 1 },
  ...(isLong ? [3, 7].map((failCount) => ({ error: "EIO", failCount }) as const) : []),
];
/** An editor finishes a late save before every n-th operation only, because all of them take a while. */
const STEP = bySize({ usual: 211, long: 3, soak: 1 });
/** By default a person begins before every ninth operation. */
const FROM_STEP = bySize({ usual: 9, long: 2, soak: 1 });
/** By default every eleventh operation fails; each kind of fault begins at another one. */
const FAULT_STEP = isLong ? 1 : 11;
const FIRST: Readonly<Partial<Record<FileFault, number>>> = {
  kill: 1,
  torn: 6,
  EIO: 3,
  ENOSPC: 8,
  short: 11,
};
const firstOf = (error: FileFault): number => (isLong ? 1 : FIRST[error]!);
const CRASHES: readonly Crash[] = ["process", "power", "power-torn"];
const cases = { dead: 0, failed: 0, edited: 0 };
afterAll(() => console.info(`notes: ${JSON.stringify(cases)} cases`));

const all = DISKS.flatMap((disk) => STARTS.map((start) => ({ ...disk, ...start })));

/** The next process reads, replaces and, later, replaces again: nothing else is left then. */
async function expectSettled(
  disk: InMemoryFileSystem,
  expected: readonly (string | undefined)[],
  why: string,
) {
  const next = await notesOf(disk, 2);
  const found = await next.read();
  expect(expected, why).toContain(found);
  expect(await next.read(), why).toBe(found);
  expect(await next.replace(found, LAST), why).toBe(true);
  const later = await notesOf(disk, 3);
  expect(await later.replace(LAST, found ?? ""), why).toBe(true);
  expect(disk.stat(`${FOLDER}/.notes`), why).toBe(undefined);
  const kinds = new Set([...textsIn(disk).keys()].map((name) => name.replace(/\.\d.*/, "")));
  expect([...kinds].sort(), why).toEqual(["notes.md", "notes.previous"]);
}

describe("a process that is killed while it replaces notes", () => {
  for (const { disk: name, dress, base } of all)
    for (const error of DEATHS)
      it(`leaves the old or the new: ${name}, ${base === undefined ? "none" : "some"} before, ${error}`, async () => {
        const start = await diskWith(base);
        const seen = new Set<string | undefined>();
        for (let failAtCall = firstOf(error); ; failAtCall += FAULT_STEP) {
          const disk = start.crashedCopy("process");
          const fs = faultyFileSystem(disk, { failAtCall, error });
          await notesOf(dress(fs), 1)
            .then((notes) => notes.replace(base, NEW))
            .catch(() => undefined);
          if (!fs.didFail()) break;
          for (const crash of CRASHES) {
            const why = `${error} at operation ${failAtCall}, ${crash}`;
            const after = disk.crashedCopy(crash);
            seen.add(await (await notesOf(dress(after), 2)).read());
            await expectSettled(disk.crashedCopy(crash), [base, NEW], why);
            cases.dead++;
          }
        }
        expect(seen).toEqual(new Set([base, NEW]));
      });
});

describe("a disk that fails while notes are replaced", () => {
  for (const { disk: name, dress, base } of all)
    for (const { error, failCount } of ERRORS)
      it(`is told in the same call: ${name}, ${base === undefined ? "none" : "some"} before, ${error} x ${failCount}`, async () => {
        const start = await diskWith(base);
        for (let failAtCall = firstOf(error); ; failAtCall += FAULT_STEP) {
          const disk = start.crashedCopy("process");
          const fs = faultyFileSystem(disk, { failAtCall, error, failCount });
          const why = `${error} x ${failCount} at operation ${failAtCall}`;
          const outcome = await notesOf(dress(fs), 1)
            .then((notes) => notes.replace(base, NEW))
            .catch((thrown: unknown) => thrown);
          if (!fs.didFail()) break;
          cases.failed++;
          if (typeof outcome !== "boolean") expect(outcome, why).toBeInstanceOf(StoreError);
          else expect(outcome, why).toBe(true);
          // A reader comes before it is settled.
          if (failCount === 1 && base !== undefined)
            expect([base, NEW], why).toContain(textsIn(disk).get("notes.md"));
          await expectSettled(disk, outcome === true ? [NEW] : [base, NEW], why);
        }
      });
});

const BY_HAND = "# What a person wrote\n";

/** Ways in which editors save. Each returns what it still does after the replacement. */
const EDITORS: Readonly<Record<string, (disk: InMemoryFileSystem) => (() => void) | undefined>> = {
  "by renaming a new file": (disk) => {
    disk.writeFile(`${FOLDER}/.notes.swp`, Buffer.from(BY_HAND));
    disk.rename(`${FOLDER}/.notes.swp`, NOTES);
    return undefined;
  },
  "in place, at once": (disk) => {
    saveInPlace(disk)();
    return undefined;
  },
  "in place, emptied now and written later": (disk) => saveInPlace(disk),
  "in place, opened now, emptied and written later": (disk) => {
    if (disk.stat(NOTES) === undefined) return () => saveInPlace(disk)();
    const file = disk.open(NOTES, "append");
    return () => {
      file.truncate(0);
      file.write(Buffer.from(BY_HAND));
      file.close();
    };
  },
  "by moving the old away, and writing a new file later": (disk) => {
    if (disk.stat(NOTES) !== undefined) disk.rename(NOTES, `${NOTES}~`);
    return () => saveInPlace(disk)();
  },
};

function saveInPlace(disk: InMemoryFileSystem): () => void {
  disk.makeDirectory(FOLDER);
  const file = disk.open(NOTES, "append");
  file.truncate(0);
  return () => {
    file.write(Buffer.from(BY_HAND));
    file.close();
  };
}

describe("a person who saves while notes are replaced", () => {
  for (const { disk: name, dress, base } of all)
    it.each(
      Object.keys(EDITORS),
    )(`keeps the edit: ${name}, ${base === undefined ? "none" : "some"} before, %s`, async (editor) => {
      const start = await diskWith(base);
      const isDone = new Set<boolean>();
      for (let from = 1, isOver = false; !isOver; from += FROM_STEP) {
        // What the editor still does comes at every later step, and after the last.
        for (let until = from + 1 + (from % STEP); ; until += STEP) {
          const disk = start.crashedCopy("process");
          let rest: (() => void) | undefined;
          const finish = () => {
            rest?.();
            rest = undefined;
          };
          const late = interrupted(disk, until, finish);
          const fs = interrupted(late, from, () => (rest = EDITORS[editor]?.(disk)));
          const notes = await notesOf(dress(fs), 1);
          const outcome = await notes.replace(base, NEW);
          isOver = fs.count() < from;
          if (isOver) break;
          const isLast = rest !== undefined || until > late.count();
          finish();
          const why = `saved before operation ${from}, finished before ${until}`;
          isDone.add(outcome);
          cases.edited++;
          if (editor === "by renaming a new file") expect(textsIn(disk).get("notes.md"), why).toBe(BY_HAND);
          await expectKept(disk, dress, why);
          if (isLast) break;
        }
      }
      expect(isDone).toEqual(new Set([true, false]));
    });
});

/** It is what the notes are now, or it lies beside them for good. */
async function expectKept(disk: InMemoryFileSystem, dress: (fs: FileSystem) => FileSystem, why: string) {
  const next = await notesOf(dress(disk), 2);
  const found = await next.read();
  // Empty if a person has not written yet: without hard links, another file is put back.
  if (!found?.includes(BY_HAND)) expect([NEW, ""], why).toContain(found);
  expect(await next.replace(found, `${found}${LAST}`), why).toBe(true);
  const later = await notesOf(dress(disk), 3);
  expect(await later.replace(`${found}${LAST}`, `${found}${LAST}${LAST}`), why).toBe(true);
  const texts = [...textsIn(disk)].filter(
    ([name]) => name === "notes.md" || name.startsWith("notes.conflict-"),
  );
  expect(
    texts.some(([, text]) => text.includes(BY_HAND)),
    `${why}: ${JSON.stringify(texts)}`,
  ).toBe(true);
}

describe("the cases", () => {
  it("are many", () => {
    expect(cases.dead).toBeGreaterThan(isLong ? 200 : 30);
    expect(cases.failed).toBeGreaterThan(isLong ? 200 : 30);
    expect(cases.edited).toBeGreaterThan(isLong ? 500 : 80);
  });
});
