/** Memory stores of several processes on one disk, under one clock. */
import { fileMemoryStore } from "../../src/adapters/files/memory-store.ts";
import { nodeHasher } from "../../src/adapters/node/node-hasher.ts";
import type { FileSystem } from "../../src/ports/file-system.ts";
import type { MemoryStore } from "../../src/ports/memory-store.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { FakeProcess } from "../../src/testing/fake-process.ts";
import { FakeTimer } from "../../src/testing/fake-timer.ts";
import { seededIds } from "../../src/testing/seeded-ids.ts";

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
