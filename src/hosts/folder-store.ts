/**
 * Sessions in a folder of this machine, one writer each.
 */
import { FileSessionStore } from "../adapters/files/file-session-store.ts";
import { nodeFileSystem } from "../adapters/node/node-file-system.ts";
import { nodeHasher } from "../adapters/node/node-hasher.ts";
import { nodeProcess } from "../adapters/node/node-process.ts";
import { randomIds } from "../adapters/node/random-ids.ts";
import { systemClock } from "../adapters/node/system-clock.ts";
import { systemTimer } from "../adapters/node/system-timer.ts";

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
