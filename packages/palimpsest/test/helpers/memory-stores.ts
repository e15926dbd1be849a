/** Memory stores of several processes on one disk, under one clock. */

import { FakeClock, seededIds } from "palimpsest-testing";
import { FakeProcess, FakeTimer } from "palimpsest-testing/internal";
import type { FileSystem } from "#ports/file-system.ts";
import type { MemoryStore } from "#ports/memory-store.ts";
import { fileMemoryStore } from "#stores/files/memory/file-memory-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";

/** Each call is another process; its clock goes on by `laterMs` each time. */
export function memoryProcesses(laterMs = 0) {
  const clock = new FakeClock(1_767_225_600_000);
  const living = new Set<string>();
  let count = 0;
  const open = (fs: FileSystem, folder = "/memory"): MemoryStore => {
    count++;
    clock.advance(laterMs);
    const process = new FakeProcess({ pid: count, living });
    const lease = { clock, process, timer: new FakeTimer() };
    return fileMemoryStore({ folder, fs, hasher: nodeHasher, ids: seededIds(count), clock, lease });
  };
  /** Every process so far is gone. */
  const killAll = () => living.clear();
  return { open, killAll, clock };
}
