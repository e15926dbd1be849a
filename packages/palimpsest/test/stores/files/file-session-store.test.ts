import { mkdtempSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock, InMemoryFileSystem, type StoreHarness, sessionStoreContract } from "palimpsest-testing";
import { FakeProcess, FakeTimer } from "palimpsest-testing/internal";
import { afterAll, beforeAll, describe, it } from "vitest";
import type { FileSystem } from "#ports/file-system.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeFileSystem } from "#stores/platform/node-file-system.ts";
import { nodeHasher, randomIds } from "#stores/platform/node-ports.ts";
import { isLong } from "../../../../../test/helpers/size-of-run.ts";

/** Stores of different processes on one disk, under one clock. */
function processesAt(root: string, fs: FileSystem, isIndexed = false) {
  const clock = new FakeClock();
  const living = new Set<string>();
  const aStore = () => {
    const lease = {
      clock,
      process: new FakeProcess({ pid: living.size + 1, living }),
      timer: new FakeTimer(),
    };
    return new FileSessionStore({ root, fs, hasher: nodeHasher, ids: randomIds, lease, isIndexed });
  };
  const expireWriters = () => clock.advance(15_001);
  return { store: aStore(), reopen: aStore, expireWriters, hasher: nodeHasher };
}

/** Logs of thousands of entries: by default on the real disk only, as a log has the same bytes everywhere. */
const LARGE_CASES = [
  "keeps thousands of entries and reads them in batches",
  "goes on behind what is there while it is read",
];
const QUICK_CASES = sessionStoreContract.filter(({ name }) => isLong || !LARGE_CASES.includes(name));

describe("the store in files, on a real disk", () => {
  let folder: string;
  let count = 0;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "palimpsest-store-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const harness = (): StoreHarness => {
    const root = join(folder, `case-${++count}`, "projects", "p");
    return {
      ...processesAt(root, nodeFileSystem),
      tear: (sessionId, bytes) => {
        const path = join(root, `${sessionId}.jsonl`);
        truncateSync(path, statSync(path).size - bytes);
      },
    };
  };
  for (const { name, run } of sessionStoreContract) it(name, () => run(harness()));
});

describe("the store in files, on a file system in memory", () => {
  const harness = (): StoreHarness => {
    const disk = new InMemoryFileSystem();
    return {
      ...processesAt("/home/sessions", disk),
      tear: (sessionId, bytes) => {
        const path = `/home/sessions/${sessionId}.jsonl`;
        disk.writeFile(path, disk.readFile(path).slice(0, -bytes));
      },
    };
  };
  for (const { name, run } of QUICK_CASES) it(name, () => run(harness()));
});

describe("the store in files, with an index of its folder", () => {
  const harness = (): StoreHarness => processesAt("/home/sessions", new InMemoryFileSystem(), true);
  for (const { name, run } of QUICK_CASES) it(name, () => run(harness()));
});
