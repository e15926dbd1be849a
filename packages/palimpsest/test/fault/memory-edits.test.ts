/**
 * A person saves a memory at every moment of its being changed by a program, in the ways editors do: their text
 * is the memory afterwards, or it is kept and reported.
 */

import type { InMemoryFileSystem } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import { bySize, isLong } from "../../../../test/helpers/size-of-run.ts";
import {
  allTexts,
  BEFORE,
  CHANGES,
  change,
  changeBefore,
  diskWith,
  LATER_MS,
  memoryProcesses,
  textsOf,
} from "./memory-workload.ts";
import { interrupted } from "./notes-workload.ts";

/** An editor finishes a late save before every n-th operation only, because all of them take a while. */
const STEP = isLong ? 7 : 97;
/** A person begins before every n-th operation: in a soak before each. */
const FROM_STEP = bySize({ usual: 9, long: 3, soak: 1 });
const BY_HAND = "# What a person wrote\n";
const cases = { edited: 0 };

/** Ways in which editors save. Each returns what it still does later. */
const EDITORS: Readonly<
  Record<string, (disk: InMemoryFileSystem, path: string) => (() => void) | undefined>
> = {
  "by renaming a new file": (disk, path) => {
    disk.writeFile("/.a.swp", Buffer.from(BY_HAND));
    disk.rename("/.a.swp", path);
    return undefined;
  },
  "in place, at once": (disk, path) => {
    emptied(disk, path)();
    return undefined;
  },
  "in place, emptied now and written later": (disk, path) => emptied(disk, path),
  "in place, opened now, emptied and written later": (disk, path) => {
    if (disk.stat(path) === undefined) return () => emptied(disk, path)();
    const file = disk.open(path, "append");
    return () => {
      file.truncate(0);
      file.write(Buffer.from(BY_HAND));
      file.close();
    };
  },
  "by adding a line to what is there": (disk, path) => {
    const file = disk.open(path, "append");
    file.write(Buffer.from(BY_HAND));
    file.close();
    return undefined;
  },
  "by moving the old away, and writing a new file later": (disk, path) => {
    if (disk.stat(path) !== undefined) disk.rename(path, "/.a.md~");
    return () => emptied(disk, path)();
  },
};

function emptied(disk: InMemoryFileSystem, path: string): () => void {
  const file = disk.open(path, "append");
  file.truncate(0);
  return () => {
    file.write(Buffer.from(BY_HAND));
    file.close();
  };
}

interface Edit {
  readonly path: string;
  readonly editor: string;
}

/** It is what the memory is now, or it lies aside, and the list of memories says so. */
async function expectKept(disk: InMemoryFileSystem, { path, editor }: Edit, why: string) {
  const { open } = memoryProcesses(LATER_MS);
  open(disk);
  const next = open(disk);
  const texts = await textsOf(next);
  expect((await change(next, { "last.md": "1" })).isApplied, why).toBe(true);
  const later = open(disk);
  expect((await change(later, { "last.md": "2" })).isApplied, why).toBe(true);
  expect(await textsOf(later), why).toEqual({ ...texts, "last.md": "2" });
  // Who adds a line takes nothing away.
  const whole = allTexts(disk)
    .map(([, text]) => text)
    .join("\n");
  if (editor.startsWith("by adding") && path in BEFORE) expect(whole, why).toContain(BEFORE[path]);
  if ((texts[path] ?? "").includes(BY_HAND)) return;
  const kept = allTexts(disk).filter(
    ([name, text]) => name.startsWith(".palimpsest/kept/") && text.includes(BY_HAND),
  );
  expect(kept.length, `${why}: ${JSON.stringify(allTexts(disk))}`).toBeGreaterThan(0);
  expect((await later.list()).problems.length, why).toBeGreaterThan(0);
}

const KINDS = CHANGES.filter(({ wanted }) => "a.md" in wanted || "c.md" in wanted);

describe("a person who saves while memories are changed", () => {
  for (const { what, wanted } of isLong ? KINDS : [KINDS[0]!, KINDS.at(-1)!])
    it.each(Object.keys(EDITORS))(`keeps the edit: a program ${what}, a person saves %s`, async (editor) => {
      const path = "a.md" in wanted ? "a.md" : "c.md";
      const outcomes = new Set<boolean>();
      for (let from = 1, isOver = false; !isOver; from += FROM_STEP)
        for (let until = from + 1 + (from % STEP); ; until += STEP) {
          const disk = diskWith(BEFORE);
          let rest: (() => void) | undefined;
          let isAtOnce = false;
          const finish = () => {
            rest?.();
            rest = undefined;
          };
          const late = interrupted(disk, until, finish);
          const fs = interrupted(late, from, () => {
            rest = EDITORS[editor]?.(disk, `/${path}`);
            isAtOnce = rest === undefined;
          });
          const applied = await changeBefore(memoryProcesses().open(fs), wanted);
          isOver = fs.count() < from;
          if (isOver) break;
          const isLast = isAtOnce || rest !== undefined;
          finish();
          cases.edited++;
          outcomes.add(applied.isApplied);
          // What a change that happened has replaced is gone on purpose.
          const edit = { path, editor: applied.isApplied ? "" : editor };
          await expectKept(disk, edit, `saved before operation ${from}, finished before ${until}`);
          if (isLast) break;
        }
      expect(outcomes).toEqual(new Set([true, false]));
    });

  it("does so very often", () => {
    console.info(`memories edited by hand: ${cases.edited} cases`);
    expect(cases.edited).toBeGreaterThan(bySize({ usual: 18, long: 1_600, soak: 5_000 }));
  });
});
