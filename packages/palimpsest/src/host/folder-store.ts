/**
 * Sessions in a folder of this machine, one writer each.
 */

import { FileSessionStore } from "../stores/files/file-session-store.ts";
import { confinedFileSystem } from "../stores/platform/confined-file-system.ts";
import { nodeFileSystem } from "../stores/platform/node-file-system.ts";
import { nodeHasher, randomIds, systemClock, systemTimer } from "../stores/platform/node-ports.ts";
import { nodeProcess } from "../stores/platform/node-process.ts";
import { taskFolder } from "./home/home-stores.ts";

export function folderStore(folder: string): FileSessionStore {
  return new FileSessionStore({
    root: folder,
    fs: nodeFileSystem,
    hasher: nodeHasher,
    ids: randomIds,
    isIndexed: true,
    tasksIn: taskFolder,
    plainIn: confinedFileSystem,
    // By the machine's clock, whatever that of the entries is.
    lease: { clock: systemClock, process: nodeProcess, timer: systemTimer },
  });
}
