import { mkdtempSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { FileSessionStore } from "../../../src/adapters/files/file-session-store.ts";
import { nodeFileSystem } from "../../../src/adapters/node/node-file-system.ts";
import { nodeHasher } from "../../../src/adapters/node/node-hasher.ts";
import { randomIds } from "../../../src/adapters/node/random-ids.ts";
import type { FileSystem } from "../../../src/ports/file-system.ts";
import { InMemoryFileSystem } from "../../../src/testing/in-memory-file-system.ts";
import { type StoreHarness, sessionStoreContract } from "../../../src/testing/session-store-contract.ts";

const storeAt = (root: string, fs: FileSystem) =>
  new FileSessionStore({ root, fs, hasher: nodeHasher, ids: randomIds });

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
      store: storeAt(root, nodeFileSystem),
      reopen: () => storeAt(root, nodeFileSystem),
      hasher: nodeHasher,
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
      store: storeAt("/home/sessions", disk),
      reopen: () => storeAt("/home/sessions", disk),
      hasher: nodeHasher,
      tear: (sessionId, bytes) => {
        const path = `/home/sessions/${sessionId}.jsonl`;
        disk.writeFile(path, disk.readFile(path).slice(0, -bytes));
      },
    };
  };
  for (const { name, run } of sessionStoreContract) it(name, () => run(harness()));
});
