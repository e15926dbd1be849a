/** The steps that remembering asks of the disk, counted. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createMemory } from "#host/create-memory.ts";
import type { FileSystem, OpenFile } from "#ports/file-system.ts";
import { fileMemoryStore } from "#stores/files/memory/file-memory-store.ts";
import { confinedFileSystem } from "#stores/platform/confined-file-system.ts";
import { nodeHasher, randomIds, systemClock, systemTimer } from "#stores/platform/node-ports.ts";
import { nodeProcess } from "#stores/platform/node-process.ts";

/** The file system, and how often each of its functions was called. */
function counted(fs: FileSystem): { readonly fs: FileSystem; readonly counts: Map<string, number> } {
  const counts = new Map<string, number>();
  const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  const countSyncs = (file: OpenFile): void => {
    const { sync } = file;
    file.sync = () => {
      count("sync");
      return sync.call(file);
    };
  };
  const proxy = new Proxy(fs, {
    get: (of, name: keyof FileSystem) => {
      const value: unknown = Reflect.get(of, name);
      if (typeof value !== "function") return value;
      return (...given: readonly unknown[]): unknown => {
        count(name);
        const result: unknown = Reflect.apply(value, of, given);
        if (name === "open") countSyncs(result as OpenFile);
        return result;
      };
    },
  });
  return { fs: proxy, counts };
}

it("lists few folders and opens few files for a new fact", async () => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-steps-"));
  try {
    const { fs, counts } = counted(confinedFileSystem(folder));
    const lease = { clock: systemClock, timer: systemTimer, process: nodeProcess };
    const ports = { hasher: nodeHasher, ids: randomIds, clock: systemClock, lease };
    const memory = createMemory({ store: fileMemoryStore({ folder, fs, ...ports }) });
    for (let at = 0; at < 3; at++) await memory.remember(`Fact ${at} is about thing${at}.`);
    await memory.recall("thing1", { isLogged: false });
    counts.clear();
    const { status } = await memory.remember("Bicycles are repaired on Saturdays.");
    expect(status).toBe("written");
    // The folder of changes before and after a look and before the change, that of the lease twice, and the change itself.
    expect(counts.get("list")).toBeLessThanOrEqual(5);
    // The index twice, the plan and both new files, and the lease when it is taken and released.
    expect(counts.get("open")).toBeLessThanOrEqual(7);
    // The lease and its folder, both paths of the last change, the new name, and the new files before they are linked.
    expect(counts.get("stat")).toBeLessThanOrEqual(10);
    // The plan and both new files at once, then the folder that they are in: without any of them a power loss could
    // leave a memory that is empty, or a change that cannot be undone.
    expect(counts.get("sync")).toBe(3);
    expect(counts.get("syncDirectory")).toBe(1);
    await memory.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
