/** The steps that remembering asks of the disk, counted. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createMemory } from "#host/create-memory.ts";
import type { FileSystem } from "#ports/file-system.ts";
import { fileMemoryStore } from "#stores/files/memory/file-memory-store.ts";
import { confinedFileSystem } from "#stores/platform/confined-file-system.ts";
import { nodeHasher, randomIds, systemClock, systemTimer } from "#stores/platform/node-ports.ts";
import { nodeProcess } from "#stores/platform/node-process.ts";

/** The file system, and how often each of its functions was called. */
function counted(fs: FileSystem): { readonly fs: FileSystem; readonly counts: Map<string, number> } {
  const counts = new Map<string, number>();
  const proxy = new Proxy(fs, {
    get: (of, name: keyof FileSystem) => {
      const value: unknown = Reflect.get(of, name);
      if (typeof value !== "function") return value;
      return (...given: readonly unknown[]): unknown => {
        counts.set(name, (counts.get(name) ?? 0) + 1);
        return Reflect.apply(value, of, given);
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
    await memory.recall("thing1");
    counts.clear();
    const { status } = await memory.remember("Bicycles are repaired on Saturdays.");
    expect(status).toBe("written");
    // The folder of changes, that of the lease, and the change itself.
    expect(counts.get("list")).toBeLessThanOrEqual(6);
    // The index twice, the plan and both new files, and the lease when it is taken and released.
    expect(counts.get("open")).toBeLessThanOrEqual(9);
    await memory.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
