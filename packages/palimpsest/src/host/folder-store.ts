/**
 * Sessions in a folder of this machine, one writer each.
 */
import { FileSessionStore } from "../stores/files/file-session-store.ts";
import { nodeFileSystem } from "../stores/platform/node-file-system.ts";
import { nodeHasher } from "../stores/platform/node-hasher.ts";
import { nodeProcess } from "../stores/platform/node-process.ts";
import { randomIds } from "../stores/platform/random-ids.ts";
import { systemClock } from "../stores/platform/system-clock.ts";
import { systemTimer } from "../stores/platform/system-timer.ts";

export function folderStore(folder: string): FileSessionStore {
  return new FileSessionStore({
    root: folder,
    fs: nodeFileSystem,
    hasher: nodeHasher,
    ids: randomIds,
    isIndexed: true,
    // By the machine's clock, whatever that of the entries is.
    lease: { clock: systemClock, process: nodeProcess, timer: systemTimer },
  });
}
