/** Limits of the memory directory: nothing is left out of a listing without a word. */

import { FakeClock, InMemoryFileSystem, seededIds } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import { PersistentMemory } from "#agent/memory/persistent-memory.ts";
import { fileMemoryStore } from "#stores/files/memory/file-memory-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";

const FULL = "There are 3 files, as many as are read.";

function aDirectory(paths: readonly string[]) {
  const clock = new FakeClock();
  const fs = new InMemoryFileSystem(() => clock.nowMs());
  for (const path of paths) {
    if (path.includes("/")) fs.makeDirectory(path.slice(0, path.lastIndexOf("/")));
    const file = fs.open(path, "create");
    file.write(Buffer.from(`Service ${path} uses a queue.`));
    file.close();
  }
  const options = { folder: "memory", fs, hasher: nodeHasher, ids: seededIds(1), clock };
  const store = fileMemoryStore({ ...options, listedFilesCount: 3 });
  const deadline = { after: () => () => undefined };
  return new PersistentMemory({ store, deadline, now: () => clock.nowMs() });
}

describe("a memory directory with as many files as are read", () => {
  it("says nothing below the limit", async () => {
    const memory = aDirectory(["a.md", "b.md"]);
    expect((await memory.list()).problems).toEqual([]);
    expect((await memory.audit()).findings.map(({ kind }) => kind)).not.toContain("too-many");
  });

  it("says that it is full, to who writes into it, too", async () => {
    const memory = aDirectory(["a.md", "b.md", "c.md"]);
    const detail = `${FULL} What is added is not read, and not found. Move some to another directory.`;
    expect((await memory.list()).problems).toEqual([{ path: ".", detail, isOverLimit: true }]);
    const receipt = await memory.remember("The quokka service listens on port 31337.", { source: "user" });
    expect(receipt).toMatchObject({ status: "written", warnings: [detail] });
  });

  it("says how many files and folders it leaves out", async () => {
    const memory = aDirectory(["a.md", "b.md", "c.md", "d.md", "e/f.md", "notes.txt"]);
    const detail = `${FULL} 2 more files and folders are not read, and nothing in them is found. Move some to another directory.`;
    expect((await memory.list()).problems).toEqual([{ path: ".", detail, isOverLimit: true }]);
    expect((await memory.audit()).findings).toContainEqual({ kind: "too-many", paths: ["."], detail });
  });

  it("says how many problems are not listed", async () => {
    const clock = new FakeClock();
    const fs = new InMemoryFileSystem(() => clock.nowMs());
    for (let at = 0; at < 120; at++) {
      const file = fs.open(`con${at}:.md`, "create");
      file.close();
    }
    const options = { folder: "memory", fs, hasher: nodeHasher, ids: seededIds(1), clock };
    const { problems } = await fileMemoryStore(options).list();
    expect(problems).toHaveLength(100);
    expect(problems.at(-1)).toEqual({ path: ".", detail: "21 more problems are not listed." });
  });
});
