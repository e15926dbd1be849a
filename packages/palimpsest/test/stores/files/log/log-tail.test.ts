/** Opening a log reads its last checkpoint and what follows it, and no more. */
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SessionLog } from "#ports/session-store.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeFileSystem } from "#stores/platform/node-file-system.ts";
import { nodeHasher, randomIds } from "#stores/platform/node-ports.ts";
import { checkpoint, message } from "#test/fault/workload.ts";
import type { Entry } from "#transcript/entries.ts";
import { countingStore } from "./counting-store.ts";

let root: string;
let store: FileSessionStore;
let path: string;

beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), "palimpsest-files-")), "home", "sessions");
  store = new FileSessionStore({ root, fs: nodeFileSystem, hasher: nodeHasher, ids: randomIds });
  path = join(root, "s.jsonl");
});
afterEach(() => rmSync(join(root, "..", ".."), { recursive: true, force: true }));

async function stored(...batches: readonly (readonly Entry[])[]): Promise<void> {
  const log = await store.create("s");
  for (const batch of batches) await log.append(batch);
  await log.close();
}

async function withLog<Result>(use: (log: SessionLog) => Promise<Result>): Promise<Result> {
  const log = await store.open("s");
  try {
    return await use(log);
  } finally {
    await log.close();
  }
}

describe("the tail of a log", () => {
  it.each([
    63_900, 65_300, 65_430, 65_500, 65_536, 65_600, 66_000, 262_144,
  ])("begins at the last checkpoint, also across the pieces it is read in (%d bytes behind it)", async (behind) => {
    for (let shift = 0; shift < 40; shift += 3) {
      rmSync(path, { force: true });
      await stored([message(1)], [checkpoint(2)], [message(3, "x".repeat(behind + shift - 170))]);
      const { entries, damage } = await withLog((log) => log.readTail());
      expect(entries.map(({ entry }) => entry.seq)).toEqual([2, 3]);
      expect(damage).toEqual([]);
    }
  });

  it("is not taken in by what only looks like a checkpoint", async () => {
    const decoys = '{"crc":"00000000","type":"checkpoint",'.repeat(3);
    await stored(
      [message(1)],
      [checkpoint(2)],
      [message(3, decoys)],
      [
        {
          ...message(4),
          content: [
            {
              type: "tool_use",
              id: "t",
              name: "n",
              input: { type: "checkpoint", crc: { type: "checkpoint", x: 1 } },
            },
          ],
        },
      ],
    );
    appendFileSync(path, '{"crc":"00000000","type":"checkpoint","seq":9}\n');
    const { entries, damage } = await withLog((log) => log.readTail());
    expect(entries.map(({ entry }) => entry.seq)).toEqual([2, 3, 4]);
    expect(damage.map(({ reason }) => reason)).toEqual(["bad-checksum"]);
  });

  it("reads no more than lies behind the checkpoint, whatever lies before", async () => {
    await stored(...Array.from({ length: 200 }, (_, index) => [message(index + 1, "y".repeat(100_000))]));
    await withLog((log) => log.append([checkpoint(201)]));
    await withLog((log) => log.append([message(202, "z".repeat(200_000))]));
    const counting = countingStore(root);
    const log = await counting.store.open("s");
    expect((await log.readTail()).entries.map(({ entry }) => entry.seq)).toEqual([201, 202]);
    expect(counting.readBytes()).toBeLessThan(1_000_000);
    await log.close();
  });
});
