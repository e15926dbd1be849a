/**
 * A process that is killed at any operation of a dream: every memory is as it was or as the dream leaves it, all of
 * them alike; the next dream finishes the rest, and finished work can be undone.
 */

import { faultyFileSystem } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import { PersistentMemory } from "#agent/memory/persistent-memory.ts";
import { formatMemoryFile } from "#memory/files/memory-file.ts";
import type { MemoryStore } from "#ports/memory-store.ts";
import { dreamer, merge } from "#test/agent/memory/dreaming.ts";
import { memoryProcesses } from "#test/helpers/memory-stores.ts";
import { bySize, isLong } from "../../../../test/helpers/size-of-run.ts";
import { diskWith, LATER_MS, textsOf } from "./memory-workload.ts";

const DAY_MS = 86_400_000;
const NOW_MS = 1_767_225_600_000;

const fact = (body: string, days: number): string =>
  formatMemoryFile({ name: body.slice(0, 12), body, source: "user", createdAtMs: NOW_MS - days * DAY_MS });

/** Something for each kind of action, and something that only a model sees. */
const BEFORE: Readonly<Record<string, string>> = {
  "MEMORY.md": "# Ours\n\n- [Gone](gone.md) — leads nowhere\n",
  "port.md": fact("The API listens on port 8080.", 20),
  "moved.md": fact("The API listens on port 9090.", 2),
  "twin.md": fact("the api listens on port 9090", 9),
  "stale.md": fact("A rumour of Ghent.", 400),
  "kept.md": fact("Ada likes tea.", 1),
  "again.md": fact("Tea is what Ada would rather drink.", 5),
};

function memoryOn(store: MemoryStore): PersistentMemory {
  const lightModel = dreamer([merge(["kept.md", "again.md"])]);
  const deadline = { after: () => () => undefined };
  return new PersistentMemory({ store, lightModel, deadline, now: () => NOW_MS });
}

describe("a dream that is killed", () => {
  it("changes all or nothing, wherever it was, and can be dreamt to its end and taken back", async () => {
    const after = await (async () => {
      const store = memoryProcesses().open(diskWith(BEFORE));
      const report = await memoryOn(store).dream({ force: true });
      expect(report).toMatchObject({ status: "applied" });
      expect(report.actions.filter(({ by }) => by === "model")).toHaveLength(1);
      return textsOf(store);
    })();
    const seen = { old: 0, new: 0 };
    for (const error of isLong ? (["kill", "torn"] as const) : (["kill"] as const))
      for (let failAtCall = 1; ; failAtCall += bySize({ usual: 29, long: 3, soak: 1 })) {
        const disk = diskWith(BEFORE);
        const fs = faultyFileSystem(disk, { failAtCall, error });
        await memoryOn(memoryProcesses().open(fs))
          .dream({ force: true })
          .catch(() => undefined);
        if (!fs.didFail()) break;
        const left = disk.crashedCopy(error === "torn" ? "power" : "process");
        const { open } = memoryProcesses(LATER_MS);
        open(left);
        const store = open(left);
        const texts = await textsOf(store);
        const why = `${error} at operation ${failAtCall}`;
        const isOld = texts["stale.md"] !== undefined;
        expect(isOld ? BEFORE : after, why).toEqual(texts);
        seen[isOld ? "old" : "new"]++;
        const memory = memoryOn(store);
        const again = await memory.dream({ force: true });
        expect(again.status, why).toBe(isOld ? "applied" : "nothing-to-do");
        expect(await textsOf(store), why).toEqual(after);
        await memory.revertDream();
        expect(await textsOf(store), why).toEqual(BEFORE);
      }
    expect(Math.min(seen.old, seen.new)).toBeGreaterThan(0);
  });
});
